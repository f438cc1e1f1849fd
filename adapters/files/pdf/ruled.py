"""Tables of a page whose cells ruling lines enclose."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from adapters.files.pdf.cells import Cells, rowed
from adapters.files.pdf.grids import Grid, cells_of
from adapters.files.pdf.headers import table_of
from adapters.files.pdf.parts import Piece, Table


def ruled(grid: Grid, pieces: Sequence[Piece], page: int) -> Table | None:
    cells = cells_of(grid, pieces)
    if cells is None or (len(cells) == 1 and len(cells[0]) < 3):
        return None
    split: list[Cells] = []
    for row in cells:
        split.extend(_split(row) if len(cells) <= 3 else [row])
    return table_of(split, page, grid.xs[0], grid.ys[-1], list(itertools.pairwise(grid.xs)))


def _split(cells: Cells) -> list[Cells]:
    """What stands between two ruling lines as rows, where its lines were drawn one after another."""
    levels: list[tuple[float, Cells]] = []
    for line, column in sorted(((line, c) for c, cell in enumerate(cells) for line in cell), key=lambda one: -one[0].y):
        if not levels or levels[-1][0] - line.y > 0.35 * line.style.size:
            levels.append((line.y, [[] for _ in cells]))
        levels[-1][1][column].append(line)
    rows = [row for _, row in levels]
    first = next((n for n, cell in enumerate(cells) if cell), 0)
    if not all(row[first] for row in rows):
        return [cells]
    return [[[]] * first + row for row in rowed([row[first:] for row in rows], ())]
