"""Tables of Word as a grid: one text a column, spans filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from adapters.files.office.docx_xml import OFF, VALUE, Element, below, children, number, q, switch, value
from adapters.files.tables import Cell, filled

_ROW, _CELL = q("w:tr"), q("w:tc")
_ALONE, _GOES_ON, _BEGINS = 1, 0, -1
"""Kept as the `rows` of a cell until the grid is made: whether Word merges it with that above, or those below."""


class Row(NamedTuple):
    cells: list[Element]
    before: int
    after: int
    """Columns that it leaves out."""
    header: bool


def rows_of(table: Element) -> list[Row]:
    """Those that are shown."""
    found = []
    for row in children(table):
        properties = row.find(q("w:trPr"))
        if row.tag == _ROW and not any(below(properties, gone) is not None for gone in ("w:del", "w:hidden")):
            cells = [c for c in children(row) if c.tag == _CELL and below(c, "w:tcPr/w:cellDel") is None]
            before, after = (number(value(properties, f"w:grid{side}")) for side in ("Before", "After"))
            found.append(Row(cells, before, after, bool(switch(properties, "w:tblHeader"))))
    return found


def grid_of(rows: list[Row], cell_of: Callable[[Element], Cell]) -> list[list[Cell]]:
    """A table's cells."""
    return _merged(filled(_cells(row, cell_of) for row in rows))


def marked(table: Element, rows: list[Row]) -> int | None:
    """How many rows are marked as its header; 0 where its look has none, None where it does not say."""
    look = below(table, "w:tblPr/w:tblLook")
    plain = look is not None and look.get(q("w:firstRow"), "1") in OFF
    return next((place for place, row in enumerate(rows) if not row.header), 0) or (0 if plain else None)


def goes_on(table: Element) -> bool:
    """Whether Word shows it and the table above as one."""
    above = table.getprevious()
    return above is not None and above.tag == table.tag and _columns(above) == _columns(table) > 0


def _cells(row: Row, cell_of: Callable[[Element], Cell]) -> Iterator[Cell]:
    if row.before > 0:
        yield Cell("", row.before)
    held = Cell("")
    for cell in row.cells:
        properties = cell.find(q("w:tcPr"))
        merge, beside = below(properties, "w:vMerge"), below(properties, "w:hMerge")
        kind = _ALONE if merge is None else _BEGINS if merge.get(VALUE) == "restart" else _GOES_ON
        if beside is None or beside.get(VALUE) == "restart":
            held = cell_of(cell)._replace(strong=_is_bold(cell) or _is_shaded(properties))
        yield held._replace(columns=number(value(properties, "w:gridSpan"), 1), rows=kind)
    if row.after > 0:
        yield Cell("", row.after)


def _merged(grid: list[list[Cell]]) -> list[list[Cell]]:
    """With what a cell says in each below that it is merged with; one that claims so without need says its own."""
    for place, line in enumerate(grid):
        found: dict[int, Cell] = {}
        for column, cell in enumerate(line):
            if cell.rows == _BEGINS:
                last = place + 1
                while last < len(grid) and _reaches(grid[last], column):
                    last += 1
                held = found.setdefault(id(cell), cell._replace(rows=last - place))
                for one in grid[place:last]:
                    one[column] = held
    return grid


def _reaches(line: list[Cell], column: int) -> bool:
    return column < len(line) and line[column].rows == _GOES_ON


def _columns(table: Element) -> int:
    return len(table.findall(f"{q('w:tblGrid')}/{q('w:gridCol')}"))


def _is_bold(cell: Element) -> bool:
    """Whether all that it says is bold."""
    runs = [run for run in cell.iter(q("w:r")) if any(text.strip() for text in run.itertext(q("w:t")))]
    return bool(runs) and all(switch(below(run, "w:rPr"), "w:b") for run in runs)


def _is_shaded(properties: Element | None) -> bool:
    shade = below(properties, "w:shd")
    return shade is not None and (shade.get(q("w:fill")) or "auto").lower() not in {"auto", "ffffff"}
