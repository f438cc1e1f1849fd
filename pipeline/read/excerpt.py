"""What a passage says about a question: whole paragraphs, lists, steps and table rows, as they stand there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from pipeline.read.evidence import Candidate
from pipeline.values import BlockKind, Chunk, Sentence
from pipeline.words.text import leads_in

EXCERPT = 700
"""Characters of an excerpt, unless one unit alone is longer: a paragraph or two and what stands around them."""
_ABOVE = frozenset({BlockKind.HEADING, BlockKind.HEADER})


def excerpt(units: Sequence[Candidate], weights: Mapping[str, float]) -> list[Sentence]:
    """The stretch of a passage that says most about the question, with what opens it: of its words, which count as
    their `weights`, and of its meaning, that of the nearest sentence. Paragraphs at its ends that add nothing to that
    are left out. Of 19 questions of newcomers that were declined it holds the facts of 10, what stands around the best
    sentence of 8."""
    chunk = units[0].passage.chunk

    def worth(stretch: range) -> float:
        return _worth(units[stretch.start : stretch.stop], weights)

    taken = _needed(chunk, max(_stretches(chunk), key=worth), worth)
    opening = chunk.opening(taken.start)
    led = [opening] if opening is not None and opening < taken.start else []
    told = [*led, *taken]
    while told and chunk.units[told[-1]].kind in _ABOVE:
        told.pop()
    while told and chunk.units[told[0]].kind is BlockKind.HEADING:  # the path of its place ends with it
        told.pop(0)
    return [_said(chunk, index, before) for before, index in pairwise((None, *told)) if index is not None]


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
    return chunk.units[index].kind in _ABOVE or leads_in(chunk.text_of(index))


def _worth(units: Sequence[Candidate], weights: Mapping[str, float]) -> float:
    held = frozenset[str]().union(*(one.near[0] for one in units))
    share = sum([weight for term, weight in weights.items() if term in held])
    return share + max((one.cosine for one in units if one.says), default=-1.0)


def _said(chunk: Chunk, index: int, before: int | None) -> Sentence:
    unit = chunk.units[index]
    begins = before is None or _parted(chunk, before, index)
    return Sentence(
        text=chunk.text_of(index),
        kind=unit.kind,
        chunk_ids=(chunk.id,),
        opens=begins and (unit.kind is BlockKind.PROSE or before is None),
        number=unit.number,
    )


def _stretches(chunk: Chunk) -> Iterator[range]:
    """From each block on as many whole ones as fit; of one that is too long, from each of its units on."""
    blocks = list(_blocks(chunk))
    for number, block in enumerate(blocks):
        if _size(chunk, block) > EXCERPT:
            yield from (_fitting(chunk, range(start, block.stop)) for start in block)
            continue
        stop = block.stop
        for other in blocks[number + 1 :]:
            if _size(chunk, range(block.start, other.stop)) > EXCERPT:
                break
            stop = other.stop
        yield range(block.start, stop)


def _fitting(chunk: Chunk, units: range) -> range:
    """The first of `units` that fit, at least one."""
    stop = units.start + 1
    while stop < units.stop and _size(chunk, range(units.start, stop + 1)) <= EXCERPT:
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
    """Whether another part of the document begins, and not the one that the unit before leads in."""
    one, other = chunk.units[before], chunk.units[after]
    if one.kind is BlockKind.HEADING:
        return False
    return one.part != other.part and other.parent != before if other.part else chunk.apart(after)


def _size(chunk: Chunk, units: range) -> int:
    return chunk.units[units.stop - 1].end - chunk.units[units.start].start
