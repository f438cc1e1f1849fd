"""What a piece of text is on its page, and how the row of a table is one text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum


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
_BAR = re.compile(r"(?<!\S)\|(?!\S)")


def row_text(cells: Iterable[str]) -> str:
    """The cells of a table row as one text, from which `row_cells` gives them back: a bar that stands alone in
    a cell becomes `∣`."""
    return " | ".join([_BAR.sub("∣", cell) if "|" in cell else cell for cell in cells])


def row_cells(text: str) -> list[str]:
    """The cells of a table row that `row_text` made."""
    return text.split(" | ")


def row_named(row: str, header: str) -> str:
    """A table row to be read by itself, each cell behind the name of its column; empty where the columns of the
    `header` are not as many as the cells."""
    columns, cells = row_cells(header), row_cells(row)
    if len(columns) != len(cells):
        return ""
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(columns, cells, strict=True) if cell)
