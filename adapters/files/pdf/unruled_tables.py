"""Tables of a page without ruling lines, found by the columns in which their texts stand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.files.pdf.lines import has_dot_leaders
from adapters.files.pdf.page_elements import PdfLine, PdfTable, RulingLine
from adapters.files.pdf.table_cells import LineCells, build_pdf_table, merge_table_rows

# --- Where rows that may be a table begin and end -------------------------------------------------


def is_in_paragraph(rows: list[list[PdfLine]], start: int, end: int) -> bool:
    """Return whether a line above or below the rows has the same left and right ends: the text is justified."""
    left, right = rows[start][0].x0, max(line.x1 for row in rows[start:end] for line in row)
    around = [(rows[start - 1], rows[start])] if start else []
    around += [(rows[end - 1], rows[end])] if end < len(rows) else []
    return any(
        len(row) == 1
        and abs(row[0].x0 - left) < 3
        and abs(row[0].x1 - right) < 3
        and a[0].y - b[0].y < 1.8 * row[0].style.size
        for a, b in around
        for row in (a, b)
    )


def find_table_end(rows: list[list[PdfLine]], start: int, rules: Sequence[RulingLine]) -> int:
    """Return the end of rows of several texts, including the lone texts between them."""
    if not _has_several_texts(rows[start]):
        spans = (
            start + 1 < len(rows) and _has_several_texts(rows[start + 1]) and rows[start][0].x0 > rows[start + 1][0].x1
        )
        if not spans or rows[start][0].y - rows[start + 1][0].y > 2 * rows[start][0].style.size:
            return start
    end = last = start + 1
    starts = [line.x0 for line in rows[start]]
    while end < len(rows):
        above, row = rows[end - 1], rows[end]
        size = max(line.style.size for line in row)
        distance = above[0].y - row[0].y
        between_rules = any(row[0].y < rule.position < above[0].y for rule in rules)
        if distance > 3.4 * size and not between_rules:
            break
        if row[0].style.size > 1.25 * max(line.style.size for line in above):
            break
        if _has_several_texts(row) and distance > 1.4 * size and not _is_aligned(row, rows[start:end]):
            break
        if _has_several_texts(row):
            last = end + 1
            starts.extend(line.x0 for line in row)
        elif not _belongs_to_cell(
            row[0], above, rows[end + 1] if end + 1 < len(rows) else None, starts, distance, size
        ):
            break
        else:
            within = row[0].x0 > min(starts) + size or above[0].text.endswith("-")
            last = end + 1 if distance < 1.5 * size and within else last
        end += 1
    return last


def _is_aligned(row: list[PdfLine], above: list[list[PdfLine]]) -> bool:
    """Return whether at least half of a row's texts begin, end or are centred like one above."""
    places = [place for other in above for line in other for place in (line.x0, line.x1, (line.x0 + line.x1) / 2)]
    near = [
        any(abs(place - own) < 4 for place in places for own in (line.x0, line.x1, (line.x0 + line.x1) / 2))
        for line in row
    ]
    return 2 * sum(near) >= len(row)


def _belongs_to_cell(
    line: PdfLine, above: list[PdfLine], below: list[PdfLine] | None, starts: list[float], distance: float, size: float
) -> bool:
    """Return whether a lone text is the rest of a cell, or one cell of a row."""
    later = [start for start in starts if start > line.x0 + size]
    if later and line.x1 > min(later) + size:
        return False
    near = min(abs(line.x0 - start) for start in starts) < 2 or any(
        other.x0 - 2 <= line.x0 and line.x1 <= other.x1 + 2 for other in above
    )
    return near and (
        distance < 1.6 * size or (below is not None and _has_several_texts(below) and distance < 3.4 * size)
    )


def _has_several_texts(row: list[PdfLine]) -> bool:
    if len(row) < 2 or all(line.style.mono for line in row):
        return False
    return not any(has_dot_leaders(line.text) for line in row)


# --- Tables by the columns that the places of their texts make ------------------------------------

_NUMBER = re.compile(r"(\d[\d.,-]*)(?:\s+|$)")
_MAX_COLUMNS = 60
"""Columns of a table that are examined closely."""


def find_tables(
    rows: list[list[PdfLine]], rules: Sequence[RulingLine], page: int
) -> Iterator[list[PdfLine] | PdfTable]:
    """Yield the rows of a column of the page, with those that form a table as one."""
    start = 0
    while start < len(rows):
        end = find_table_end(rows, start, rules)
        is_prose = end - start < 2 or (end - start < 5 and is_in_paragraph(rows, start, end))
        table = None if is_prose else _build_table(rows[start:end], rules, page)
        if table:
            yield table
            start = end
        else:
            yield rows[start]
            start += 1


def _build_table(rows: list[list[PdfLine]], rules: Sequence[RulingLine], page: int) -> PdfTable | None:
    """Return a table whose columns no text of its rows crosses."""
    rows = _split_numbers(rows)
    several = [row for row in rows if len(row) > 1]
    if len(several) < 2:
        return None
    columns = _merge_header_columns(rows, _choose_columns(rows, several))
    own = [rule for rule in rules if rule.end > columns[0][0] and rule.start < columns[-1][1]]
    cells = [_assign_cells(row, columns) for row in rows]
    if all(sum(map(bool, row)) < 2 for row in cells):
        return None
    table_rows = merge_table_rows(cells, own)
    firsts = [row[0][0].text for row in table_rows if row[0]]
    if len(columns) == 2 and firsts and all(text.endswith(":") for text in firsts):
        return None
    size = rows[0][0].style.size
    narrow = min(b[0] - a[1] for a, b in itertools.pairwise(columns)) < size
    if len(table_rows) < 2 or _is_prose(table_rows, narrow=narrow):
        return None
    top = rows[0][0]
    table = build_pdf_table(table_rows, page, columns[0][0], top.y + top.style.size, columns, own)
    return table and replace(table, order=top.order)


