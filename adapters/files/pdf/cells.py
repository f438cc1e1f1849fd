"""Lines of a table -> its rows: what was drawn as one cell, or hangs below or above one, is one cell."""

from __future__ import annotations

import itertools
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from statistics import median

from adapters.files.pdf.parts import TYPED, Line, Rule

FIGURE = re.compile(r"[\W\d_]*\d[\W\d_]*(?:[a-zA-Z€$£%]{1,4})?")
Cells = list[list[Line]]
"""A row: the lines in each of its cells."""


def rowed(rows: Sequence[Cells], rules: Sequence[Rule]) -> list[Cells]:
    """Lines of a table as its rows: what was drawn as one cell, or hangs below one, is one cell."""
    if _at_bottom(rows):
        return list(_hung_below(rows))
    found: list[Cells] = []
    firsts = [_height(row) for row in rows if row[0]]
    pitch = median([a - b for a, b in itertools.pairwise(firsts)] or [100.0])
    owners = sorted(line.order for row in rows for line in row[0] if not line.style.recognized)
    for number, row in enumerate(rows):
        before = rows[number - 1] if number else None
        if before is not None and _goes_on(before, row, found[-1], rules, pitch, owners):
            for cell, more in zip(found[-1], row, strict=True):
                cell.extend(more)
        else:
            found.append([list(cell) for cell in row])
    return found


def lone(row: Cells) -> bool:
    return sum(map(bool, row)) == 1


def _at_bottom(rows: Sequence[Cells]) -> bool:
    """Whether cells stand at the bottom of their row, as in a sheet: each lone text is nearer to the row below it."""
    begins = [_height(a) - _height(b) for a, b in itertools.pairwise(rows) if lone(b) and not lone(a)]
    ends = [(a, b) for a, b in itertools.pairwise(rows) if lone(a) and not lone(b)]
    below = [_height(a) - _height(b) for a, b in ends]
    if not ends or not begins or min(begins) < max(below) + 0.5:
        return False
    columns = [(next(n for n, cell in enumerate(a) if cell), a, b) for a, b in ends]
    return all(b[n] and (n or b[n][0].text[:1].islower()) and not a[n][0].style.bold for n, a, b in columns)


def _hung_below(rows: Sequence[Cells]) -> Iterator[Cells]:
    """Lone texts in the row below them."""
    held: Cells = [[] for _ in rows[0]]
    for row in rows:
        for cell, more in zip(held, row, strict=True):
            cell.extend(more)
        if not lone(row):
            yield held
            held = [[] for _ in row]
    if any(held):
        yield held


def _goes_on(
    before: Cells, row: Cells, above: Cells, rules: Sequence[Rule], pitch: float, owners: Sequence[int]
) -> bool:
    """Whether a row is more of the cells `above`, of which `before` is the last line; rows stand `pitch` apart, and
    their first cells begin at `owners` in the file."""
    upper, lower = _height(before), _height(row)
    if any(lower < rule.at < upper for rule in rules):
        return False
    drawn = max((line.order for cell in above for line in cell if line.order < TYPED), default=0)
    mine = min((line.order for cell in row for line in cell), default=0)
    size = max(line.style.size for cell in row for line in cell)
    recognized = any(line.style.recognized for cell in row for line in cell)  # in an order that says nothing
    if row[0] and any(is_figure(a[:1]) and is_figure(b) for a, b in zip(above, row, strict=True) if a and b):
        return False
    if mine < drawn and not recognized:
        return True
    owner = bisect(owners, mine) - 1
    if owner >= 0 and not row[0] and above[0] and owners[owner] > above[0][-1].order:
        return False
    if upper - lower < 0.9 * size:
        return True
    more = [(a, b) for a, b in zip(above, row, strict=True) if b]
    if row[0] or not all(a for a, _ in more) or any(is_figure(a[:1]) and is_figure(b) for a, b in more):
        return False
    broken = len(more) == 1 and not more[0][0][-1].text.endswith((".", "!", "?"))
    return upper - lower < (1.45 * size if broken else min(1.45 * size, 0.9 * pitch))


def is_figure(cell: Sequence[Line]) -> bool:
    return bool(FIGURE.fullmatch(" ".join(line.text for line in cell)))


def _height(row: Cells) -> float:
    return min((line.y for cell in row for line in cell), default=0.0)
