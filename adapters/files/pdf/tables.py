"""Tables of a page: cells by the ruling lines around them, or by the columns that their places make."""

from __future__ import annotations

import itertools
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from adapters.files.pdf.grids import Grid, cells_of
from adapters.files.pdf.lines import CAPTION, led
from adapters.files.pdf.parts import TYPED, Line, Piece, Rule, Table
from adapters.files.pdf.scripts import backwards

_FIGURE = re.compile(r"[\W\d_]*\d[\W\d_]*(?:[a-zA-Z€$£%]{1,4})?")
_NUMBER = re.compile(r"(\d[\d.,-]*)(?:\s+|$)")
_MOST = 60
"""Columns of a table that are looked at closely."""
Cells = list[list[Line]]
"""A row: the lines in each of its cells."""


def ruled(grid: Grid, pieces: Sequence[Piece], page: int) -> Table | None:
    cells = cells_of(grid, pieces)
    if cells is None or (len(cells) == 1 and len(cells[0]) < 3):
        return None
    split: list[Cells] = []
    for row in cells:
        split.extend(_split(row) if len(cells) <= 3 else [row])
    return _table(split, page, grid.xs[0], grid.ys[-1], list(itertools.pairwise(grid.xs)))


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


def _lone(row: Cells) -> bool:
    return sum(map(bool, row)) == 1


def _at_bottom(rows: Sequence[Cells]) -> bool:
    """Whether cells stand at the bottom of their row, as in a sheet: each lone text is nearer to the row below it."""
    begins = [_height(a) - _height(b) for a, b in itertools.pairwise(rows) if _lone(b) and not _lone(a)]
    ends = [(a, b) for a, b in itertools.pairwise(rows) if _lone(a) and not _lone(b)]
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
        if not _lone(row):
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
    if row[0] and any(_is_figure(a[:1]) and _is_figure(b) for a, b in zip(above, row, strict=True) if a and b):
        return False
    if mine < drawn and not recognized:
        return True
    owner = bisect(owners, mine) - 1
    if owner >= 0 and not row[0] and above[0] and owners[owner] > above[0][-1].order:
        return False
    if upper - lower < 0.9 * size:
        return True
    more = [(a, b) for a, b in zip(above, row, strict=True) if b]
    if row[0] or not all(a for a, _ in more) or any(_is_figure(a[:1]) and _is_figure(b) for a, b in more):
        return False
    broken = len(more) == 1 and not more[0][0][-1].text.endswith((".", "!", "?"))
    return upper - lower < (1.45 * size if broken else min(1.45 * size, 0.9 * pitch))


def _is_figure(cell: Sequence[Line]) -> bool:
    return bool(_FIGURE.fullmatch(" ".join(line.text for line in cell)))


def _height(row: Cells) -> float:
    return min((line.y for cell in row for line in cell), default=0.0)


def placed(rows: list[list[Line]], rules: Sequence[Rule], page: int) -> Iterator[list[Line] | Table]:
    """Rows of a column of the page, those that make a table as one."""
    at = 0
    while at < len(rows):
        end = _run(rows, at, rules)
        is_prose = end - at < 2 or (end - at < 5 and _in_paragraph(rows, at, end))
        table = None if is_prose else _aligned(rows[at:end], rules, page)
        if table:
            yield table
            at = end
        else:
            yield rows[at]
            at += 1


def _in_paragraph(rows: list[list[Line]], at: int, end: int) -> bool:
    """Whether a line above or below them reaches from the same left to the same right edge: they are justified."""
    left, right = rows[at][0].x0, max(line.x1 for row in rows[at:end] for line in row)
    around = [(rows[at - 1], rows[at])] if at else []
    around += [(rows[end - 1], rows[end])] if end < len(rows) else []
    return any(
        len(row) == 1
        and abs(row[0].x0 - left) < 3
        and abs(row[0].x1 - right) < 3
        and a[0].y - b[0].y < 1.8 * row[0].style.size
        for a, b in around
        for row in (a, b)
    )


