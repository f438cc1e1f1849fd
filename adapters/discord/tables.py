"""Tables, which Discord does not have: aligned text where it is narrow, one line a row where it is not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from adapters.discord.markdown import clean, code, escape
from adapters.discord.split import Piece
from pipeline import wording
from pipeline.values import BlockKind, CitedSentence, row_cells

WIDTH = 56
"""Columns that a phone shows without breaking a line."""
BETWEEN = " · "
"""Between the cells of a row that is a line: cells have commas and semicolons of their own."""


def table(rows: Sequence[CitedSentence]) -> Iterator[Piece]:
    """The pieces of a header row and its rows; any of them may be missing."""
    cells = [[clean(cell) for cell in row_cells(f"{_warning(row)}{row.text}")] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*_even(cells), strict=True)]
    if sum(widths) + 3 * (len(widths) - 1) <= WIDTH:
        yield from _aligned(rows, _even(cells), widths)
    else:
        yield from _listed(rows, cells)


def _aligned(rows: Sequence[CitedSentence], cells: list[list[str]], widths: list[int]) -> Iterator[Piece]:
    gap = "\n\n"
    for row, line in zip(rows, cells, strict=True):
        text = " | ".join(cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True))
        yield Piece(code(f"{text}{_mark(row)}".rstrip()) or " ", gap, "")
        gap = "\n"
        if row.kind is BlockKind.HEADER:
            yield Piece("-+-".join("-" * width for width in widths) or "-", gap, "")


def _listed(rows: Sequence[CitedSentence], cells: list[list[str]]) -> Iterator[Piece]:
    header = cells[0] if rows[0].kind is BlockKind.HEADER and len(rows) > 1 else []
    gap = "\n\n"
    for row, line in list(zip(rows, cells, strict=True))[1 if header else 0 :]:
        named = [_named(name, cell) for name, cell in zip_longest(header, line, fillvalue="")]
        marked = f" {escape(_mark(row))}" if row.numbers else ""
        yield Piece(f"- {BETWEEN.join(named)}{marked}", gap)
        gap = "\n"


def _named(name: str, cell: str) -> str:
    return f"**{escape(name)}:** {escape(cell) or '–'}" if name else escape(cell) or "–"


def _even(cells: list[list[str]]) -> list[list[str]]:
    columns = max(map(len, cells))
    return [line + [""] * (columns - len(line)) for line in cells]


def _warning(row: CitedSentence) -> str:
    return "" if row.verified or row.kind is BlockKind.HEADER else f"{wording.UNVERIFIED}: "


def _mark(row: CitedSentence) -> str:
    return "  " + "".join(f"[{number}]" for number in row.numbers) if row.numbers else ""


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
