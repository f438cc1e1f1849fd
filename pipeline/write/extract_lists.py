"""Extracts that are more than sentences: whole lists and procedures, overviews."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pipeline.read import layout
from pipeline.read.asked import Asked
from pipeline.read.evidence import Candidate, best_of, needed
from pipeline.text import terms
from pipeline.values import BlockKind, Document, RetrievedChunk, Sentence

NEAR, NEAR_WITHIN = 0.5, 1.2
"""How far below the best sentence a list may score and still be the answer to a question that asks for one; further
when it stands in the same passage as that sentence."""
SECOND_CHOICE = 0.25
"""What each place in the order of wanted kinds costs a list."""
OVERVIEW, OVERVIEW_GAP = 6, 1.2
"""Entries of an overview, and how far below the best sentence each may score."""
TOLD = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP})
SAYS = 5
"""Words from which a line tells something: `Hi all,` and `Owner: Ann Lee.` do not."""
EACH = 2
"""Entries for each section of an overview, and for each passage where there are several."""


def entries(asked: Asked, evidence: Sequence[Sequence[Candidate]], kinds: Sequence[BlockKind]) -> list[Sentence]:
    """The list, procedure or table that fits the question best, whole and with its opening; [] when none comes near.

    Of two that fit equally, the kind named first wins. Steps go on into the next passage where that continues them."""
    best = best_of(evidence)
    found: tuple[float, Sequence[Candidate], range] | None = None
    for units in evidence:
        for members in _runs(units, kinds):
            score = _fit(units, members) - SECOND_CHOICE * kinds.index(units[members.start].kind)
            near = 0.0 if best and _commands(best) else NEAR_WITHIN if best and best.place == units[0].place else NEAR
            if best and score >= best.score - near and (found is None or score > found[0]):
                found = score, units, members
    if found is None:
        return []
    _, units, members = found
    place = layout.opening(units[0].passage.chunk, members.start)
    opens = [units[place]] if place is not None and needed(asked, units[place], units[members.start]) else []
    chosen = opens + _asked_for([units[index] for index in members])
    if members.stop == len(units):
        chosen += _continued(units[0].passage, units[members.start].kind, evidence)
    shown = {BlockKind.HEADING: BlockKind.PROSE}
    if not layout.counts(units[0].passage.chunk, members, members):
        shown[BlockKind.STEP] = BlockKind.ITEM
    return [
        Sentence(
            text=one.text,
            kind=shown.get(one.kind, one.kind),
            chunk_ids=(one.chunk_id,),
            opens=number == 0 or (number == len(opens) and chosen[0].kind is not BlockKind.HEADER),
        )
        for number, one in enumerate(chosen)
    ]


def _asked_for(entries: list[Candidate]) -> list[Candidate]:
    """The rows of a table that the question names; all entries where it names none."""
    rows = [one for one in entries if one.kind is BlockKind.ROW]
    return [one for one in rows if one.crossed] or [one for one in rows if one.named] or entries


def _commands(one: Candidate) -> bool:
    """Whether a candidate is told by code: no list that fits less stands for it."""
    return one.kind is BlockKind.CODE or any(
        one.passage.chunk.units[index].kind is BlockKind.CODE for index in layout.within(one.passage.chunk, one.index)
    )


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


def overview(asked: Asked, evidence: Sequence[Sequence[Candidate]]) -> list[Sentence]:
    """The best sentences of the passages that come near the best one, as a list; [] when there is only one.

    When the question names one document by its title, only of that document."""
    told = [one for units in evidence for one in units if one.says and one.kind in TOLD]
    told = [one for one in told if not layout.leads_in(one.text) and len(one.text.split()) >= SAYS]
    named = {one.passage.document.id for one in told if _names(asked, one.passage.document)}
    if len(named) == 1:
        told = [one for one in told if one.passage.document.id in named]
    best = max(told, key=lambda one: one.score, default=None)
    each = max(EACH, OVERVIEW // max(1, len({one.place for one in told})))
    chosen: dict[str, Candidate] = {}
    passages: Counter[int] = Counter()
    sections: Counter[str] = Counter()
    for one in sorted(told, key=lambda one: -one.score):
        section = layout.above(one.passage.chunk, one.index)
        room = passages[one.place] < each and sections[section] < EACH
        if best and room and one.score >= best.score - OVERVIEW_GAP and one.text not in chosen:
            chosen[one.text] = one
            passages[one.place] += 1
            sections[section] += 1
    if len(chosen) < 2:
        return []
    ordered = sorted(chosen.values(), key=lambda one: -one.score)[:OVERVIEW]
    return [
        Sentence(text=one.text, kind=BlockKind.ITEM, chunk_ids=(one.chunk_id,), opens=number == 0)
        for number, one in enumerate(sorted(ordered, key=lambda one: one.place_in_text))
    ]


def _names(asked: Asked, document: Document) -> bool:
    title, wanted = set(terms(document.title)), set(asked.terms)
    return wanted <= title or 2 * len(title & wanted) > len(title)
