"""Tables of every format as a grid: one text a column in each row, a spanned cell's text in each cell that it spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.values import Link

MAX_COLUMNS = 1_000
"""Columns that spans may open: a cell may claim two billion."""
MAX_CELLS = 500_000
"""Cells that spans may fill in one table."""
HEADER_SEPARATOR = " - "
"""Separator between the rows of a header: `Limit - Seats`."""
_BROKEN = re.compile(r"(?<=[\w)%])[^\S\n]*\n\s*(?=\w)")


class Cell(NamedTuple):
    text: str
    column_span: int = 1
    row_span: int = 1
    """Rows that it spans, like `column_span` for columns."""
    links: tuple[Link, ...] = ()
    code: tuple[str, ...] = ()
    """Texts of its inline code, in order."""
    is_emphasized: bool = False
    """True where all its text is bold or coloured."""


def fill_spans(rows: Iterable[Iterable[Cell]]) -> list[list[Cell]]:
    """Return rows in which every spanned place has the cell that spans it. Rows may still differ in length. Spans
    beyond the table, MAX_COLUMNS or MAX_CELLS are cut off."""
    return list(iter_filled_rows(rows))


def iter_filled_rows(rows: Iterable[Iterable[Cell]]) -> Iterator[list[Cell]]:
    """Yield rows like `fill_spans`, one after the other."""
    open_below: dict[int, tuple[int, Cell]] = {}
    """Number of further rows that a cell from above spans, and that cell, by column."""
    room = MAX_CELLS
    for row in rows:
        line: list[Cell] = []

        def from_above(line: list[Cell] = line) -> None:
            while span := open_below.get(len(line)):
                rows_left, cell = span
                if rows_left > 1:
                    open_below[len(line)] = rows_left - 1, cell
                else:
                    del open_below[len(line)]
                line.append(cell)

        for cell in row:
            if open_below:
                from_above()
            if cell.column_span == 1 and cell.row_span == 1:
                line.append(cell)
                continue
            for _ in range(max(1, min(cell.column_span, MAX_COLUMNS - len(line), room))):
                if cell.row_span > 1:
                    open_below[len(line)] = cell.row_span - 1, cell
                line.append(cell)
                room -= 1
        if open_below:
            from_above()
        yield line


def merge_header_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    """Merge header rows into one: the texts of each column from top to bottom, repeated ones once."""
    width = max(map(len, rows), default=0)
    columns = ([row[index].strip() for row in rows if index < len(row)] for index in range(width))
    return [HEADER_SEPARATOR.join(dict.fromkeys(filter(None, column))) for column in columns]


def split_row_lines(row: Sequence[Cell]) -> list[list[Cell]]:
    """Split a table row into the lines that people typed beside each other, if figures are among them. Otherwise return
    it as one row."""
    lines = [cell.text.split("\n") for cell in row]
    level = len(row) > 1 and len(set(map(len, lines))) == 1
    if level and any(all(any(map(str.isdigit, line)) for line in column) for column in lines):
        beside = zip(*lines, strict=True)
        return [[cell._replace(text=text) for cell, text in zip(row, texts, strict=True)] for texts in beside]
    return [
        [cell._replace(text=_BROKEN.sub(_line_separator, cell.text)) if "\n" in cell.text else cell for cell in row]
    ]


def _line_separator(between: re.Match[str]) -> str:
    """Return the separator of two lines of a cell: a blank where a sentence continues."""
    following = between.string[between.end()]
    return "; " if following.isupper() or following.isdigit() else " "
