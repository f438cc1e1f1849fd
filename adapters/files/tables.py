"""Tables of every format as a grid: one text a column in each row, a spanned cell's text in each cell that it spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.values import Link

MOST_COLUMNS = 1_000
"""Columns that spans may open: a cell may claim two billion."""
MOST_CELLS = 500_000
"""Cells that spans may fill in one table."""
_MOST_HEADER_ROWS = 3
_FEW, _SHORT = 2, 4
"""Lines in a cell that may be one sentence, words in a line that is none."""
BETWEEN = " - "
"""Stands between the rows of a header: `Limit - Seats`."""


class Cell(NamedTuple):
    text: str
    columns: int = 1
    rows: int = 1
    """How many columns and rows it spans."""
    links: tuple[Link, ...] = ()
    code: tuple[str, ...] = ()
    """The texts of its inline code, in order."""


def filled(rows: Iterable[Iterable[Cell]]) -> list[list[Cell]]:
    """Rows in which every spanned place has the cell that spans it. Rows may still differ in length; spans that reach
    beyond the table, or beyond `MOST_COLUMNS` or `MOST_CELLS`, are cut off."""
    return list(spread(rows))


def spread(rows: Iterable[Iterable[Cell]]) -> Iterator[list[Cell]]:
    """As `filled`, one row after the other."""
    open_below: dict[int, tuple[int, Cell]] = {}
    """By column: how many more rows a cell of above reaches into, and that cell."""
    room = MOST_CELLS
    for row in rows:
        line: list[Cell] = []

        def from_above(line: list[Cell] = line) -> None:
            while held := open_below.get(len(line)):
                left, cell = held
                if left > 1:
                    open_below[len(line)] = left - 1, cell
                else:
                    del open_below[len(line)]
                line.append(cell)

        for cell in row:
            if open_below:
                from_above()
            if cell.columns == 1 and cell.rows == 1:
                line.append(cell)
                continue
            for _ in range(max(1, min(cell.columns, MOST_COLUMNS - len(line), room))):
                if cell.rows > 1:
                    open_below[len(line)] = cell.rows - 1, cell
                line.append(cell)
                room -= 1
        if open_below:
            from_above()
        yield line


def side_by_side(row: list[Cell]) -> list[Cell]:
    """A row in which lines stay apart where as many stand in another of its cells, or many short ones."""
    lines = [[line.strip() for line in cell.text.split("\n") if line.strip()] for cell in row]
    counts = [len(held) for held in lines]

    def apart(held: list[str]) -> bool:
        short = len(held) > _FEW and all(len(line.split()) <= _SHORT for line in held)
        return short or (len(held) > 1 and counts.count(len(held)) > 1)

    return [cell._replace(text="; ".join(held)) if apart(held) else cell for cell, held in zip(row, lines, strict=True)]


def header_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Header rows as one: what stands in a column from top to bottom, what a span repeats once."""
    width = max(map(len, rows), default=0)
    columns = ([row[place].strip() for row in rows if place < len(row)] for place in range(width))
    return [BETWEEN.join(dict.fromkeys(filter(None, column))) for column in columns]


def captioned(rows: list[list[Cell]]) -> str:
    """Take the first row out of a table where it is one cell over all columns, and say its text."""
    alone = len(rows) > _MOST_HEADER_ROWS - 1 and len(rows[0]) == 1 and rows[0][0].columns > 1
    return rows.pop(0)[0].text if alone else ""


def header_rows(rows: Sequence[Sequence[Cell]], named: bool | None) -> int:
    """How many rows of a table are its header, which its document says it has or not; None where it does not say. Then
    words above figures are one."""
    if not rows or not rows[0]:
        return 0
    if named is None:
        words = len(rows[0]) > 1 and all(cell.text.strip() and not _figures(cell) for cell in rows[0])
        corner = (
            not rows[0][0].text.strip() and len(rows[0]) > 1 and all(row and row[0].text.strip() for row in rows[1:])
        )
        two = any(cell.columns > 1 for cell in rows[0]) and len(rows) > _MOST_HEADER_ROWS - 1
        two = two and not any(map(_figures, rows[1])) and any(_figures(cell) for row in rows[2:] for cell in row)
        named = corner or two or (words and any(_figures(cell) for row in rows[1:] for cell in row))
    if not named or len(rows) < _MOST_HEADER_ROWS - 1:
        return int(named)
    parts = any(cell.columns > 1 for cell in rows[0]) and not any(map(_figures, rows[1]))
    deep = any(cell.rows > 1 for cell in rows[0]) or any(not cell.text.strip() for cell in rows[1])
    return min(max(2, *(cell.rows for cell in rows[0])), _MOST_HEADER_ROWS) if parts and deep else 1


def _figures(cell: Cell) -> bool:
    return any(map(str.isdigit, cell.text))
