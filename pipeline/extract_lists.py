"""Extracts that are more than sentences: whole lists and procedures, tables of two sides, overviews."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import layout
from pipeline.asked import read
from pipeline.evidence import Candidate, gather
from pipeline.values import BlockKind, Brief, RetrievedChunk, Sentence

NEAR = 0.5
"""How far below the best sentence a list may score and still be the answer to a question that asks for one."""
OVERVIEW = 6
"""Entries of an overview."""
CELLS = 2
"""Sentences for each side of a comparison."""


def entries(evidence: Sequence[Sequence[Candidate]], kinds: Sequence[BlockKind]) -> list[Sentence]:
    """The list, procedure or table that fits the question best, whole and with its opening; [] when none comes near.

    Of two that fit equally, the kind named first wins. Steps go on into the next passage where that continues them."""
    best = max((one.score for units in evidence for one in units if one.says), default=0.0)
    found: tuple[float, Sequence[Candidate], range] | None = None
    for units in evidence:
        for members in _runs(units, kinds):
            score = _fit(units, members) - 0.1 * kinds.index(units[members.start].kind)
            if score >= best - NEAR and (found is None or score > found[0]):
                found = score, units, members
    if found is None:
        return []
    _, units, members = found
    place = layout.opening(units[0].passage.chunk, members.start)
    chosen = ([units[place]] if place is not None else []) + [units[index] for index in members]
    if members.stop == len(units):
        chosen += _continued(units[0].passage, units[members.start].kind, evidence)
    return [
        Sentence(
            text=one.text, kind=_shown(one), chunk_ids=(one.chunk_id,), opens=number == 0 or one is units[members.start]
        )
        for number, one in enumerate(chosen)
    ]


def _shown(one: Candidate) -> BlockKind:
    return BlockKind.PROSE if one.kind is BlockKind.HEADING else one.kind


def _runs(units: Sequence[Candidate], kinds: Sequence[BlockKind]) -> list[range]:
    """Lists of at least two entries of the wanted kinds."""
    found: list[range] = []
    for one in units:
        if one.kind in kinds and (not found or one.index >= found[-1].stop):
            members = layout.run(one.passage.chunk, one.index)
            found.append(range(one.index, members.stop))
    return [members for members in found if sum(units[index].kind in kinds for index in members) > 1]


def _fit(units: Sequence[Candidate], members: range) -> float:
    """A list fits as well as its best entry or what opens it."""
    place = layout.opening(units[0].passage.chunk, members.start)
    return max(units[index].score for index in ([place] if place is not None else []) + list(members))


def _continued(passage: RetrievedChunk, kind: BlockKind, evidence: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """The entries at the start of the passage that follows in the same document."""
    chunk = passage.chunk
    for units in evidence:
        if units and (units[0].passage.chunk.document_id, units[0].passage.chunk.position) == (
            chunk.document_id,
            chunk.position + 1,
        ):
            after = units[0].passage.chunk
            own = [one for one in units if after.units[one.index].start >= after.overlap]
            if own and own[0].kind is kind:
                return [one for one in own if one.index in layout.run(after, own[0].index)]
    return []


def overview(evidence: Sequence[Sequence[Candidate]]) -> list[Sentence]:
    """The best sentence of each passage as a list, so that every document has its say; [] when there is only one."""
    best = [max((one for one in units if one.says), key=lambda one: one.score, default=None) for units in evidence]
    chosen = {one.text: one for one in reversed(best) if one is not None}
    if len(chosen) < 2:
        return []
    ordered = sorted(chosen.values(), key=lambda one: one.place)[:OVERVIEW]
    return [
        Sentence(text=one.text, kind=BlockKind.ITEM, chunk_ids=(one.chunk_id,), opens=number == 0)
        for number, one in enumerate(ordered)
    ]


def comparison(brief: Brief, passages: Sequence[RetrievedChunk]) -> list[Sentence]:
    """A table with a column for each side; [] when a side has nothing to say.

    Each cell is one sentence of a passage that was found for its side; a row names the chunks of its cells in order."""
    columns = [_column(brief, number, passages) for number in range(len(brief.sides))]
    if not all(columns):
        return []
    rows = [
        Sentence(
            text=" | ".join(_cell(column[row].text) for column in columns),
            kind=BlockKind.ROW,
            chunk_ids=tuple(dict.fromkeys(column[row].chunk_id for column in columns)),
        )
        for row in range(min(map(len, columns)))
    ]
    header = " | ".join(map(_cell, brief.sides))
    return [Sentence(text=header, kind=BlockKind.HEADER, chunk_ids=rows[0].chunk_ids, opens=True), *rows]


def _column(brief: Brief, number: int, passages: Sequence[RetrievedChunk]) -> list[Candidate]:
    """The best sentences for one side, best first, from the passages found for it."""
    query = brief.queries[number] if number < len(brief.queries) else brief.sides[number]
    own = [passage for passage in passages if passage.query == number]
    candidates = [one for units in gather(read(query), own) for one in units if one.says]
    return sorted(candidates, key=lambda one: -one.score)[:CELLS]


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())