def _run(rows: list[list[Line]], at: int, rules: Sequence[Rule]) -> int:
    """Where rows of several texts, with what hangs in between, end."""
    if not _several(rows[at]):
        if CAPTION.match(rows[at][0].text):
            return at
        spans = at + 1 < len(rows) and _several(rows[at + 1]) and rows[at][0].x0 > rows[at + 1][0].x1
        if not spans or rows[at][0].y - rows[at + 1][0].y > 2 * rows[at][0].style.size:
            return at
    end = last = at + 1
    starts = [line.x0 for line in rows[at]]
    widest = 0.0
    while end < len(rows):
        above, row = rows[end - 1], rows[end]
        size = max(line.style.size for line in row)
        apart = above[0].y - row[0].y
        between_rules = any(row[0].y < rule.at < above[0].y for rule in rules)
        if apart > 3.4 * size and not between_rules:
            break
        anew = all(line.style.bold for line in row) and not any(line.style.bold for line in above)
        if anew and end - at > 1 and apart > 1.5 * max(widest, size):
            break
        if row[0].style.size > 1.25 * max(line.style.size for line in above):
            break
        widest = max(widest, apart)
        if _several(row) and apart > 1.4 * size and not _aligns(row, rows[at:end]):
            break
        if _several(row):
            last = end + 1
            starts.extend(line.x0 for line in row)
        elif not _hangs(row[0], above, rows[end + 1] if end + 1 < len(rows) else None, starts, apart, size):
            break
        else:
            within = row[0].x0 > min(starts) + size or above[0].text.endswith("-")
            last = end + 1 if apart < 1.5 * size and within else last
        end += 1
    return last


def _aligns(row: list[Line], above: list[list[Line]]) -> bool:
    """Whether at least half of its texts begin, end or are centred where one above does."""
    places = [place for one in above for line in one for place in (line.x0, line.x1, (line.x0 + line.x1) / 2)]
    near = [
        any(abs(place - mine) < 4 for place in places for mine in (line.x0, line.x1, (line.x0 + line.x1) / 2))
        for line in row
    ]
    return 2 * sum(near) >= len(row)


def _hangs(
    line: Line, above: list[Line], below: list[Line] | None, starts: list[float], apart: float, size: float
) -> bool:
    """Whether a lone text is the rest of a cell, or one cell of a row."""
    later = [start for start in starts if start > line.x0 + size]
    if later and line.x1 > min(later) + size:
        return False
    near = min(abs(line.x0 - start) for start in starts) < 2 or any(
        one.x0 - 2 <= line.x0 and line.x1 <= one.x1 + 2 for one in above
    )
    return near and (apart < 1.6 * size or (below is not None and _several(below) and apart < 3.4 * size))


def _several(row: list[Line]) -> bool:
    if len(row) < 2 or all(line.style.mono for line in row):
        return False
    return not any(led(line.text) for line in row)


def _aligned(rows: list[list[Line]], rules: Sequence[Rule], page: int) -> Table | None:
    """A table whose columns are what no text of its rows crosses."""
    rows = _numbers_apart(rows)
    several = [row for row in rows if len(row) > 1]
    if len(several) < 2:
        return None
    columns = _headed(rows, _told(rows, several))
    own = [rule for rule in rules if rule.end > columns[0][0] and rule.start < columns[-1][1]]
    cells = [_cells(row, columns) for row in rows]
    if all(sum(map(bool, row)) < 2 for row in cells):
        return None
    found = rowed(cells, own)
    firsts = [row[0][0].text for row in found if row[0]]
    if len(columns) == 2 and firsts and all(text.endswith(":") for text in firsts):
        return None
    size = rows[0][0].style.size
    narrow = min(b[0] - a[1] for a, b in itertools.pairwise(columns)) < size
    if len(found) < 2 or _prose(found, narrow=narrow):
        return None
    top = rows[0][0]
    table = _table(found, page, columns[0][0], top.y + top.style.size, columns, own)
    return table and replace(table, order=top.order)


def _numbers_apart(rows: list[list[Line]]) -> list[list[Line]]:
    """Numbers to the right in the first column, taken from the names to the left in the second that they touch."""
    alone = (row for row in rows if len(row) > 1 and _NUMBER.fullmatch(row[0].text))
    tight = next((row for row in alone if row[1].x0 - row[0].x1 < row[0].style.size), None)
    name, *others = tight or rows[0]
    then = others[0] if others else name
    before = [row[0] for row in rows[1:] if row[0].x0 < then.x0 - 1]
    left = min(row[0].x0 for row in rows[1:])
    if len(before) < 2 or not all(_NUMBER.match(line.text) for line in before):
        return rows
    if not tight and left < name.x0 + name.style.size:
        return rows
    split = [] if tight else rows[:1]
    for row in rows[len(split) :]:
        number = _NUMBER.match(row[0].text) if row[0].x0 < then.x0 - 1 else None
        if number is None:
            split.append(row)
            continue
        rest = row[0].text[number.end() :]
        own = replace(row[0], text=number.group(1), x0=name.x0, x1=name.x1)
        split.append([own, *([replace(row[0], text=rest, x0=then.x0)] if rest else []), *row[1:]])
    return split


