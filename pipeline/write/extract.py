"""What is said without a model: it chooses the sentences, items, steps and rows that answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from pipeline.ports import Passages
from pipeline.read.asked import read
from pipeline.read.candidates import Candidate, Units, best_of
from pipeline.read.evidence import Evidence, gather, headed, may_be_cut, named, needed, other_parts, titled
from pipeline.values import LISTED, TAUGHT, BlockKind, Brief, Chunk, Extent, Format, Intent, Sentence, Style, replace
from pipeline.words.text import leads_in
from pipeline.write.choose import MEASURES, choose
from pipeline.write.comparison import comparison

UNRULED = (Format.PROSE, Format.PLAIN, Format.STEPS)
"""Forms of an answer that have no tables."""
_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})
_PARTED = frozenset({*LISTED, BlockKind.CODE})
NEAR, NEAR_WITHIN = 0.5, 1.2
"""How far below the best sentence a list may score and still be the answer to a question that asks for one; further
when it stands in the same passage as that sentence."""
OVERVIEW = 6
"""Entries of an overview."""
ENTRIES = (BlockKind.ITEM, BlockKind.STEP)
TOLD = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP})


@dataclass(frozen=True, slots=True)
class Extract:
    """What is said, and how much that is of the list, table or code it comes from; None where it is all."""

    sentences: Sequence[Sentence] = ()
    extent: Extent | None = None


async def completed(brief: Brief, evidence: Evidence, library: Passages) -> tuple[Evidence, Extract | None]:
    """`evidence` with the other parts of the list, table or code that the extract for `brief` comes from; and that
    extract, where it was made and is the same with them.

    Raises Unavailable."""
    if not any(may_be_cut(passage.chunk) for passage in evidence.passages):
        return evidence, None
    made = extract(brief, evidence)
    parted = next((sentence for sentence in made.sentences if sentence.kind in _PARTED), None)
    parts = await other_parts(evidence.passages, parted.chunk_ids[0], library) if parted else ()
    whole = evidence.joined(parts)
    return whole, made if whole is evidence else None


def extract(brief: Brief, evidence: Evidence) -> Extract:
    """The passages' own sentences, items, steps and rows that answer `brief`, in the order they are read; nothing is
    reworded and nothing is cut. At most `brief.max_length` characters, unless the first unit alone is longer, or
    everything is wanted. What a person replied to such a question is said whole."""
    units = evidence.units
    best = best_of(units)
    if best and best.passage.document.source == TAUGHT:
        return Extract(list(_sentences([one for one in units[best.place] if one.says], bullets=False)))
    if brief.sides and brief.format is Format.TABLE and (table := comparison(brief, evidence.passages)):
        return Extract(table)
    listed = _listed(brief, evidence)
    chosen = listed or _prose(brief, evidence)
    kept = chosen if brief.everything else _fitting(chosen, brief.max_length)
    bullets = brief.format is Format.BULLETS or brief.style is Style.BULLET or brief.intent in _OVERVIEWS
    if brief.format in UNRULED and not listed:
        return Extract(list(_spelled_out(kept)), _extent(evidence, kept))
    return Extract(list(_sentences(kept, bullets=bullets)), _extent(evidence, kept))


_OVERVIEWS = (Intent.SUMMARY, Intent.AGGREGATION)


def _listed(brief: Brief, evidence: Evidence) -> list[Candidate]:
    kinds = _wanted(brief)
    if kinds:
        return entries(evidence, kinds)
    return overview(evidence.units) if brief.intent in _OVERVIEWS else answering(evidence)


def _wanted(brief: Brief) -> tuple[BlockKind, ...]:
    """The kinds of entries that are asked for; none where it is sentences."""
    if brief.intent is Intent.PROCEDURE or brief.format is Format.STEPS:
        return BlockKind.STEP, BlockKind.ITEM
    if brief.intent in _OVERVIEWS:
        return ()
    if brief.intent is Intent.LIST or brief.format is Format.BULLETS:
        return BlockKind.ITEM, BlockKind.ROW, BlockKind.STEP
    return (BlockKind.ROW,) if brief.format is Format.TABLE else ()


def _prose(brief: Brief, evidence: Evidence) -> list[Candidate]:
    """The sentences that answer, each with what it cannot be understood without."""
    measure = MEASURES[brief.style]
    parts = [_part(evidence, number, query) for number, query in enumerate(brief.queries[: len(brief.sides)])]
    chosen = {one.place_in_text: one for part in parts or [evidence] for one in choose(part, measure)}
    return [chosen[place] for place in sorted(chosen)]


def _part(evidence: Evidence, number: int, query: str) -> Evidence:
    """The evidence for one part of a question: every passage counts, but one that was found for another part has no
    vectors for this one."""
    passages = [units[0].passage for units in evidence.units if units]
    plain = [passage if passage.query == number else replace(passage, unit_scores=()) for passage in passages]
    return gather(read(query), plain)


def _spelled_out(chosen: Sequence[Candidate]) -> Iterable[Sentence]:
    """The same without a table: each row is a sentence with the names of its columns."""
    told = [one for one in chosen if one.kind is not BlockKind.HEADER]
    for one, sentence in zip(told, _sentences(told, bullets=False), strict=True):
        row = one.kind is BlockKind.ROW
        text = one.passage.chunk.spelled_out(one.index)
        yield (replace(sentence, text=text, kind=BlockKind.PROSE, opens=True, cells=()) if row else sentence)


def _sentences(chosen: Sequence[Candidate], *, bullets: bool) -> Iterable[Sentence]:
    """Candidates as they are printed; a new paragraph begins where passage or line changes."""
    before: Candidate | None = None
    shown: dict[BlockKind, tuple[Candidate, BlockKind]] = {}
    for one in chosen:
        last, kind = shown.get(one.kind, (one, BlockKind.PROSE))
        if not _go_on(last, one):
            kind = _shown(one, chosen)
        shown[one.kind] = one, kind
        if bullets and kind is BlockKind.PROSE and not leads_in(one.text):
            kind = BlockKind.ITEM
        opens = before is None or not (_beside(before, one) or (before.kind is one.kind and _go_on(before, one)))
        opens = opens or (before is not None and before.kind is not one.kind and kind is not BlockKind.ROW)
        opens = opens or (kind is BlockKind.PROSE and one.passage.chunk.apart(one.index))
        yield Sentence(
            text=one.text,
            kind=kind,
            chunk_ids=(one.chunk_id,),
            opens=opens and not (bullets and before),
            number=one.passage.chunk.units[one.index].number if kind is BlockKind.STEP else 0,
            cells=one.passage.chunk.cells(one.index) if kind in _TABLE else (),
            depth=one.passage.chunk.depth(one.index) if kind in ENTRIES and kind is one.kind else 0,
        )
        before = one


def _beside(before: Candidate, one: Candidate) -> bool:
    """Whether nothing stands between them, or they are rows of one table."""
    return before.place == one.place and (before.index == one.index - 1 or one.kind is BlockKind.ROW)


def _go_on(last: Candidate, one: Candidate) -> bool:
    """Whether one entry continues the list of another in the next chunk, or after others of that chunk."""
    if one is last or one.kind not in LISTED:
        return False
    if last.place == one.place:
        return last.index in one.passage.chunk.whole(one.index)
    return last.passage.chunk.goes_on(last.index, one.passage.chunk)


def _shown(one: Candidate, chosen: Sequence[Candidate]) -> BlockKind:
    """What a candidate is printed as.

    An entry of a list of which nothing else is said reads as a sentence, and steps have numbers only from the first
    one on without a gap: others would not be their own."""
    chunk = one.passage.chunk
    said = {other.index for other in chosen if other.place == one.place}
    if one.kind is BlockKind.HEADING:
        led = any(leads_in(chunk.text_of(index)) for index in said if index < one.index)
        return BlockKind.ITEM if led else BlockKind.PROSE
    if one.kind not in (BlockKind.ITEM, BlockKind.STEP):
        return one.kind
    start, members = chunk.opening(one.index), chunk.whole(one.index)
    if not said & ({*members, one.index if start is None else start} - {one.index}):
        return BlockKind.PROSE
    return BlockKind.STEP if one.kind is BlockKind.STEP and _counts(chunk, members, said) else BlockKind.ITEM


def _counts(chunk: Chunk, members: range, said: Container[int]) -> bool:
    """Whether those steps of a list that are `said` are counted without a gap."""
    steps = [chunk.units[index].number for index in members if index in said]
    told = [number for number in steps if number]
    return bool(told) and told == list(range(told[0], told[0] + len(told)))


def _fitting(chosen: Sequence[Candidate], length: int) -> list[Candidate]:
    """The first that fit into `length` characters, at least one, and no lead-in left alone at the end."""
    kept: list[Candidate] = []
    for one in chosen:
        length -= len(one.text) + 1
        if kept and length < 0:
            break
        kept.append(one)
    while len(kept) > 1 and (leads_in(kept[-1].text) or kept[-1].kind is BlockKind.HEADER):
        kept.pop()
    return kept


def _extent(evidence: Evidence, shown: Sequence[Candidate]) -> Extent | None:
    """How much is shown of the first list, table or code of which more than one entry is shown; None when that is
    all. Of a table of which rows are named, these count."""
    places = {one.place_in_text for one in shown}
    for one in shown:
        if one.kind not in _PARTED:
            continue
        every = [entry for entry in evidence.wholes[one.place_in_text] if entry.kind is one.kind]
        rows = named(evidence.asked, every)
        if one.place_in_text in (row.place_in_text for row in rows):
            every = rows
        said = [entry for entry in every if entry.place_in_text in places]
        if len(said) < len(every) and (len(said) > 1 or one.kind is BlockKind.CODE):
            return Extent(shown=_count(said), total=_count(every), kind=one.kind)
    return None


def _count(entries: Sequence[Candidate]) -> int:
    """Entries; of code, lines."""
    return sum(one.text.count("\n") + 1 if one.kind is BlockKind.CODE else 1 for one in entries)


def answering(evidence: Evidence) -> list[Candidate]:
    """The list or procedure over which all that is asked stands, nearest to the question, whole and with its opening;
    [] where there is none."""
    firsts = [one for units in evidence.units for one in _lists(units, ENTRIES) if headed(evidence, one)]
    first = max(firsts, key=lambda one: (one.heading, _fit(evidence.units[one.place], one)), default=None)
    return _opened(evidence, evidence.wholes[first.place_in_text]) if first else []


def entries(evidence: Evidence, kinds: Sequence[BlockKind]) -> list[Candidate]:
    """The list, procedure or table that was asked for by its title, or fits the question best, whole and with its
    opening; [] when none comes near. Of a table only the rows that the question names, if any."""
    best = best_of(evidence.units)
    found: list[tuple[tuple[float, ...], Candidate]] = []
    for units in evidence.units:
        for first in _lists(units, kinds):
            score = _fit(units, first)
            near = NEAR_WITHIN if best and best.place == first.place else NEAR
            if titled(evidence, first):
                found.append(((1.0, first.heading, len(evidence.wholes[first.place_in_text])), first))
            elif best and score >= best.score - near:
                found.append(((0.0, score), first))
    if not found:
        return []
    return _opened(evidence, evidence.wholes[max(found, key=lambda one: one[0])[1].place_in_text])


def _opened(evidence: Evidence, listed: Sequence[Candidate]) -> list[Candidate]:
    """The entries of a list, of a table those that the question names, behind what opens them if that must be said."""
    asked, first = evidence.asked, listed[0]
    place = first.passage.chunk.opening(first.index)
    opening = evidence.units[first.place][place] if place is not None else None
    return [*([opening] if opening and needed(asked, opening, first) else []), *(named(asked, listed) or listed)]


def _lists(units: Sequence[Candidate], kinds: Sequence[BlockKind]) -> list[Candidate]:
    """The first entry of every list of at least two entries of the wanted kinds."""
    found: list[Candidate] = []
    end = 0
    for one in units:
        if one.kind in kinds and one.index >= end:
            members = one.passage.chunk.whole(one.index)
            end = members.stop
            if sum(units[index].kind in kinds for index in members) > 1:
                found.append(one)
    return found


def _fit(units: Sequence[Candidate], first: Candidate) -> float:
    """A list fits as well as its best entry or what opens it."""
    members = [units[index] for index in first.passage.chunk.whole(first.index)]
    place = first.passage.chunk.opening(first.index)
    return max(one.score for one in ([units[place]] if place is not None else []) + members)


def overview(evidence: Units) -> list[Candidate]:
    """The best sentences of all passages; [] when there is only one."""
    told = [one for units in evidence for one in units if one.says and one.kind in TOLD]
    distinct = {one.text: one for one in reversed(told) if not leads_in(one.text)}
    best = sorted(distinct.values(), key=lambda one: -one.score)[:OVERVIEW]
    return sorted(best, key=lambda one: one.place_in_text) if len(best) > 1 else []
