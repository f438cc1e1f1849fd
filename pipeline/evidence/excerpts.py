"""Excerpts of passages about a question: whole paragraphs, lists, steps and table rows, unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.evidence.scored_units import ScoredUnit, UnitsByPassage
from pipeline.values import BlockKind, Chunk, DraftSentence, RetrievedChunk
from pipeline.words.text import is_lead_in

MAX_EXCERPT_CHARACTERS, CHARACTERS_PER_EXCERPT = 700, 500
"""Characters of one excerpt, unless one unit alone is longer (a paragraph or two and its surroundings), and the average
length of the excerpts of an answer."""
EXCERPT_PASSAGE_WEIGHT = 4.0
"""Weight of its passage's score for an excerpt. With two excerpts the gold of doc2dial, clapnq and squad2 is in .656,
.914 and .953 (at 1 in .620, .907 and .953); in the best one of each of the two best passages in .636, .874 and .947."""
_ABOVE = frozenset({BlockKind.HEADING, BlockKind.HEADER})


@dataclass(frozen=True, slots=True)
class PassageExcerpt:
    """The units of one passage that are shown."""

    units: Sequence[ScoredUnit]
    """All units of the passage."""
    unit_ranges: tuple[range, ...]
    """The shown units, in reading order."""
    excluded_units: frozenset[int] = frozenset()
    """Units that are about something else."""

    @property
    def passage(self) -> RetrievedChunk:
        return self.units[0].passage

    def sentences(self) -> list[DraftSentence]:
        """Return the units as they are printed, with their lead-ins; no heading first or last, because the path of the
        place has it."""
        chunk, indexes = self.passage.chunk, list[int]()
        for span in self.unit_ranges:
            opening = chunk.lead_in(span.start)
            lead_ins = [opening] if opening is not None and opening < span.start else []
            indexes += [
                index for index in (*lead_ins, *span) if index not in indexes and index not in self.excluded_units
            ]
        while indexes and chunk.units[indexes[-1]].kind in _ABOVE:
            indexes.pop()
        while indexes and chunk.units[indexes[0]].kind is BlockKind.HEADING:
            indexes.pop(0)
        return [
            _draft_sentence(chunk, index, before) for before, index in pairwise((None, *indexes)) if index is not None
        ]


def select_excerpts(passages: UnitsByPassage, weights: Mapping[str, float], limit: int) -> list[PassageExcerpt]:
    """Select the `shown` excerpts of `passages` that say most about the question, grouped by passage, the best passage
    first.

    An excerpt is worth the `weights` of the question's terms in it, plus the cosine of its nearest sentence. Paragraphs
    at its ends that add nothing to that are left out, and so is an excerpt without room beside the best."""
    worths = [_make_valuation(units, weights) for units in passages]
    ranked = [
        (EXCERPT_PASSAGE_WEIGHT * units[0].passage.score + worth, place, span)
        for place, units in enumerate(passages)
        for span in _candidate_ranges(units[0].passage.chunk)
        if (worth := worths[place](span)) > 0
    ]
    selected: dict[int, list[range]] = {}
    room = CHARACTERS_PER_EXCERPT * limit
    for _, place, span in sorted(ranked, key=lambda entry: -entry[0]):
        if sum(map(len, selected.values())) == limit:
            break
        chunk = passages[place][0].passage.chunk
        if any(span.start < other.stop and other.start < span.stop for other in selected.get(place, ())):
            continue
        trimmed = _trim_excerpt(chunk, span, worths[place])
        if not selected or _count_characters(chunk, trimmed) <= room:
            selected.setdefault(place, []).append(trimmed)
            room -= _count_characters(chunk, trimmed)
    return [
        PassageExcerpt(passages[place], tuple(sorted(ranges, key=lambda entry: entry.start)))
        for place, ranges in selected.items()
    ]


def _trim_excerpt(chunk: Chunk, span: range, worth: Callable[[range], float]) -> range:
    """Return the shortest run of its blocks that is worth as much, and does not end with a lead-in."""
    edges = [span.start, *(block.start for block in _split_blocks(chunk) if block.start in span[1:]), span.stop]
    target, first, last = worth(span), 0, len(edges) - 1
    while last - first > 1 and worth(range(edges[first], edges[last - 1])) >= target:
        last -= 1
    while last - first > 1 and worth(range(edges[first + 1], edges[last])) >= target:
        first += 1
    while last < len(edges) - 1 and _leads_in(chunk, edges[last] - 1):
        last += 1
    return range(edges[first], edges[last])


def _leads_in(chunk: Chunk, index: int) -> bool:
    return chunk.units[index].kind in _ABOVE or is_lead_in(chunk.text_at(index))


def _make_valuation(units: Sequence[ScoredUnit], weights: Mapping[str, float]) -> Callable[[range], float]:
    """Return the function that values a range of units of a passage for the question."""
    unit_terms = [unit.term_layers[0].intersection(weights) for unit in units]
    cosines = [unit.cosine if unit.can_answer else -1.0 for unit in units]

    def worth(span: range) -> float:
        terms = frozenset[str]().union(*unit_terms[span.start : span.stop])
        share = sum([weight for term, weight in weights.items() if term in terms])
        return share + max(cosines[span.start : span.stop])

    return worth


def _draft_sentence(chunk: Chunk, index: int, before: int | None) -> DraftSentence:
    unit = chunk.units[index]
    begins = before is None or before + 1 < index or _starts_new_part(chunk, before, index)
    return DraftSentence(
        text=chunk.text_at(index),
        kind=unit.kind,
        chunk_ids=(chunk.id,),
        opens=begins and (unit.kind is BlockKind.PROSE or before is None),
        number=unit.number,
        cells=chunk.cells_at(index) if unit.kind in (BlockKind.HEADER, BlockKind.ROW) else (),
        depth=chunk.list_depth(index) if unit.kind in (BlockKind.ITEM, BlockKind.STEP) else 0,
    )


def _candidate_ranges(chunk: Chunk) -> Iterator[range]:
    """Yield, from each block on, as many whole blocks as fit; of a block that is too long, from each of its units
    on."""
    blocks = list(_split_blocks(chunk))
    for number, block in enumerate(blocks):
        if _count_characters(chunk, block) > MAX_EXCERPT_CHARACTERS:
            yield from (_fit_units(chunk, range(start, block.stop)) for start in block)
            continue
        stop = block.stop
        for other in blocks[number + 1 :]:
            if _count_characters(chunk, range(block.start, other.stop)) > MAX_EXCERPT_CHARACTERS:
                break
            stop = other.stop
        yield range(block.start, stop)


def _fit_units(chunk: Chunk, units: range) -> range:
    """Return the first of `units` that fit, at least one."""
    stop = units.start + 1
    while stop < units.stop and _count_characters(chunk, range(units.start, stop + 1)) <= MAX_EXCERPT_CHARACTERS:
        stop += 1
    return range(units.start, stop)


def _split_blocks(chunk: Chunk) -> Iterator[range]:
    """Yield paragraphs, lists, tables and code, each with its lead-in."""
    start = 0
    for index in range(1, len(chunk.units) + 1):
        if index == len(chunk.units) or _starts_new_part(chunk, index - 1, index):
            yield range(start, index)
            start = index


def _starts_new_part(chunk: Chunk, before: int, after: int) -> bool:
    """Tell whether another part of the document begins, other than one that the unit before leads in: its list, or the
    definition of a term."""
    unit, following = chunk.units[before], chunk.units[after]
    if unit.kind is BlockKind.HEADING:
        return False
    separate = (
        unit.part != following.part and following.parent != before if following.part else chunk.is_on_new_line(after)
    )
    return separate and not is_lead_in(chunk.text_at(before))


def _count_characters(chunk: Chunk, units: range) -> int:
    return chunk.units[units.stop - 1].end - chunk.units[units.start].start
