"""Tables of Word as a grid: one text a column, spans filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from adapters.files.office.docx_xml import VALUE, Element, below, children, number, q, switch, value
from adapters.files.tables import MOST_CELLS, Cell, filled

_ROW, _CELL = q("w:tr"), q("w:tc")
_ALONE, _GOES_ON, _BEGINS = 1, 0, -1
"""Kept as the `rows` of a cell until the grid is made: whether Word merges it with that above, or those below."""


class Row(NamedTuple):
    cells: list[Element]
    before: int
    after: int
    """Columns that it leaves out."""
    header: bool


class Grid(NamedTuple):
    caption: str
    """The text of a first row that is one cell."""
    rows: list[list[str]]
    header: int
    """How many of them name the columns."""


def rows_of(table: Element) -> Iterator[Row]:
    """Those that are shown."""
    for row in children(table):
        properties = row.find(q("w:trPr"))
        if row.tag == _ROW and not any(below(properties, gone) is not None for gone in ("w:del", "w:hidden")):
            cells = [c for c in children(row) if c.tag == _CELL and below(c, "w:tcPr/w:cellDel") is None]
            before, after = (number(value(properties, f"w:grid{side}")) for side in ("Before", "After"))
            yield Row(cells, before, after, bool(switch(properties, "w:tblHeader")))


def grid_of(rows: list[Row], text_of: Callable[[Element], str]) -> Grid:
    """The texts of a table; a header that nobody marked is its first row, or the two that are merged with each
    other."""
    lines = [list(_cells(row, text_of)) for row in rows]
    marked = next((place for place, row in enumerate(rows) if not row.header), len(rows))
    names = _names(lines)
    grid = _merged(filled(lines))
    width = max(map(len, grid), default=0)
    caption = ""
    if len(grid) > 2 and len(lines[0]) == 1 and len(grid[0]) == width > 1:
        caption, marked, names = grid[0][0].text, marked - 1, _names(lines[1:])
        del grid[0]
    if width * len(grid) <= MOST_CELLS:
        grid = [[*line, *[Cell("")] * (width - len(line))] for line in grid]
    header = marked if 0 < marked < len(grid) else min(names, len(grid) - 1)
    return Grid(caption, [[cell.text for cell in line] for line in grid], header)


def _cells(row: Row, text_of: Callable[[Element], str]) -> Iterator[Cell]:
    if row.before > 0:
        yield Cell("", row.before)
    for cell in row.cells:
        properties = cell.find(q("w:tcPr"))
        merge = below(properties, "w:vMerge")
        kind = _ALONE if merge is None else _BEGINS if merge.get(VALUE) == "restart" else _GOES_ON
        yield Cell(text_of(cell), number(value(properties, "w:gridSpan"), 1), kind)
    if row.after > 0:
        yield Cell("", row.after)


def _names(lines: list[list[Cell]]) -> int:
    """Rows of a header that nobody marked: two where all of the first spans columns, or rows, or is empty."""
    first = lines[0] if lines else []
    wide = any(cell.columns > 1 and cell.text.strip() for cell in first)
    two = wide and all(cell.columns > 1 or cell.rows == _BEGINS or not cell.text.strip() for cell in first)
    return 2 if two and len(first) > 1 and len(lines) > 2 else 1


def _merged(grid: list[list[Cell]]) -> list[list[Cell]]:
    """With what a cell above says in each that it is merged with; one that claims so without need says its own."""
    above: list[Cell] = []
    for line in grid:
        for place, cell in enumerate(line):
            if cell.rows == _GOES_ON and place < len(above) and above[place].rows != _ALONE:
                line[place] = above[place]
        above = line
    return grid
