"""What a piece of text is on its page, and how the row of a table is one text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import zip_longest
from typing import Any


class BlockKind(StrEnum):
    """What a piece of text is on its page."""

    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    STEP = "step"
    HEADER = "header"
    """The header row of a table."""
    ROW = "row"
    CODE = "code"


LISTED = frozenset({BlockKind.ITEM, BlockKind.STEP, BlockKind.ROW})
"""Entries of a list or a table."""
BAR = " | "
"""Between two cells in the text of a row."""
Cells = tuple[str, ...]


def row_text(cells: Iterable[str]) -> str:
    """The cells of a table row as one text; it does not say where they begin and end, `row_ends` does."""
    return BAR.join(cells)


def row_ends(cells: Iterable[str]) -> tuple[int, ...]:
    """Where each cell ends in the text of a row."""
    ends: list[int] = []
    for cell in cells:
        ends.append((ends[-1] + len(BAR) if ends else 0) + len(cell))
    return tuple(ends)


def row_spans(ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Where each cell stands in the text of a row; one that is below 0 is not there."""
    start = 0
    for end in ends:
        yield (start, end) if end >= 0 else (0, 0)
        start = end + len(BAR) if end >= 0 else start


def row_cells(text: str) -> Cells:
    """The cells of a row of which only the text is known."""
    return tuple(text.split(BAR))


def row_named(cells: Sequence[str], columns: Sequence[str]) -> str:
    """A table row to be read by itself, each cell behind the name of its column; empty where no column has one."""
    pairs = zip_longest(columns, cells, fillvalue="")
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell) if any(columns) else ""


def padded(cells: Sequence[str], columns: int) -> Cells:
    """With empty cells behind them, so that they are as many as the `columns`."""
    return (*cells, *[""] * (columns - len(cells)))


def with_cells(found: Any) -> Any:
    """What makes a sentence, with its `cells` where it is a row of which only the text is known."""
    row = isinstance(found, dict) and found.get("kind") in (BlockKind.ROW, BlockKind.HEADER) and not found.get("cells")
    return {**found, "cells": row_cells(found.get("text", ""))} if row else found
