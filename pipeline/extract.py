"""The writer that needs no model: it chooses the sentences, items, steps and rows that answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

from pipeline import layout
from pipeline.asked import read
from pipeline.choose import MEASURES, choose
from pipeline.evidence import Candidate, gather
from pipeline.extract_lists import comparison, entries, overview
from pipeline.values import BlockKind, Brief, Finished, Format, Intent, RetrievedChunk, Sentence, Style, Turn

Evidence = list[list[Candidate]]


class ExtractiveWriter:
    """Composes an answer from the passages' own words; nothing is reworded and nothing is cut."""

    async def write(
        self, brief: Brief, passages: Sequence[RetrievedChunk], history: Sequence[Turn]
    ) -> AsyncIterator[Sentence | Finished]:
        """Yield the chosen units in the order they are read, then one Finished. Never raises."""
        for sentence in extract(brief, passages):
            yield sentence
        yield Finished()


def extract(brief: Brief, passages: Sequence[RetrievedChunk]) -> list[Sentence]:
    """The extract for `brief`: at most `brief.max_length` characters, unless its first unit alone is longer."""
    evidence = gather(read(brief.question), passages)
    if brief.sides and brief.format is Format.TABLE:
        return comparison(brief, passages) or _fitting(prose(brief, evidence), brief.max_length)
    return _fitting(_listed(brief, evidence) or prose(brief, evidence), brief.max_length)


def _listed(brief: Brief, evidence: Evidence) -> list[Sentence]:
    if brief.intent is Intent.PROCEDURE or brief.format is Format.STEPS:
        return entries(evidence, (BlockKind.STEP, BlockKind.ITEM))
    if brief.intent in (Intent.SUMMARY, Intent.AGGREGATION):
        return overview(read(brief.question), evidence)
    if brief.intent is Intent.LIST or brief.format is Format.BULLETS:
        return entries(evidence, (BlockKind.ITEM, BlockKind.ROW, BlockKind.STEP))
    if brief.format is Format.TABLE:
        return entries(evidence, (BlockKind.ROW,))
    return []


def prose(brief: Brief, evidence: Evidence) -> list[Sentence]:
    """The sentences that answer, each with what it cannot be understood without."""
    if brief.sides:
        parts = [
            [units for units in evidence if units and units[0].passage.query == n] for n in range(len(brief.sides))
        ]
    else:
        parts = [evidence]
    measure = MEASURES[
        Style.BULLET if brief.intent is Intent.PROCEDURE and brief.style is Style.CONCISE else brief.style
    ]
    chosen = {one.place_in_text: one for part in parts for one in choose(part, measure)}
    ordered = [chosen[place] for place in sorted(chosen)]
    return list(_sentences(ordered, bullets=brief.format is Format.BULLETS or brief.style is Style.BULLET))


def _sentences(chosen: Iterable[Candidate], *, bullets: bool) -> Iterable[Sentence]:
    """Candidates as they are printed; a new paragraph begins where passage or line changes."""
    before: Candidate | None = None
    for one in chosen:
        joined = before is not None and before.place == one.place and before.index == one.index - 1
        kind = BlockKind.PROSE if one.kind is BlockKind.HEADING else one.kind
        if bullets and kind is BlockKind.PROSE and not layout.leads_in(one.text):
            kind = BlockKind.ITEM
        opens = not joined or (before is not None and before.kind is not one.kind and kind is not BlockKind.ROW)
        opens = opens or (kind is BlockKind.PROSE and layout.apart(one.passage.chunk, one.index))
        yield Sentence(text=one.text, kind=kind, chunk_ids=(one.chunk_id,), opens=opens and not (bullets and before))
        before = one


def _fitting(sentences: Sequence[Sentence], length: int) -> list[Sentence]:
    """The first sentences that fit into `length` characters, at least one, and no lead-in left alone at the end."""
    kept: list[Sentence] = []
    for sentence in sentences:
        length -= len(sentence.text) + 1
        if kept and length < 0:
            break
        kept.append(sentence)
    while len(kept) > 1 and (layout.leads_in(kept[-1].text) or kept[-1].kind is BlockKind.HEADER):
        kept.pop()
    return kept