def _told(rows: list[list[Line]], several: list[list[Line]]) -> list[tuple[float, float]]:
    """Columns by all rows; where a text reaches over several columns, by the rows that have the most texts."""
    columns = _columns([line for row in rows for line in row])
    for count in sorted({len(row) for row in several}, reverse=True):
        if count <= len(columns):
            break
        usual = [row for row in several if len(row) == count]
        found = _columns([line for row in usual for line in row])
        others = [line for row in several if len(row) != count for line in row]
        over = sum(len([1 for x0, x1 in found if line.x0 < x1 and line.x1 > x0]) > 1 for line in others)
        if len(found) == count and over <= (0.3 * len(others) + 1 if len(usual) > 1 else 0):
            return found
    return columns


def _prose(rows: list[Cells], *, narrow: bool) -> bool:
    """Whether these are lines of text that happen to have wide gaps."""
    texts = [" ".join(line.text for line in cell) for row in rows for cell in row if cell]
    long = sum(map(len, texts)) / len(texts)
    return (len(rows) < 3 and long > (25 if narrow else 90)) or (narrow and len(rows) < 5 and long > 45)


def _columns(found: Sequence[Line]) -> list[tuple[float, float]]:
    joined: list[tuple[float, float]] = []
    for x0, x1 in sorted((line.x0, line.x1) for line in found):
        if joined and x0 < joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(x1, joined[-1][1])
        else:
            joined.append((x0, x1))
    return joined


def _headed(rows: list[list[Line]], columns: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Columns of which one holds but the name of that beside it as one: a name to the left above figures to the
    right."""
    if len(columns) > _MOST:
        return columns
    held = [
        {n for n, row in enumerate(rows) if any(line.x0 < x1 and line.x1 > x0 for line in row)} for x0, x1 in columns
    ]
    for n, (mine, other) in enumerate(itertools.pairwise(held)):
        if not mine & other and {0} in (mine, other) and len(mine | other) > 2:
            return _headed(rows, [*columns[:n], (columns[n][0], columns[n + 1][1]), *columns[n + 2 :]])
    return columns


def _cells(row: list[Line], columns: list[tuple[float, float]]) -> Cells:
    """A text that reaches over several columns stands in each of them."""
    cells: Cells = [[] for _ in columns]
    for line in row:
        over = [n for n, (x0, x1) in enumerate(columns) if line.x0 < x1 and line.x1 > x0]
        if not over:
            over = [min(range(len(columns)), key=lambda n: abs(columns[n][0] - line.x0))]
        for column in over:
            cells[column].append(line)
    return cells


def _table(
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
    leading = next((n for n in range(1, leading) if rows[n][0] and _lone(rows[n])), leading)
    if 0 < leading < len(rows) and leading <= 3:
        return leading, bold[0]
    firsts = [line for row in rows for line in row[0]]
    others = [line for row in rows for cell in row[1:] for line in cell]
    if firsts and all(line.style.bold for line in firsts) and not any(line.style.bold for line in others):
        return 0, False
    if all(row[0] and row[0][-1].text.endswith(":") for row in rows):
        return 0, False
    if all(_is_figure(row[0]) for row in rows[:2]) and not _years(rows[0]):
        return 0, False
    figures = sum(map(_is_figure, rows[0]))
    return int(figures < 2 or figures < len(rows[0]) / 2 or _years(rows[0])), False


def _divided(above: Cells, below: Cells) -> bool:
    """Whether one name stands over several names of columns."""
    pairs = itertools.pairwise(zip(above, below, strict=True))
    return any(a and b and a[0] is b[0] and c and d and c[0] is not d[0] for (a, c), (b, d) in pairs)


def _years(row: Cells) -> bool:
    figures = [cell[0].text for cell in row if cell and _FIGURE.fullmatch(cell[0].text)]
    return all(re.fullmatch(r"(?:FY ?|Q[1-4] ?)?(?:19|20)\d\d", figure) for figure in figures)
