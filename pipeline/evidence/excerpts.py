"""What passages say about a question: whole paragraphs, lists, steps and table rows, as they stand there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.evidence.scored_units import ScoredUnit, UnitsByPassage
from pipeline.values import BlockKind, Chunk, DraftSentence, RetrievedChunk
from pipeline.words.text import is_lead_in

MAX_EXCERPT_CHARACTERS, CHARACTERS_PER_EXCERPT = 700, 500
"""Characters of one stretch, unless one unit alone is longer (a paragraph or two and what stands around them), and of
each that is shown, taken together."""
EXCERPT_PASSAGE_WEIGHT = 4.0
"""What the score of its passage counts for a stretch. With two stretches the gold of doc2dial, clapnq and squad2 is in
.656, .914 and .953 (at 1 in .620, .907 and .953); in the best one of each of the two best passages in .636, .874 and
.947."""
_ABOVE = frozenset({BlockKind.HEADING, BlockKind.HEADER})


@dataclass(frozen=True, slots=True)
class PassageExcerpt:
    """What is shown of one passage."""

    units: Sequence[ScoredUnit]
    """All of the passage."""
    unit_ranges: tuple[range, ...]
    """Those that are shown, in the order they are read."""
    excluded_units: frozenset[int] = frozenset()
    """Units that are about something else."""

    @property
    def passage(self) -> RetrievedChunk:
        return self.units[0].passage

    def sentences(self) -> list[DraftSentence]:
        """Its units as they are printed, with what opens them; no heading first or last: the path of its place has
        it."""
        chunk, told = self.passage.chunk, list[int]()
        for stretch in self.unit_ranges:
            opening = chunk.lead_in(stretch.start)
            led = [opening] if opening is not None and opening < stretch.start else []
            told += [index for index in (*led, *stretch) if index not in told and index not in self.excluded_units]
        while told and chunk.units[told[-1]].kind in _ABOVE:
            told.pop()
        while told and chunk.units[told[0]].kind is BlockKind.HEADING:
            told.pop(0)
        return [_said(chunk, index, before) for before, index in pairwise((None, *told)) if index is not None]


def select_excerpts(passages: UnitsByPassage, weights: Mapping[str, float], shown: int) -> list[PassageExcerpt]:
    """The `shown` stretches of `passages` that say most about the question, those of one passage together, the best
    passage first: of its words, which count as their `weights`, and of its meaning, that of the nearest sentence.
    Paragraphs at their ends that add nothing to that are left out, and what has no more room beside the best."""
    worths = [_worth(units, weights) for units in passages]
    ranked = [
        (EXCERPT_PASSAGE_WEIGHT * units[0].passage.score + worth, place, stretch)
        for place, units in enumerate(passages)
        for stretch in _stretches(units[0].passage.chunk)
        if (worth := worths[place](stretch)) > 0
    ]
    taken: dict[int, list[range]] = {}
    room = CHARACTERS_PER_EXCERPT * shown
    for _, place, stretch in sorted(ranked, key=lambda one: -one[0]):
        if sum(map(len, taken.values())) == shown:
            break
        chunk = passages[place][0].passage.chunk
        if any(stretch.start < other.stop and other.start < stretch.stop for other in taken.get(place, ())):
            continue
        part = _needed(chunk, stretch, worths[place])
        if not taken or _size(chunk, part) <= room:
            taken.setdefault(place, []).append(part)
            room -= _size(chunk, part)
    return [
        PassageExcerpt(passages[place], tuple(sorted(some, key=lambda one: one.start))) for place, some in taken.items()
    ]


def _needed(chunk: Chunk, stretch: range, worth: Callable[[range], float]) -> range:
    """The shortest run of its blocks that is worth as much, and does not end where something is led in."""
    edges = [stretch.start, *(block.start for block in _blocks(chunk) if block.start in stretch[1:]), stretch.stop]
    wanted, first, last = worth(stretch), 0, len(edges) - 1
    while last - first > 1 and worth(range(edges[first], edges[last - 1])) >= wanted:
        last -= 1
    while last - first > 1 and worth(range(edges[first + 1], edges[last])) >= wanted:
        first += 1
    while last < len(edges) - 1 and _leads(chunk, edges[last] - 1):
        last += 1
    return range(edges[first], edges[last])


def _leads(chunk: Chunk, index: int) -> bool:
    return chunk.units[index].kind in _ABOVE or is_lead_in(chunk.text_at(index))


def _worth(units: Sequence[ScoredUnit], weights: Mapping[str, float]) -> Callable[[range], float]:
    """What a stretch of a passage says of the question."""
    held = [one.term_layers[0].intersection(weights) for one in units]
    cosines = [one.cosine if one.can_answer else -1.0 for one in units]

    def worth(stretch: range) -> float:
        found = frozenset[str]().union(*held[stretch.start : stretch.stop])
        share = sum([weight for term, weight in weights.items() if term in found])
        return share + max(cosines[stretch.start : stretch.stop])

    return worth


def _said(chunk: Chunk, index: int, before: int | None) -> DraftSentence:
    unit = chunk.units[index]
    begins = before is None or before + 1 < index or _parted(chunk, before, index)
    return DraftSentence(
        text=chunk.text_at(index),
        kind=unit.kind,
        chunk_ids=(chunk.id,),
        opens=begins and (unit.kind is BlockKind.PROSE or before is None),
        number=unit.number,
        cells=chunk.cells_at(index) if unit.kind in (BlockKind.HEADER, BlockKind.ROW) else (),
        depth=chunk.list_depth(index) if unit.kind in (BlockKind.ITEM, BlockKind.STEP) else 0,
    )


def _stretches(chunk: Chunk) -> Iterator[range]:
    """From each block on as many whole ones as fit; of one that is too long, from each of its units on."""
    blocks = list(_blocks(chunk))
    for number, block in enumerate(blocks):
        if _size(chunk, block) > MAX_EXCERPT_CHARACTERS:
            yield from (_fitting(chunk, range(start, block.stop)) for start in block)
            continue
        stop = block.stop
        for other in blocks[number + 1 :]:
            if _size(chunk, range(block.start, other.stop)) > MAX_EXCERPT_CHARACTERS:
                break
            stop = other.stop
        yield range(block.start, stop)


def _fitting(chunk: Chunk, units: range) -> range:
    """The first of `units` that fit, at least one."""
    stop = units.start + 1
    while stop < units.stop and _size(chunk, range(units.start, stop + 1)) <= MAX_EXCERPT_CHARACTERS:
        stop += 1
    return range(units.start, stop)


def _blocks(chunk: Chunk) -> Iterator[range]:
    """Paragraphs, lists, tables and code, each with what leads it in."""
    start = 0
    for index in range(1, len(chunk.units) + 1):
        if index == len(chunk.units) or _parted(chunk, index - 1, index):
            yield range(start, index)
            start = index


def _parted(chunk: Chunk, before: int, after: int) -> bool:
    """Whether another part of the document begins, and not one that the unit before leads in: its list, or what a term
    means."""
    one, other = chunk.units[before], chunk.units[after]
    if one.kind is BlockKind.HEADING:
        return False
    parted = one.part != other.part and other.parent != before if other.part else chunk.is_on_new_line(after)
    return parted and not is_lead_in(chunk.text_at(before))


def _size(chunk: Chunk, units: range) -> int:
    return chunk.units[units.stop - 1].end - chunk.units[units.start].start
