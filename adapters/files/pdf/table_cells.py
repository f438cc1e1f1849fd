"""Lines of a table as its rows and its header. Text that was drawn as one cell, or hangs below or above one, is one
cell."""

from __future__ import annotations

import itertools
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from statistics import median

from adapters.files.pdf.lines import is_right_to_left
from adapters.files.pdf.page_elements import FORM_ORDER, PdfLine, PdfTable, RulingLine

# --- Cells ----------------------------------------------------------------------------------------

NUMERIC_CELL = re.compile(r"[\W\d_]*\d[\W\d_]*(?:[a-zA-Z€$£%]{1,4})?")
LineCells = list[list[PdfLine]]
"""Row of a table: the lines in each of its cells."""


def merge_table_rows(rows: Sequence[LineCells], rules: Sequence[RulingLine]) -> list[LineCells]:
    """Merge lines of a table into its rows. Text that was drawn as one cell, or hangs below one, is one cell."""
    if _are_at_bottom(rows):
        return list(_move_below(rows))
    merged: list[LineCells] = []
    firsts = [_row_height(row) for row in rows if row[0]]
    pitch = median([a - b for a, b in itertools.pairwise(firsts)] or [100.0])
    owners = sorted(line.order for row in rows for line in row[0] if not line.style.is_ocr)
    for number, row in enumerate(rows):
        before = rows[number - 1] if number else None
        if before is not None and _continues_row(before, row, merged[-1], rules, pitch, owners):
            for cell, more in zip(merged[-1], row, strict=True):
                cell.extend(more)
        else:
            merged.append([list(cell) for cell in row])
    return merged


def is_single_cell(row: LineCells) -> bool:
    return sum(map(bool, row)) == 1


def _are_at_bottom(rows: Sequence[LineCells]) -> bool:
    """Return whether cells stand at the bottom of their row, as in a sheet: each lone text is nearer to the row below
    it."""
    begins = [
        _row_height(a) - _row_height(b)
        for a, b in itertools.pairwise(rows)
        if is_single_cell(b) and not is_single_cell(a)
    ]
    ends = [(a, b) for a, b in itertools.pairwise(rows) if is_single_cell(a) and not is_single_cell(b)]
    below = [_row_height(a) - _row_height(b) for a, b in ends]
    if not ends or not begins or min(begins) < max(below) + 0.5:
        return False
    columns = [(next(n for n, cell in enumerate(a) if cell), a, b) for a, b in ends]
    return all(b[n] and (n or b[n][0].text[:1].islower()) and not a[n][0].style.bold for n, a, b in columns)


def _move_below(rows: Sequence[LineCells]) -> Iterator[LineCells]:
    """Yield the rows with lone texts put into the row below them."""
    waiting: LineCells = [[] for _ in rows[0]]
    for row in rows:
        for cell, more in zip(waiting, row, strict=True):
            cell.extend(more)
        if not is_single_cell(row):
            yield waiting
            waiting = [[] for _ in row]
    if any(waiting):
        yield waiting


def _continues_row(
    before: LineCells,
    row: LineCells,
    above: LineCells,
    rules: Sequence[RulingLine],
    pitch: float,
    owners: Sequence[int],
) -> bool:
    """Return whether a row is more of the cells `above`, whose last line is `before`. Rows stand `pitch` apart, and
    their first cells begin at `owners` in the file."""
    upper, lower = _row_height(before), _row_height(row)
    if any(lower < rule.position < upper for rule in rules):
        return False
    drawn = max((line.order for cell in above for line in cell if line.order < FORM_ORDER), default=0)
    first_order = min((line.order for cell in row for line in cell), default=0)
    size = max(line.style.size for cell in row for line in cell)
    recognized = any(line.style.is_ocr for cell in row for line in cell)  # in an order that says nothing
    if row[0] and any(
        is_numeric_cell(a[:1]) and is_numeric_cell(b) for a, b in zip(above, row, strict=True) if a and b
    ):
        return False
    if first_order < drawn and not recognized:
        return True
    owner = bisect(owners, first_order) - 1
    if owner >= 0 and not row[0] and above[0] and owners[owner] > above[0][-1].order:
        return False
    if upper - lower < 0.9 * size:
        return True
    more = [(a, b) for a, b in zip(above, row, strict=True) if b]
    if row[0] or not all(a for a, _ in more) or any(is_numeric_cell(a[:1]) and is_numeric_cell(b) for a, b in more):
        return False
    broken = len(more) == 1 and not more[0][0][-1].text.endswith((".", "!", "?"))
    return upper - lower < (1.45 * size if broken else min(1.45 * size, 0.9 * pitch))


