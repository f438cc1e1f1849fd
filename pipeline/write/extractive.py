"""Answers without a model: the sentences, items, steps and rows of the passages that answer a question."""

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
from pipeline.evidence.scored_units import ScoredUnit, UnitsByPassage
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
"""Answer formats without tables."""
_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})
_SPLITTABLE = frozenset({*LIST_KINDS, BlockKind.CODE})
LIST_SCORE_MARGIN, SAME_PASSAGE_MARGIN = 0.5, 1.2
"""Largest gap to the best sentence at which a list still answers a question that asks for one; the second where both
stand in the same passage."""
MAX_OVERVIEW_SENTENCES = 6
"""Maximum number of entries of an overview."""
LIST_ENTRY_KINDS = (BlockKind.ITEM, BlockKind.STEP)
OVERVIEW_KINDS = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP})


@dataclass(frozen=True, slots=True)
class ExtractiveDraft:
    """The sentences of an answer, and the share of the list, table or code that they show; None where it is
    complete."""

    sentences: Sequence[DraftSentence] = ()
    extent: ShownExtent | None = None


async def complete_lists(
    brief: WritingBrief, evidence: Evidence, library: ChunkReader
) -> tuple[Evidence, ExtractiveDraft | None]:
    """Return `evidence` with the other parts of the list, table or code that the extract for `brief` comes from; and
    that extract, where it was made and is the same with them.

    Raises Unavailable."""
    if not any(may_be_split(passage.chunk) for passage in evidence.passages):
        return evidence, None
    draft = write_extract(brief, evidence)
    list_entry = next((sentence for sentence in draft.sentences if sentence.kind in _SPLITTABLE), None)
    parts = await fetch_list_parts(evidence.passages, list_entry.chunk_ids[0], library) if list_entry else ()
    completed = evidence.with_passages(parts)
    return completed, draft if completed is evidence else None


def write_extract(brief: WritingBrief, evidence: Evidence) -> ExtractiveDraft:
    """Return the passages' own sentences, items, steps and rows that answer `brief`, in reading order; nothing is
    reworded and nothing is cut.

    It has at most `brief.max_length` characters, unless the first unit alone is longer, or everything is wanted. A
    person's own reply to such a question is shown in full."""
    units = evidence.units
    best = evidence.best
    if best and best.passage.document.source == TAUGHT_SOURCE:
        return ExtractiveDraft(
            list(_draft_sentences([unit for unit in units[best.passage_index] if unit.can_answer], bullets=False))
        )
    if (
        brief.sides
        and brief.format is AnswerFormat.TABLE
        and (table := write_comparison_table(brief, evidence.passages))
    ):
        return ExtractiveDraft(table)
    list_units = _find_list(brief, evidence)
    chosen = list_units or _select_prose(brief, evidence)
    shown = chosen if brief.wants_all else _fit_units(chosen, brief.max_length)
    bullets = brief.format is AnswerFormat.BULLETS or brief.style is AnswerStyle.BULLET or brief.intent in _OVERVIEWS
    if brief.format in FORMATS_WITHOUT_TABLES and not list_units:
        return ExtractiveDraft(list(_spell_out_rows(shown)), _shown_extent(evidence, shown))
    return ExtractiveDraft(list(_draft_sentences(shown, bullets=bullets)), _shown_extent(evidence, shown))


_OVERVIEWS = (Intent.SUMMARY, Intent.AGGREGATION)


def _find_list(brief: WritingBrief, evidence: Evidence) -> list[ScoredUnit]:
    kinds = _requested_kinds(brief)
    if kinds:
        return find_requested_list(evidence, kinds)
    return select_overview(evidence.units) if brief.intent in _OVERVIEWS else find_answering_list(evidence)


def _requested_kinds(brief: WritingBrief) -> tuple[BlockKind, ...]:
    """Return the kinds of entries that the question asks for; none where it asks for sentences."""
    if brief.intent is Intent.PROCEDURE or brief.format is AnswerFormat.STEPS:
        return BlockKind.STEP, BlockKind.ITEM
    if brief.intent in _OVERVIEWS:
        return ()
    if brief.intent is Intent.LIST or brief.format is AnswerFormat.BULLETS:
        return BlockKind.ITEM, BlockKind.ROW, BlockKind.STEP
    return (BlockKind.ROW,) if brief.format is AnswerFormat.TABLE else ()


def _select_prose(brief: WritingBrief, evidence: Evidence) -> list[ScoredUnit]:
    """Return the sentences that answer, each with the ones that it cannot be understood without."""
    limits = EXTRACT_LIMITS[brief.style]
    parts = [
        _evidence_for_part(evidence, number, query) for number, query in enumerate(brief.queries[: len(brief.sides)])
    ]
    chosen = {unit.position: unit for part in parts or [evidence] for unit in select_sentences(part, limits)}
    return [chosen[position] for position in sorted(chosen)]


