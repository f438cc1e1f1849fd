"""Tables of a page without ruling lines, by the columns that the places of their texts make."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.files.pdf.cells import Cells, rowed
from adapters.files.pdf.headers import table_of
from adapters.files.pdf.parts import Line, Rule, Table
from adapters.files.pdf.runs import in_paragraph, run_of

_NUMBER = re.compile(r"(\d[\d.,-]*)(?:\s+|$)")
_MOST = 60
"""Columns of a table that are looked at closely."""


def placed(rows: list[list[Line]], rules: Sequence[Rule], page: int) -> Iterator[list[Line] | Table]:
    """Rows of a column of the page, those that make a table as one."""
    at = 0
    while at < len(rows):
        end = run_of(rows, at, rules)
        is_prose = end - at < 2 or (end - at < 5 and in_paragraph(rows, at, end))
        table = None if is_prose else _aligned(rows[at:end], rules, page)
        if table:
            yield table
            at = end
        else:
            yield rows[at]
            at += 1


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
    table = table_of(found, page, columns[0][0], top.y + top.style.size, columns, own)
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
