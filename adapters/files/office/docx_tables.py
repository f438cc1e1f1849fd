"""Tables of Word as a grid: one text a column, spans filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from adapters.files.office.docx_xml import OFF, VALUE, Element, below, children, number, q, switch, value
from adapters.files.tables import MOST_CELLS, Cell, filled

_ROW, _CELL = q("w:tr"), q("w:tc")
_SAID = re.compile(
    r"@|\A\W*(?:yes|no|ja|nein|oui|non|sí|sì|[☐☑☒✓✗])\W*\Z|\d(?<!\b(?:19|20)\d\d\b)|.{80}", re.IGNORECASE | re.DOTALL
)
"""What no name of a column says."""
_SENTENCE = re.compile(r"\w{3,} \w.{20,}\.\s*\Z", re.DOTALL)
_TAIL = 200
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


def grid_of(table: Element, rows: list[Row], cell_of: Callable[[Element], Cell]) -> tuple[str, list[list[Cell]], int]:
    """A table's caption, which is a first row of one cell; its cells; and how many rows name the columns, as it is
    marked or else looks."""
    lines = [list(_cells(row, cell_of)) for row in rows]
    marked = next((place for place, row in enumerate(rows) if not row.header), len(rows))
    grid = _merged(filled(lines))
    width = max(map(len, grid), default=0)
    caption = ""
    if len(grid) > 2 and len(lines[0]) == 1 and len(grid[0]) == width > 1:
        caption, marked = grid[0][0].text, marked - 1
        del grid[0], lines[0], rows[0]
    if width * len(grid) <= MOST_CELLS:
        grid = [[*line, *[Cell("")] * (width - len(line))] for line in grid]
    if not 0 < marked < len(grid):
        marked = min(_names(lines), len(grid) - 1) if _is_headed(table, rows, grid) else 0
    return caption, grid, marked


def _cells(row: Row, cell_of: Callable[[Element], Cell]) -> Iterator[Cell]:
    if row.before > 0:
        yield Cell("", row.before)
    held = Cell("")
    for cell in row.cells:
        properties = cell.find(q("w:tcPr"))
        merge, beside = below(properties, "w:vMerge"), below(properties, "w:hMerge")
        kind = _ALONE if merge is None else _BEGINS if merge.get(VALUE) == "restart" else _GOES_ON
        if beside is None or beside.get(VALUE) == "restart":
            held = cell_of(cell)
        yield held._replace(columns=number(value(properties, "w:gridSpan"), 1), rows=kind)
    if row.after > 0:
        yield Cell("", row.after)


def _names(lines: list[list[Cell]]) -> int:
    """Rows of a header: two where all of the first spans columns, or rows, or is empty."""
    first = lines[0]
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


def _is_headed(table: Element, rows: list[Row], grid: list[list[Cell]]) -> bool:
    """Whether the first row names the columns: not where the bold ones are the names of rows, where the table's look
    has no header, where it starts with a figure as all below it do, or holds a sentence."""
    if not grid[0][0].text.strip() or all(map(_is_bold, rows[0].cells)):
        return True
    above = table.getprevious()
    if above is not None and above.tag == table.tag and _columns(above) == _columns(table) > 0:
        return False  # Word shows the two as one
    look = below(table, "w:tblPr/w:tblLook")
    plain = look is not None and look.get(q("w:firstRow"), "1") in OFF
    figures = all(line[0].text.strip()[:1].isdigit() for line in grid)
    sentences = any(_SENTENCE.search(cell.text[-_TAIL:]) for cell in grid[0])
    return not (plain or figures or sentences or (len(grid[0]) == 2 and _is_pair(rows, *grid[0])))


def _is_pair(rows: list[Row], name: Cell, said: Cell) -> bool:
    """Whether a row of two cells says something of what it names, and names no columns."""
    asks = name.text.rstrip().endswith((":", "?"))
    says = bool(_SAID.search(said.text)) and not any(map(str.isdigit, name.text))
    return asks or says or all(_is_bold(row.cells[0]) for row in rows if row.cells)


def _columns(table: Element) -> int:
    return len(table.findall(f"{q('w:tblGrid')}/{q('w:gridCol')}"))


def _is_bold(cell: Element) -> bool:
    """Whether all that it says is bold."""
    runs = [run for run in cell.iter(q("w:r")) if any(text.strip() for text in run.itertext(q("w:t")))]
    return bool(runs) and all(switch(below(run, "w:rPr"), "w:b") for run in runs)
