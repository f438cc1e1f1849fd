"""Rows of a table -> a table with its header."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from adapters.files.pdf.cells import FIGURE, Cells, is_figure, lone
from adapters.files.pdf.parts import Rule, Table
from adapters.files.pdf.scripts import backwards


def table_of(
    rows: list[Cells],
    page: int,
    x0: float,
    y: float,
    columns: Sequence[tuple[float, float]],
    rules: Sequence[Rule] = (),
) -> Table | None:
    rows = [row for row in rows if any(row)]
    kept = [n for n in range(len(columns)) if any(row[n] for row in rows)]
    rows = [[row[n] for n in kept] for row in rows]
    if len(kept) < 2 or not rows:
        return None
    if backwards("".join(line.text for row in rows for cell in row for line in cell)):
        rows = [row[::-1] for row in rows]
    header, named = _header(rows, rules)
    _span(rows[:header])
    texts = [[[line.text for line in cell] for cell in row] for row in rows]
    order = min(line.order for row in rows for cell in row for line in cell)
    spans = tuple(columns[n] for n in kept)
    return Table(texts, [page] * len(rows), header, named, page, x0, y, spans, order)


def _span(header: list[Cells]) -> None:
    """Gives a name that stands over several columns to each of them."""
    for above, below in itertools.pairwise(header):
        for column in range(1, len(above)):
            if not above[column] and below[column] and below[column - 1] and above[column - 1]:
                above[column] = above[column - 1]


def _header(rows: list[Cells], rules: Sequence[Rule]) -> tuple[int, bool]:
    """How many rows are the header - those in bold, or the first one - and whether that is told by how it looks."""
    if len(rows) < 2:
        return 0, False
    if len(rows) > 2 and _divided(rows[0], rows[1]):
        return 2, True
    bold = [all(line.style.bold for cell in row for line in cell) for row in rows]
    leading = bold.index(False) if False in bold else 1
    leading = next((n for n in range(1, leading) if rows[n][0] and lone(rows[n])), leading)
    if 0 < leading < len(rows) and leading <= 3:
        return leading, bold[0]
    firsts = [line for row in rows for line in row[0]]
    others = [line for row in rows for cell in row[1:] for line in cell]
    if firsts and all(line.style.bold for line in firsts) and not any(line.style.bold for line in others):
        return 0, False
    if all(row[0] and row[0][-1].text.endswith(":") for row in rows):
        return 0, False
    if all(is_figure(row[0]) for row in rows[:2]) and not _years(rows[0]):
        return 0, False
    figures = sum(map(is_figure, rows[0]))
    return int(figures < 2 or figures < len(rows[0]) / 2 or _years(rows[0])), False


def _divided(above: Cells, below: Cells) -> bool:
    """Whether one name stands over several names of columns."""
    pairs = itertools.pairwise(zip(above, below, strict=True))
    return any(a and b and a[0] is b[0] and c and d and c[0] is not d[0] for (a, c), (b, d) in pairs)


def _years(row: Cells) -> bool:
    figures = [cell[0].text for cell in row if cell and FIGURE.fullmatch(cell[0].text)]
    return all(re.fullmatch(r"(?:FY ?|Q[1-4] ?)?(?:19|20)\d\d", figure) for figure in figures)
