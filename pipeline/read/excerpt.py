"""What a passage says around one of its units: whole paragraphs, lists, steps and table rows, as they stand there."""

from __future__ import annotations

from itertools import pairwise

from pipeline.read import layout
from pipeline.read.evidence import Candidate
from pipeline.values import BlockKind, Chunk, Sentence

EXCERPT = 700
"""Characters of an excerpt, unless one unit alone is longer: a paragraph or two and what stands around them."""
_ABOVE = frozenset({BlockKind.HEADING, BlockKind.HEADER})


def excerpt(best: Candidate) -> list[Sentence]:
    """The block that `best` stands in, with what opens it, and the blocks below and above it that fit."""
    chunk = best.passage.chunk
    taken = _grown(chunk, best.index)
    opening = layout.opening(chunk, best.index)
    led = [opening] if opening is not None and opening < taken.start else []
    told = [*led, *taken]
    while told and chunk.units[told[-1]].kind in _ABOVE:
        told.pop()
    return [_said(chunk, index, before) for before, index in pairwise((None, *told)) if index is not None]


def _said(chunk: Chunk, index: int, before: int | None) -> Sentence:
    unit = chunk.units[index]
    begins = before is None or _parted(chunk, before, index)
    return Sentence(
        text=layout.text_of(chunk, index),
        kind=unit.kind,
        chunk_ids=(chunk.id,),
        opens=begins and (unit.kind is BlockKind.PROSE or before is None),
    )


def _grown(chunk: Chunk, index: int) -> range:
    """The units around `index` that fit: first of its own block, then block by block."""
    block = _block(chunk, index)
    own = _fitting(chunk, range(index, index + 1), block)
    if own != block:
        return own
    while True:
        below = range(own.start, _block(chunk, own.stop).stop) if own.stop < len(chunk.units) else own
        above = range(_block(chunk, own.start - 1).start, own.stop) if own.start else own
        wider = next((one for one in (below, above) if one != own and _size(chunk, one) <= EXCERPT), own)
        if wider == own:
            return own
        own = wider


def _fitting(chunk: Chunk, own: range, block: range) -> range:
    """Of `block` what fits, its beginning left out first."""
    while own.stop < block.stop and _size(chunk, range(own.start, own.stop + 1)) <= EXCERPT:
        own = range(own.start, own.stop + 1)
    while own.start > block.start and _size(chunk, range(own.start - 1, own.stop)) <= EXCERPT:
        own = range(own.start - 1, own.stop)
    return own


def _block(chunk: Chunk, index: int) -> range:
    """The paragraph, list, table or code that a unit stands in: what no blank line parts."""
    start = stop = index
    while start and not _parted(chunk, start - 1, start):
        start -= 1
    while stop + 1 < len(chunk.units) and not _parted(chunk, stop, stop + 1):
        stop += 1
    return range(start, stop + 1)


def _parted(chunk: Chunk, before: int, after: int) -> bool:
    """Whether a blank line, or the edge of a block of code, stands between two units."""
    one, other = chunk.units[before], chunk.units[after]
    lines = chunk.text[one.end : other.start].split("\n")
    return any(not line.strip() for line in lines[1:-1]) or BlockKind.CODE in (one.kind, other.kind)


def _size(chunk: Chunk, units: range) -> int:
    return chunk.units[units.stop - 1].end - chunk.units[units.start].start
