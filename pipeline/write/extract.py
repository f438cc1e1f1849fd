"""The writer that needs no model: it chooses the sentences, items, steps and rows that answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

from pipeline.read import layout
from pipeline.read.asked import read
from pipeline.read.evidence import Candidate, gather
from pipeline.values import BlockKind, Brief, Finished, Format, Intent, RetrievedChunk, Sentence, Style, Turn
from pipeline.write.choose import MEASURES, choose
from pipeline.write.comparison import comparison
from pipeline.write.extract_lists import entries, overview

Evidence = list[list[Candidate]]
UNRULED = (Format.PROSE, Format.PLAIN, Format.STEPS)
"""Forms of an answer that have no tables."""


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
        return entries(read(brief.question), evidence, (BlockKind.STEP, BlockKind.ITEM))
    if brief.intent in (Intent.SUMMARY, Intent.AGGREGATION):
        return overview(read(brief.question), evidence)
    if brief.intent is Intent.LIST or brief.format is Format.BULLETS:
        return entries(read(brief.question), evidence, (BlockKind.ITEM, BlockKind.ROW, BlockKind.STEP))
    if brief.format is Format.TABLE:
        return entries(read(brief.question), evidence, (BlockKind.ROW,))
    return []


def prose(brief: Brief, evidence: Evidence) -> list[Sentence]:
    """The sentences that answer, each with what it cannot be understood without."""
    measure = MEASURES[
        Style.BULLET if brief.intent is Intent.PROCEDURE and brief.style is Style.CONCISE else brief.style
    ]
    asked = read(brief.question)
    parts = [(read(query), part(evidence, number, query)) for number, query in enumerate(brief.queries) if brief.sides]
    commands = brief.intent is Intent.PROCEDURE
    chosen = {
        one.place_in_text: one
        for asked, units in parts or [(asked, evidence)]
        for one in choose(asked, units, measure, commands=commands)
    }
    ordered = [chosen[place] for place in sorted(chosen)]
    if brief.format in UNRULED:
        return list(_spelled_out(ordered))
    return list(_sentences(ordered, bullets=brief.format is Format.BULLETS or brief.style is Style.BULLET))


def _spelled_out(chosen: Sequence[Candidate]) -> Iterable[Sentence]:
    """The same without a table: each row is a sentence with the names of its columns."""
    told = [one for one in chosen if one.kind is not BlockKind.HEADER]
    for one, sentence in zip(told, _sentences(told, bullets=False), strict=True):
        row = one.kind is BlockKind.ROW
        text = layout.spelled_out(one.passage.chunk, one.index)
        yield sentence.model_copy(update={"text": text, "kind": BlockKind.PROSE, "opens": True}) if row else sentence


def part(evidence: Evidence, number: int, query: str) -> Evidence:
    """The evidence for one part of a question: every passage counts, also one that was found for another part.

    Such a one has no vectors for this part, and fits it as well as its best sentence does in words."""
    passages = [units[0].passage for units in evidence if units]
    best = max((passage.score for passage in passages if passage.query == number), default=1.0)
    plain = [
        passage if passage.query == number else passage.model_copy(update={"unit_scores": ()}) for passage in passages
    ]
    found = gather(read(query), plain)
    scored = [
        passage
        if passage.query == number
        else passage.model_copy(update={"score": best * min(1.0, max(one.coverage for one in units))})
        for passage, units in zip(plain, found, strict=True)
    ]
    return gather(read(query), scored)


def _sentences(chosen: Iterable[Candidate], *, bullets: bool) -> Iterable[Sentence]:
    """Candidates as they are printed; a new paragraph begins where passage or line changes."""
    before: Candidate | None = None
    chosen = list(chosen)
    for one in chosen:
        joined = before is not None and before.place == one.place and before.index == one.index - 1
        joined = joined or (one.kind is BlockKind.ROW and before is not None and before.place == one.place)
        kind = _shown(one, chosen)
        if bullets and kind is BlockKind.PROSE and not layout.leads_in(one.text):
            kind = BlockKind.ITEM
        opens = not joined or (before is not None and before.kind is not one.kind and kind is not BlockKind.ROW)
        opens = opens or (kind is BlockKind.PROSE and layout.apart(one.passage.chunk, one.index))
        yield Sentence(text=one.text, kind=kind, chunk_ids=(one.chunk_id,), opens=opens and not (bullets and before))
        before = one


def _shown(one: Candidate, chosen: Sequence[Candidate]) -> BlockKind:
    """What a candidate is printed as.

    An entry of a list of which nothing else is said reads as a sentence, and steps have numbers only from the first
    one on without a gap: others would not be their own."""
    if one.kind is BlockKind.HEADING:
        return BlockKind.PROSE
    if one.kind not in (BlockKind.ITEM, BlockKind.STEP):
        return one.kind
    chunk = one.passage.chunk
    start, members = layout.opening(chunk, one.index), layout.run(chunk, one.index)
    said = {other.index for other in chosen if other.place == one.place}
    if not said & ({*members, one.index if start is None else start} - {one.index}):
        return BlockKind.PROSE
    return BlockKind.STEP if one.kind is BlockKind.STEP and layout.counts(chunk, members, said) else BlockKind.ITEM


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