def is_numeric_cell(cell: Sequence[PdfLine]) -> bool:
    return bool(NUMERIC_CELL.fullmatch(" ".join(line.text for line in cell)))


def _row_height(row: LineCells) -> float:
    return min((line.y for cell in row for line in cell), default=0.0)


# --- Rows of a table -> a table with its header ---------------------------------------------------


def build_pdf_table(
    rows: list[LineCells],
    page: int,
    x0: float,
    y: float,
    columns: Sequence[tuple[float, float]],
    rules: Sequence[RulingLine] = (),
) -> PdfTable | None:
    rows = [row for row in rows if any(row)]
    filled = [n for n in range(len(columns)) if any(row[n] for row in rows)]
    rows = [[row[n] for n in filled] for row in rows]
    if len(filled) < 2 or not rows:
        return None
    if is_right_to_left("".join(line.text for row in rows for cell in row for line in cell)):
        rows = [row[::-1] for row in rows]
    header, has_named_header = _count_header(rows, rules)
    _spread_names(rows[:header])
    texts = [[[line.text for line in cell] for cell in row] for row in rows]
    order = min(line.order for row in rows for cell in row for line in cell)
    spans = tuple(columns[n] for n in filled)
    return PdfTable(texts, [page] * len(rows), header, has_named_header, page, x0, y, spans, order)


def _spread_names(header: list[LineCells]) -> None:
    """Copy a name that stands over several columns to each of them."""
    for above, below in itertools.pairwise(header):
        for column in range(1, len(above)):
            if not above[column] and below[column] and below[column - 1] and above[column - 1]:
                above[column] = above[column - 1]


def _count_header(rows: list[LineCells], rules: Sequence[RulingLine]) -> tuple[int, bool]:
    """Return the number of header rows - those in bold, or the first one - and whether their look shows it."""
    if len(rows) < 2:
        return 0, False
    if len(rows) > 2 and _is_grouped(rows[0], rows[1]):
        return 2, True
    bold = [all(line.style.bold for cell in row for line in cell) for row in rows]
    leading = bold.index(False) if False in bold else 1
    leading = next((n for n in range(1, leading) if rows[n][0] and is_single_cell(rows[n])), leading)
    if 0 < leading < len(rows) and leading <= 3:
        return leading, bold[0]
    firsts = [line for row in rows for line in row[0]]
    others = [line for row in rows for cell in row[1:] for line in cell]
    if firsts and all(line.style.bold for line in firsts) and not any(line.style.bold for line in others):
        return 0, False
    if all(row[0] and row[0][-1].text.endswith(":") for row in rows):
        return 0, False
    if all(is_numeric_cell(row[0]) for row in rows[:2]) and not _are_years(rows[0]):
        return 0, False
    figures = sum(map(is_numeric_cell, rows[0]))
    return int(figures < 2 or figures < len(rows[0]) / 2 or _are_years(rows[0])), False


def _is_grouped(above: LineCells, below: LineCells) -> bool:
    """Return whether one name stands over several names of columns."""
    pairs = itertools.pairwise(zip(above, below, strict=True))
    return any(a and b and a[0] is b[0] and c and d and c[0] is not d[0] for (a, c), (b, d) in pairs)


def _are_years(row: LineCells) -> bool:
    figures = [cell[0].text for cell in row if cell and NUMERIC_CELL.fullmatch(cell[0].text)]
    return all(re.fullmatch(r"(?:FY ?|Q[1-4] ?)?(?:19|20)\d\d", figure) for figure in figures)