def _evidence_for_part(evidence: Evidence, number: int, query: str) -> Evidence:
    """Return the evidence for one part of a question: every passage counts, but one that was retrieved for another part
    has no vectors for this one."""
    passages = [units[0].passage for units in evidence.units if units]
    plain = [passage if passage.query_index == number else replace(passage, unit_scores=()) for passage in passages]
    return gather_evidence(analyze_question(query), plain)


def _spell_out_rows(chosen: Sequence[ScoredUnit]) -> Iterable[DraftSentence]:
    """Yield the sentences without a table: each row is a sentence with the names of its columns."""
    units = [unit for unit in chosen if unit.kind is not BlockKind.HEADER]
    for unit, sentence in zip(units, _draft_sentences(units, bullets=False), strict=True):
        is_row = unit.kind is BlockKind.ROW
        text = unit.passage.chunk.readable_row(unit.unit_index)
        yield (replace(sentence, text=text, kind=BlockKind.PROSE, opens=True, cells=()) if is_row else sentence)


def _draft_sentences(chosen: Sequence[ScoredUnit], *, bullets: bool) -> Iterable[DraftSentence]:
    """Yield units as they are printed; a new paragraph begins where passage or line changes."""
    previous: ScoredUnit | None = None
    printed: dict[BlockKind, tuple[ScoredUnit, BlockKind]] = {}
    for unit in chosen:
        last, kind = printed.get(unit.kind, (unit, BlockKind.PROSE))
        if not _continues(last, unit):
            kind = _printed_kind(unit, chosen)
        printed[unit.kind] = unit, kind
        if bullets and kind is BlockKind.PROSE and not is_lead_in(unit.text):
            kind = BlockKind.ITEM
        opens = previous is None or not (
            _is_adjacent(previous, unit) or (previous.kind is unit.kind and _continues(previous, unit))
        )
        opens = opens or (previous is not None and previous.kind is not unit.kind and kind is not BlockKind.ROW)
        opens = opens or (kind is BlockKind.PROSE and unit.passage.chunk.is_on_new_line(unit.unit_index))
        yield DraftSentence(
            text=unit.text,
            kind=kind,
            chunk_ids=(unit.chunk_id,),
            opens=opens and not (bullets and previous),
            number=unit.passage.chunk.units[unit.unit_index].number if kind is BlockKind.STEP else 0,
            cells=unit.passage.chunk.cells_at(unit.unit_index) if kind in _TABLE else (),
            depth=unit.passage.chunk.list_depth(unit.unit_index)
            if kind in LIST_ENTRY_KINDS and kind is unit.kind
            else 0,
        )
        previous = unit


def _is_adjacent(before: ScoredUnit, unit: ScoredUnit) -> bool:
    """Tell whether nothing stands between two units, or they are rows of one table."""
    return before.passage_index == unit.passage_index and (
        before.unit_index == unit.unit_index - 1 or unit.kind is BlockKind.ROW
    )


def _continues(last: ScoredUnit, unit: ScoredUnit) -> bool:
    """Tell whether one entry continues the list of another in the next chunk, or after others of that chunk."""
    if unit is last or unit.kind not in LIST_KINDS:
        return False
    if last.passage_index == unit.passage_index:
        return last.unit_index in unit.passage.chunk.enclosing_block(unit.unit_index)
    return last.passage.chunk.continues_in(last.unit_index, unit.passage.chunk)


def _printed_kind(unit: ScoredUnit, chosen: Sequence[ScoredUnit]) -> BlockKind:
    """Return the kind that a unit is printed as.

    An entry reads as a sentence where no other entry of its list is shown. Steps have numbers only from the first one
    on without a gap: others would not be their own."""
    chunk = unit.passage.chunk
    shown_indexes = {other.unit_index for other in chosen if other.passage_index == unit.passage_index}
    if unit.kind is BlockKind.HEADING:
        has_lead_in = any(is_lead_in(chunk.text_at(index)) for index in shown_indexes if index < unit.unit_index)
        return BlockKind.ITEM if has_lead_in else BlockKind.PROSE
    if unit.kind not in (BlockKind.ITEM, BlockKind.STEP):
        return unit.kind
    start, members = chunk.lead_in(unit.unit_index), chunk.enclosing_block(unit.unit_index)
    if not shown_indexes & ({*members, unit.unit_index if start is None else start} - {unit.unit_index}):
        return BlockKind.PROSE
    return (
        BlockKind.STEP
        if unit.kind is BlockKind.STEP and _is_numbered_without_gap(chunk, members, shown_indexes)
        else BlockKind.ITEM
    )


def _is_numbered_without_gap(chunk: Chunk, members: range, shown: Container[int]) -> bool:
    """Tell whether the shown steps of a list are numbered without a gap."""
    steps = [chunk.units[index].number for index in members if index in shown]
    numbers = [number for number in steps if number]
    return bool(numbers) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _fit_units(chosen: Sequence[ScoredUnit], length: int) -> list[ScoredUnit]:
    """Return the first units that fit into `length` characters, at least one, and no lead-in left alone at the end."""
    fitting: list[ScoredUnit] = []
    for unit in chosen:
        length -= len(unit.text) + 1
        if fitting and length < 0:
            break
        fitting.append(unit)
    while len(fitting) > 1 and (is_lead_in(fitting[-1].text) or fitting[-1].kind is BlockKind.HEADER):
        fitting.pop()
    return fitting