def _split_numbers(rows: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Split right-aligned numbers in the first column from the left-aligned names in the second that they touch."""
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


def _choose_columns(rows: list[list[PdfLine]], several: list[list[PdfLine]]) -> list[tuple[float, float]]:
    """Return the columns of all rows, or of the rows with the most texts where a text spans several columns."""
    columns = _merge_extents([line for row in rows for line in row])
    for count in sorted({len(row) for row in several}, reverse=True):
        if count <= len(columns):
            break
        usual = [row for row in several if len(row) == count]
        own_columns = _merge_extents([line for row in usual for line in row])
        others = [line for row in several if len(row) != count for line in row]
        spanning = sum(len([1 for x0, x1 in own_columns if line.x0 < x1 and line.x1 > x0]) > 1 for line in others)
        if len(own_columns) == count and spanning <= (0.3 * len(others) + 1 if len(usual) > 1 else 0):
            return own_columns
    return columns


def _is_prose(rows: list[LineCells], *, narrow: bool) -> bool:
    """Return whether these are lines of text that happen to have wide gaps."""
    texts = [" ".join(line.text for line in cell) for row in rows for cell in row if cell]
    long = sum(map(len, texts)) / len(texts)
    return (len(rows) < 3 and long > (25 if narrow else 90)) or (narrow and len(rows) < 5 and long > 45)


def _merge_extents(lines: Sequence[PdfLine]) -> list[tuple[float, float]]:
    joined: list[tuple[float, float]] = []
    for x0, x1 in sorted((line.x0, line.x1) for line in lines):
        if joined and x0 < joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(x1, joined[-1][1])
        else:
            joined.append((x0, x1))
    return joined


def _merge_header_columns(rows: list[list[PdfLine]], columns: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Merge a column that holds only the name of the column beside it with that one: a name to the left above figures
    to the right."""
    if len(columns) > _MAX_COLUMNS:
        return columns
    occupied = [
        {n for n, row in enumerate(rows) if any(line.x0 < x1 and line.x1 > x0 for line in row)} for x0, x1 in columns
    ]
    for n, (own, other) in enumerate(itertools.pairwise(occupied)):
        if not own & other and {0} in (own, other) and len(own | other) > 2:
            return _merge_header_columns(rows, [*columns[:n], (columns[n][0], columns[n + 1][1]), *columns[n + 2 :]])
    return columns


def _assign_cells(row: list[PdfLine], columns: list[tuple[float, float]]) -> LineCells:
    """Return the cells of a row. A text that spans several columns stands in each of them."""
    cells: LineCells = [[] for _ in columns]
    for line in row:
        spanned = [n for n, (x0, x1) in enumerate(columns) if line.x0 < x1 and line.x1 > x0]
        if not spanned:
            spanned = [min(range(len(columns)), key=lambda n: abs(columns[n][0] - line.x0))]
        for column in spanned:
            cells[column].append(line)
    return cells


# --- Tables that go on over the end of a page -----------------------------------------------------


def join_split_tables(parts: list[PdfLine | PdfTable]) -> list[PdfLine | PdfTable]:
    """Join tables that continue over the end of a page, with their header once."""
    joined: list[PdfLine | PdfTable] = []
    for part in parts:
        last = joined[-1] if joined else None
        rows = _rows_in_columns(last, part) if isinstance(part, PdfTable) and isinstance(last, PdfTable) else None
        if isinstance(part, PdfTable) and isinstance(last, PdfTable) and rows:
            is_repeated = rows[: last.header] == last.rows[: last.header]
            first = last.header if is_repeated else 0
            if _continues_row(last.rows, rows[first:]):
                for cell, more in zip(last.rows[-1], rows[first], strict=True):
                    cell.extend(more)
                first += 1
            last.rows.extend(rows[first:])
            last.pages.extend(part.pages[first:])
        else:
            joined.append(part)
    return joined


def _rows_in_columns(last: PdfTable, part: PdfTable) -> list[list[list[str]]] | None:
    """Return the rows of a table in the columns of one that ends the page before, if it continues that one."""
    if part.page <= last.pages[-1] or len(part.columns) > len(last.columns):
        return None
    column_numbers = []
    for x0, x1 in part.columns:
        shared = [min(x1, end) - max(x0, start) for start, end in last.columns]
        column_numbers.append(shared.index(max(shared)))
        if max(shared) <= 0:
            return None
    if column_numbers != sorted(set(column_numbers)) or 2 * len(column_numbers) < len(last.columns):
        return None
    rows: list[list[list[str]]] = [[[] for _ in last.columns] for _ in part.rows]
    for row, cells in zip(rows, part.rows, strict=True):
        for column, cell in zip(column_numbers, cells, strict=True):
            row[column] = cell
    return None if part.has_named_header and rows[: part.header] != last.rows[: part.header] else rows


def _continues_row(rows: list[list[list[str]]], more: list[list[list[str]]]) -> bool:
    """Return whether the page ended within a row: the next one alone has no first cell, or begins within a sentence."""
    if not more or more[0][0] or not rows[-1][0]:
        return False
    pairs = [(cell[-1], rest[0]) for cell, rest in zip(rows[-1], more[0], strict=True) if cell and rest]
    if any(cell[-1:].isdigit() and rest[-1:].isdigit() for cell, rest in pairs):
        return False
    within = all(rest[:1].islower() or not cell.endswith((".", "!", "?")) for cell, rest in pairs)
    return bool(pairs) and (within or all(row[0] for row in rows))
