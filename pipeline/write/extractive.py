"""What is said without a model: it chooses the sentences, items, steps and rows that answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from pipeline.evidence.gather import (
    Evidence,
    fetch_list_parts,
    find_named_rows,
    gather_evidence,
    has_matching_heading,
    is_lead_in_needed,
    is_requested_list,
    may_be_split,
)
from pipeline.evidence.question_analysis import analyze_question
from pipeline.evidence.scored_units import ScoredUnit, UnitsByPassage, best_unit
from pipeline.ports import ChunkReader
from pipeline.values import (
    LIST_KINDS,
    TAUGHT_SOURCE,
    AnswerFormat,
    AnswerStyle,
    BlockKind,
    Chunk,
    DraftSentence,
    Intent,
    ShownExtent,
    WritingBrief,
    replace,
)
from pipeline.words.text import is_lead_in
from pipeline.write.comparison_table import write_comparison_table
from pipeline.write.sentence_selection import EXTRACT_LIMITS, select_sentences

FORMATS_WITHOUT_TABLES = (AnswerFormat.PROSE, AnswerFormat.PLAIN, AnswerFormat.STEPS)
"""Forms of an answer that have no tables."""
_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})
_PARTED = frozenset({*LIST_KINDS, BlockKind.CODE})
LIST_SCORE_MARGIN, SAME_PASSAGE_MARGIN = 0.5, 1.2
"""How far below the best sentence a list may score and still be the answer to a question that asks for one; further
when it stands in the same passage as that sentence."""
MAX_OVERVIEW_SENTENCES = 6
"""Entries of an overview."""
LIST_ENTRY_KINDS = (BlockKind.ITEM, BlockKind.STEP)
OVERVIEW_KINDS = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP})


@dataclass(frozen=True, slots=True)
class ExtractiveDraft:
    """What is said, and how much that is of the list, table or code it comes from; None where it is all."""

    sentences: Sequence[DraftSentence] = ()
    extent: ShownExtent | None = None


async def complete_lists(
    brief: WritingBrief, evidence: Evidence, library: ChunkReader
) -> tuple[Evidence, ExtractiveDraft | None]:
    """`evidence` with the other parts of the list, table or code that the extract for `brief` comes from; and that
    extract, where it was made and is the same with them.

    Raises Unavailable."""
    if not any(may_be_split(passage.chunk) for passage in evidence.passages):
        return evidence, None
    made = write_extract(brief, evidence)
    parted = next((sentence for sentence in made.sentences if sentence.kind in _PARTED), None)
    parts = await fetch_list_parts(evidence.passages, parted.chunk_ids[0], library) if parted else ()
    whole = evidence.with_passages(parts)
    return whole, made if whole is evidence else None


def write_extract(brief: WritingBrief, evidence: Evidence) -> ExtractiveDraft:
    """The passages' own sentences, items, steps and rows that answer `brief`, in the order they are read; nothing is
    reworded and nothing is cut. At most `brief.max_length` characters, unless the first unit alone is longer, or
    everything is wanted. What a person replied to such a question is said whole."""
    units = evidence.units
    best = best_unit(units)
    if best and best.passage.document.source == TAUGHT_SOURCE:
        return ExtractiveDraft(
            list(_sentences([one for one in units[best.passage_index] if one.can_answer], bullets=False))
        )
    if (
        brief.sides
        and brief.format is AnswerFormat.TABLE
        and (table := write_comparison_table(brief, evidence.passages))
    ):
        return ExtractiveDraft(table)
    listed = _listed(brief, evidence)
    chosen = listed or _prose(brief, evidence)
    kept = chosen if brief.wants_all else _fitting(chosen, brief.max_length)
    bullets = brief.format is AnswerFormat.BULLETS or brief.style is AnswerStyle.BULLET or brief.intent in _OVERVIEWS
    if brief.format in FORMATS_WITHOUT_TABLES and not listed:
        return ExtractiveDraft(list(_spelled_out(kept)), _extent(evidence, kept))
    return ExtractiveDraft(list(_sentences(kept, bullets=bullets)), _extent(evidence, kept))


_OVERVIEWS = (Intent.SUMMARY, Intent.AGGREGATION)


def _listed(brief: WritingBrief, evidence: Evidence) -> list[ScoredUnit]:
    kinds = _wanted(brief)
    if kinds:
        return find_requested_list(evidence, kinds)
    return select_overview(evidence.units) if brief.intent in _OVERVIEWS else find_answering_list(evidence)


def _wanted(brief: WritingBrief) -> tuple[BlockKind, ...]:
    """The kinds of entries that are asked for; none where it is sentences."""
    if brief.intent is Intent.PROCEDURE or brief.format is AnswerFormat.STEPS:
        return BlockKind.STEP, BlockKind.ITEM
    if brief.intent in _OVERVIEWS:
        return ()
    if brief.intent is Intent.LIST or brief.format is AnswerFormat.BULLETS:
        return BlockKind.ITEM, BlockKind.ROW, BlockKind.STEP
    return (BlockKind.ROW,) if brief.format is AnswerFormat.TABLE else ()


def _prose(brief: WritingBrief, evidence: Evidence) -> list[ScoredUnit]:
    """The sentences that answer, each with what it cannot be understood without."""
    measure = EXTRACT_LIMITS[brief.style]
    parts = [_part(evidence, number, query) for number, query in enumerate(brief.queries[: len(brief.sides)])]
    chosen = {one.position: one for part in parts or [evidence] for one in select_sentences(part, measure)}
    return [chosen[place] for place in sorted(chosen)]


def _part(evidence: Evidence, number: int, query: str) -> Evidence:
    """The evidence for one part of a question: every passage counts, but one that was found for another part has no
    vectors for this one."""
    passages = [units[0].passage for units in evidence.units if units]
    plain = [passage if passage.query_index == number else replace(passage, unit_scores=()) for passage in passages]
    return gather_evidence(analyze_question(query), plain)


def _spelled_out(chosen: Sequence[ScoredUnit]) -> Iterable[DraftSentence]:
    """The same without a table: each row is a sentence with the names of its columns."""
    told = [one for one in chosen if one.kind is not BlockKind.HEADER]
    for one, sentence in zip(told, _sentences(told, bullets=False), strict=True):
        row = one.kind is BlockKind.ROW
        text = one.passage.chunk.readable_row(one.unit_index)
        yield (replace(sentence, text=text, kind=BlockKind.PROSE, opens=True, cells=()) if row else sentence)


def _sentences(chosen: Sequence[ScoredUnit], *, bullets: bool) -> Iterable[DraftSentence]:
    """Candidates as they are printed; a new paragraph begins where passage or line changes."""
    before: ScoredUnit | None = None
    shown: dict[BlockKind, tuple[ScoredUnit, BlockKind]] = {}
    for one in chosen:
        last, kind = shown.get(one.kind, (one, BlockKind.PROSE))
        if not _go_on(last, one):
            kind = _shown(one, chosen)
        shown[one.kind] = one, kind
        if bullets and kind is BlockKind.PROSE and not is_lead_in(one.text):
            kind = BlockKind.ITEM
        opens = before is None or not (_beside(before, one) or (before.kind is one.kind and _go_on(before, one)))
        opens = opens or (before is not None and before.kind is not one.kind and kind is not BlockKind.ROW)
        opens = opens or (kind is BlockKind.PROSE and one.passage.chunk.is_on_new_line(one.unit_index))
        yield DraftSentence(
            text=one.text,
            kind=kind,
            chunk_ids=(one.chunk_id,),
            opens=opens and not (bullets and before),
            number=one.passage.chunk.units[one.unit_index].number if kind is BlockKind.STEP else 0,
            cells=one.passage.chunk.cells_at(one.unit_index) if kind in _TABLE else (),
            depth=one.passage.chunk.list_depth(one.unit_index) if kind in LIST_ENTRY_KINDS and kind is one.kind else 0,
        )
        before = one


def _beside(before: ScoredUnit, one: ScoredUnit) -> bool:
    """Whether nothing stands between them, or they are rows of one table."""
    return before.passage_index == one.passage_index and (
        before.unit_index == one.unit_index - 1 or one.kind is BlockKind.ROW
    )


def _go_on(last: ScoredUnit, one: ScoredUnit) -> bool:
    """Whether one entry continues the list of another in the next chunk, or after others of that chunk."""
    if one is last or one.kind not in LIST_KINDS:
        return False
    if last.passage_index == one.passage_index:
        return last.unit_index in one.passage.chunk.enclosing_block(one.unit_index)
    return last.passage.chunk.continues_in(last.unit_index, one.passage.chunk)


def _shown(one: ScoredUnit, chosen: Sequence[ScoredUnit]) -> BlockKind:
    """What a candidate is printed as.

    An entry of a list of which nothing else is said reads as a sentence, and steps have numbers only from the first
    one on without a gap: others would not be their own."""
    chunk = one.passage.chunk
    said = {other.unit_index for other in chosen if other.passage_index == one.passage_index}
    if one.kind is BlockKind.HEADING:
        led = any(is_lead_in(chunk.text_at(index)) for index in said if index < one.unit_index)
        return BlockKind.ITEM if led else BlockKind.PROSE
    if one.kind not in (BlockKind.ITEM, BlockKind.STEP):
        return one.kind
    start, members = chunk.lead_in(one.unit_index), chunk.enclosing_block(one.unit_index)
    if not said & ({*members, one.unit_index if start is None else start} - {one.unit_index}):
        return BlockKind.PROSE
    return BlockKind.STEP if one.kind is BlockKind.STEP and _counts(chunk, members, said) else BlockKind.ITEM


def _counts(chunk: Chunk, members: range, said: Container[int]) -> bool:
    """Whether those steps of a list that are `said` are counted without a gap."""
    steps = [chunk.units[index].number for index in members if index in said]
    told = [number for number in steps if number]
    return bool(told) and told == list(range(told[0], told[0] + len(told)))


def _fitting(chosen: Sequence[ScoredUnit], length: int) -> list[ScoredUnit]:
    """The first that fit into `length` characters, at least one, and no lead-in left alone at the end."""
    kept: list[ScoredUnit] = []
    for one in chosen:
        length -= len(one.text) + 1
        if kept and length < 0:
            break
        kept.append(one)
    while len(kept) > 1 and (is_lead_in(kept[-1].text) or kept[-1].kind is BlockKind.HEADER):
        kept.pop()
    return kept


def _extent(evidence: Evidence, shown: Sequence[ScoredUnit]) -> ShownExtent | None:
    """How much is shown of the first list, table or code of which more than one entry is shown; None when that is
    all. Of a table of which rows are named, these count."""
    places = {one.position for one in shown}
    for one in shown:
        if one.kind not in _PARTED:
            continue
        every = [entry for entry in evidence.list_members[one.position] if entry.kind is one.kind]
        rows = find_named_rows(evidence.question, every)
        if one.position in (row.position for row in rows):
            every = rows
        said = [entry for entry in every if entry.position in places]
        if len(said) < len(every) and (len(said) > 1 or one.kind is BlockKind.CODE):
            return ShownExtent(shown=_count(said), total=_count(every), kind=one.kind)
    return None


def _count(entries: Sequence[ScoredUnit]) -> int:
    """Entries; of code, lines."""
    return sum(one.text.count("\n") + 1 if one.kind is BlockKind.CODE else 1 for one in entries)


def find_answering_list(evidence: Evidence) -> list[ScoredUnit]:
    """The list or procedure over which all that is asked stands, nearest to the question, whole and with its opening;
    [] where there is none."""
    firsts = [
        one
        for units in evidence.units
        for one in _lists(units, LIST_ENTRY_KINDS)
        if has_matching_heading(evidence, one)
    ]
    first = max(
        firsts, key=lambda one: (one.heading_coverage, _fit(evidence.units[one.passage_index], one)), default=None
    )
    return _opened(evidence, evidence.list_members[first.position]) if first else []


def find_requested_list(evidence: Evidence, kinds: Sequence[BlockKind]) -> list[ScoredUnit]:
    """The list, procedure or table that was asked for by its title, or fits the question best, whole and with its
    opening; [] when none comes near. Of a table only the rows that the question names, if any."""
    best = best_unit(evidence.units)
    found: list[tuple[tuple[float, ...], ScoredUnit]] = []
    for units in evidence.units:
        for first in _lists(units, kinds):
            score = _fit(units, first)
            near = SAME_PASSAGE_MARGIN if best and best.passage_index == first.passage_index else LIST_SCORE_MARGIN
            if is_requested_list(evidence, first):
                found.append(((1.0, first.heading_coverage, len(evidence.list_members[first.position])), first))
            elif best and score >= best.score - near:
                found.append(((0.0, score), first))
    if not found:
        return []
    return _opened(evidence, evidence.list_members[max(found, key=lambda one: one[0])[1].position])


def _opened(evidence: Evidence, listed: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """The entries of a list, of a table those that the question names, behind what opens them if that must be said."""
    asked, first = evidence.question, listed[0]
    place = first.passage.chunk.lead_in(first.unit_index)
    opening = evidence.units[first.passage_index][place] if place is not None else None
    return [
        *([opening] if opening and is_lead_in_needed(asked, opening, first) else []),
        *(find_named_rows(asked, listed) or listed),
    ]


def _lists(units: Sequence[ScoredUnit], kinds: Sequence[BlockKind]) -> list[ScoredUnit]:
    """The first entry of every list of at least two entries of the wanted kinds."""
    found: list[ScoredUnit] = []
    end = 0
    for one in units:
        if one.kind in kinds and one.unit_index >= end:
            members = one.passage.chunk.enclosing_block(one.unit_index)
            end = members.stop
            if sum(units[index].kind in kinds for index in members) > 1:
                found.append(one)
    return found


def _fit(units: Sequence[ScoredUnit], first: ScoredUnit) -> float:
    """A list fits as well as its best entry or what opens it."""
    members = [units[index] for index in first.passage.chunk.enclosing_block(first.unit_index)]
    place = first.passage.chunk.lead_in(first.unit_index)
    return max(one.score for one in ([units[place]] if place is not None else []) + members)


def select_overview(evidence: UnitsByPassage) -> list[ScoredUnit]:
    """The best sentences of all passages; [] when there is only one."""
    told = [one for units in evidence for one in units if one.can_answer and one.kind in OVERVIEW_KINDS]
    distinct = {one.text: one for one in reversed(told) if not is_lead_in(one.text)}
    best = sorted(distinct.values(), key=lambda one: -one.score)[:MAX_OVERVIEW_SENTENCES]
    return sorted(best, key=lambda one: one.position) if len(best) > 1 else []
