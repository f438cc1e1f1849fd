"""The selection of the passages that one page shows, and of the part of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import escape

from pipeline.values import Chunk

BEFORE, AFTER = 4, 8
"""Passages that are loaded before and after the opened one."""
PAGE_TEXT_BYTES = 20_000
"""Bytes of escaped text on a page: with style and markup it stays below 60 kB, also with tables of short cells."""
_UNIT, _CELL = 16, 12
"""Bytes of markup around each unit and each cell."""


class VisiblePassage(NamedTuple):
    """A passage, and the range of its characters that is shown."""

    chunk: Chunk
    start: int
    end: int


def fit_passages(chunks: Sequence[Chunk], position: int) -> list[Chunk]:
    """Return as many of the adjacent `chunks` as fit around the one at `position`, which is always among them."""
    index = next(index for index, chunk in enumerate(chunks) if chunk.position == position)
    first, last, room = index, index, PAGE_TEXT_BYTES - _page_bytes(chunks[index])
    fits_after, fits_before = True, True
    while fits_after or fits_before:
        if fits_after := last + 1 < len(chunks) and (size := _page_bytes(chunks[last + 1])) <= room:
            last, room = last + 1, room - size
        if fits_before := first > 0 and (size := _page_bytes(chunks[first - 1])) <= room:
            first, room = first - 1, room - size
    return list(chunks[first : last + 1])


def trim_overlaps(chunks: Sequence[Chunk], position: int, begins: int) -> list[VisiblePassage]:
    """Cut the text that a passage repeats of the one before, so that it is shown once. The passage at `position` keeps
    it from `begins` on, where the cited words begin."""
    passages: list[VisiblePassage] = []
    for chunk in chunks:
        start = min(begins, chunk.overlap) if chunk.position == position else chunk.overlap
        repeated = chunk.text[start : chunk.overlap].rstrip()
        if repeated and passages and passages[-1].chunk.text.endswith(repeated):
            passages[-1] = passages[-1]._replace(end=len(passages[-1].chunk.text) - len(repeated))
        passages.append(VisiblePassage(chunk, start, len(chunk.text)))
    return passages


def _page_bytes(chunk: Chunk) -> int:
    cells = chunk.text.count(" | ")
    return len(str(escape(chunk.text)).encode("utf-8", "replace")) + _UNIT * len(chunk.units) + _CELL * cells