def _shown_extent(evidence: Evidence, shown: Sequence[ScoredUnit]) -> ShownExtent | None:
    """Return the shown share of the first list, table or code with more than one shown entry; None when that is all. Of
    a table with named rows, these count."""
    positions = {unit.position for unit in shown}
    for unit in shown:
        if unit.kind not in _SPLITTABLE:
            continue
        entries = [entry for entry in evidence.list_members[unit.position] if entry.kind is unit.kind]
        rows = find_named_rows(evidence.question, entries)
        if unit.position in (row.position for row in rows):
            entries = rows
        shown_entries = [entry for entry in entries if entry.position in positions]
        if len(shown_entries) < len(entries) and (len(shown_entries) > 1 or unit.kind is BlockKind.CODE):
            return ShownExtent(shown=_count_entries(shown_entries), total=_count_entries(entries), kind=unit.kind)
    return None


def _count_entries(entries: Sequence[ScoredUnit]) -> int:
    """Count the entries; of code, the lines."""
    return sum(entry.text.count("\n") + 1 if entry.kind is BlockKind.CODE else 1 for entry in entries)


def find_answering_list(evidence: Evidence) -> list[ScoredUnit]:
    """Return the list or procedure whose headings hold the whole question, the nearest one, complete and with its
    opening; [] where there is none."""
    firsts = [
        unit
        for units in evidence.units
        for unit in _first_entries(units, LIST_ENTRY_KINDS)
        if has_matching_heading(evidence, unit)
    ]
    first = max(
        firsts,
        key=lambda unit: (unit.heading_coverage, _list_score(evidence.units[unit.passage_index], unit)),
        default=None,
    )
    return _with_opening(evidence, evidence.list_members[first.position]) if first else []


def find_requested_list(evidence: Evidence, kinds: Sequence[BlockKind]) -> list[ScoredUnit]:
    """Return the list, procedure or table that was asked for by its title, or fits the question best, complete and with
    its opening; [] when none comes near. Of a table only the rows that the question names, if any."""
    best = evidence.best
    candidates: list[tuple[tuple[float, ...], ScoredUnit]] = []
    for units in evidence.units:
        for first in _first_entries(units, kinds):
            score = _list_score(units, first)
            margin = SAME_PASSAGE_MARGIN if best and best.passage_index == first.passage_index else LIST_SCORE_MARGIN
            if is_requested_list(evidence, first):
                candidates.append(((1.0, first.heading_coverage, len(evidence.list_members[first.position])), first))
            elif best and score >= best.score - margin:
                candidates.append(((0.0, score), first))
    if not candidates:
        return []
    return _with_opening(
        evidence, evidence.list_members[max(candidates, key=lambda candidate: candidate[0])[1].position]
    )


def _with_opening(evidence: Evidence, entries: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the entries of a list, of a table those that the question names, behind its opening if that is needed."""
    question, first = evidence.question, entries[0]
    lead_in = first.passage.chunk.lead_in(first.unit_index)
    opening = evidence.units[first.passage_index][lead_in] if lead_in is not None else None
    return [
        *([opening] if opening and is_lead_in_needed(question, opening, first) else []),
        *(find_named_rows(question, entries) or entries),
    ]


def _first_entries(units: Sequence[ScoredUnit], kinds: Sequence[BlockKind]) -> list[ScoredUnit]:
    """Return the first entry of every list of at least two entries of the wanted kinds."""
    first_entries: list[ScoredUnit] = []
    end = 0
    for unit in units:
        if unit.kind in kinds and unit.unit_index >= end:
            members = unit.passage.chunk.enclosing_block(unit.unit_index)
            end = members.stop
            if sum(units[index].kind in kinds for index in members) > 1:
                first_entries.append(unit)
    return first_entries


def _list_score(units: Sequence[ScoredUnit], first: ScoredUnit) -> float:
    """Return the score of a list: that of its best entry or of its opening."""
    members = [units[index] for index in first.passage.chunk.enclosing_block(first.unit_index)]
    lead_in = first.passage.chunk.lead_in(first.unit_index)
    return max(unit.score for unit in ([units[lead_in]] if lead_in is not None else []) + members)


def select_overview(evidence: UnitsByPassage) -> list[ScoredUnit]:
    """Return the best sentences of all passages; [] when there is only one."""
    sentences = [unit for units in evidence for unit in units if unit.can_answer and unit.kind in OVERVIEW_KINDS]
    distinct = {unit.text: unit for unit in reversed(sentences) if not is_lead_in(unit.text)}
    best = sorted(distinct.values(), key=lambda unit: -unit.score)[:MAX_OVERVIEW_SENTENCES]
    return sorted(best, key=lambda unit: unit.position) if len(best) > 1 else []
