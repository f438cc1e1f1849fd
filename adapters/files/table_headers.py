"""The header of a table, by its format and the look of its first rows, alike for all formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from adapters.files.table_grid import Cell

_MAX_HEADER_ROWS = 4
"""Rows that a header may have."""
_ROWS_COMPARED = 3
"""Rows below a header that repeat none of its names."""
HEADER_SCAN_ROWS = 50
"""Rows of a table that are examined."""
_VALUE = re.compile(r"[-+(]?[.,:/ €$£%-]*+\d[\d.,:/ €$£%)-]*")
_PERIOD = re.compile(
    r"(?:FY|CY|Q[1-4]|H[12]|[^\W\d_]{3,9}\.?)?[-' /]*(?:19|20)\d\d(?:[-/](?:\d\d|Q[1-4]|H[12]))?"
    r"|\d\d?[-./]\d\d?[-./]\d\d+|(?:19|20)\d\d-\d\d-\d\d|[^\W\d_]{3,4}\.?[-' ]\d\d"
    r"|\d\d?:\d\d|\d+ ?[-–] ?\d+",
    re.IGNORECASE,
)
"""A year, quarter, month, day, hour or range, as a column may be named."""
_NAMES_VALUES = re.compile(
    r"value|wert|valeur|valor|answer|result|amount|pri[cx]e?|prei?[sc]|cost|rate|limit|setting|default|number",
    re.IGNORECASE,
)
_TICKED = re.compile(r"[☐☑☒✓✗]")
_SENTENCE = re.compile(r"\w{3,} \w.{20,}\.\s*\Z", re.DOTALL)
_TAIL = 200
_FIGURES = re.compile(r"\d+")
_DAY = re.compile(r"\d[-/:]\w|\d\.\d+\.\d|[^\W\d_]{3}")
_WRITTEN_DAY = re.compile(r"\d\d?\.? [^\W\d_]{3,}\.? (?:19|20)\d\d|[^\W\d_]{3,}\.? \d\d?, (?:19|20)\d\d")
_MONEY = re.compile(r"[€$£¥]|\b(?:EUR|USD|GBP|CHF)\b")


class NumericText(str):
    """The visible text of a cell that holds a number or a date."""

    __slots__ = ()


class GridRow(NamedTuple):
    """A row of a table as it is shown; columns are bits of the masks."""

    number: int
    texts: Sequence[str]
    own_columns: int
    """Columns with a text that is no other cell's."""
    bold_columns: int = 0
    """Columns that are bold or coloured."""
    row_span: int = 1
    """Rows that its tallest cell spans."""
    has_column_span: bool = False
    follows_gap: bool = False
    """True where an empty row stands above."""

    def text(self, column: int) -> str:
        return self.texts[column] if column < len(self.texts) else ""

    def is_number_or_date(self, column: int) -> bool:
        return is_number_or_date(self.text(column))

    def crop(self, left: int, right: int | None = None, *, gap: bool = False) -> GridRow:
        """Return the columns from `left` to before `right`."""
        if not left and right is None:
            return self
        # -1 keeps all bits
        mask = -1 if right is None else (1 << (right - left)) - 1
        texts = self.texts[left:right]
        return self._replace(
            texts=texts,
            own_columns=self.own_columns >> left & mask,
            bold_columns=self.bold_columns >> left & mask,
            follows_gap=gap,
        )

    def shift(self, columns: int) -> GridRow:
        if not columns:
            return self
        return self._replace(
            texts=[*[""] * columns, *self.texts],
            own_columns=self.own_columns << columns,
            bold_columns=self.bold_columns << columns,
        )

    def drop_columns(self, hidden: set[int]) -> GridRow:
        visible = [column for column in range(len(self.texts)) if column not in hidden]
        own, strong = (
            sum([1 << at for at, column in enumerate(visible) if mask >> column & 1])
            for mask in (self.own_columns, self.bold_columns)
        )
        return self._replace(texts=[self.texts[column] for column in visible], own_columns=own, bold_columns=strong)

    @property
    def is_emphasized(self) -> bool:
        """True where all its text is bold or coloured."""
        return not self.own_columns & ~self.bold_columns

    @property
    def value_columns(self) -> list[int]:
        """The columns that hold values."""
        return [column for column in range(len(self.texts)) if self.is_number_or_date(column)]

    @property
    def is_header_like(self) -> bool:
        """True where it may name columns: it has words, and no number, date or sentence."""
        return are_column_names(self.texts) and not self.texts[0].endswith(":")


def build_grid_row(number: int, line: Sequence[Cell], above: Sequence[Cell] = ()) -> GridRow:
    """Build a row of cells. Spanning cells are those in front of them or of the row `above`."""
    own = strong = 0
    tall, wide = 1, False
    for column, cell in enumerate(line):
        if not cell.text or (cell.column_span > 1 and column and line[column - 1] is cell):
            continue
        wide = wide or cell.column_span > 1
        if cell.row_span == 1 or column >= len(above) or above[column] is not cell:
            own |= 1 << column
            strong |= cell.is_emphasized << column
            tall = max(tall, cell.row_span)
    return GridRow(number, [cell.text for cell in line], own, strong, tall, wide)


def is_number_or_date(text: str) -> bool:
    """Return whether a cell holds a number or a date."""
    return isinstance(text, NumericText) or bool(_VALUE.fullmatch(text))


def are_column_names(texts: Sequence[str]) -> bool:
    """Return whether texts may name columns: there are words, and no number, date or sentence."""
    filled = [text for text in texts if text.strip()]
    return bool(filled) and not any(is_number_or_date(text) or _SENTENCE.search(text[-_TAIL:]) for text in filled)


def count_header_rows(rows: Sequence[GridRow], marked: int | None = None) -> int:
    """Count the header rows of a document's table. `marked` is the number that its document gives. At 0 it denies a
    header, but bold names are one all the same, and so are those right of an empty corner."""
    if marked or len(rows) < 2:
        return min(marked if marked > 1 else _count_depth(rows), len(rows) - 1) if marked and rows else 0
    first, below = rows[0], rows[1:]
    corner = (
        not first.text(0) and first.own_columns > 1 and not first.own_columns & 1 and all(row.text(0) for row in below)
    )
    led = first.own_columns.bit_count() > 1 and first.is_emphasized and not all(row.is_emphasized for row in below)
    if corner or led:
        return _count_depth(rows)
    if (
        marked is None
        and first.is_header_like
        and first.own_columns == 1
        and (first.has_column_span or not below[0].own_columns & ~0b11)
    ):
        return 1
    return guess_header_depth(rows) if marked is None else 0


def guess_header_depth(rows: Sequence[GridRow], above: Sequence[GridRow] = (), *, wider: bool = False) -> int:
    """Count the header rows of a table by their look, 0 if it has none. `above` are rows of the table that these may
    belong to. `wider` is true where another table stands behind an empty row, or beside."""
    row, below = rows[0], rows[1:]
    columns = [column for column in range(len(row.texts)) if row.own_columns >> column & 1]
    if (len(columns) < 2 and not (row.has_column_span and below and row.own_columns != 1)) or _is_question(row, below):
        return 0
    if below and all(other.text(0)[:1].isdigit() for other in rows):
        return 0
    led = (
        row.is_emphasized
        and bool(below)
        and not below[0].is_emphasized
        # more than one bit is set
        and below[0].own_columns & below[0].own_columns - 1 != 0
    )
    heads = led or _is_above_values(row, below, columns)
    if not (
        row.is_header_like or _names_periods(row, below) or (heads and row.text(0) and not row.is_number_or_date(0))
    ):
        return 0
    if not led and (
        _are_names_with_values(rows, wider=wider) or _repeats_others(row, below[:_ROWS_COMPARED], above, columns)
    ):
        return 0
    return _count_depth(rows)


def _count_depth(rows: Sequence[GridRow]) -> int:
    """Count the rows of a header that begins with the first: those that its names span, and those of columns in
    groups."""
    row, below = rows[0], rows[1:]
    depth = row.row_span
    while (
        depth < len(rows) - 1 and rows[depth - 1].has_column_span and _names_columns_below(rows[depth], rows[depth - 1])
    ):
        if not (rows[depth].is_header_like or _names_periods(rows[depth], rows[depth + 1 :])):
            break
        depth += 1
    if (
        depth == 1
        and not row.has_column_span
        and len(below) > 1
        and below[0].is_header_like
        and _has_second_row(row, below)
    ):
        depth = 2
    return max(1, min(depth, _MAX_HEADER_ROWS, len(rows) - 1))


def _names_columns_below(row: GridRow, above: GridRow) -> bool:
    """Return whether a row names the columns below the wide names of the one above, and nothing below its others but
    the first."""
    for at in range(len(above.texts)):
        spans = not above.own_columns >> at & 1 or (
            above.text(at + 1) == above.text(at) and not above.own_columns >> at + 1 & 1
        )
        if above.text(at) and (not row.text(at) if spans else at and row.own_columns >> at & 1):
            return False
    return True


def _is_question(row: GridRow, below: Sequence[GridRow]) -> bool:
    """Return whether a row begins with a question that its other cells answer, as the next one does."""
    return row.text(0).endswith(":") or (row.text(0).endswith("?") and bool(below) and below[0].text(0).endswith("?"))


def _is_above_values(row: GridRow, below: Sequence[GridRow], columns: list[int]) -> bool:
    """Return whether words stand above columns of nothing but values."""
    names = [column for column in columns[1:] if not row.is_number_or_date(column)]
    return (
        len(below) > 0
        and sum(all(other.is_number_or_date(column) for other in below[:_ROWS_COMPARED]) for column in names) > 1
    )


def _repeats_others(row: GridRow, below: Sequence[GridRow], above: Sequence[GridRow], columns: list[int]) -> bool:
    """Return whether a row repeats texts of others in the same columns, so that it names none: a third of them in a row
    below, which is no second header, or one in a table above, where codes such as `A1` and `B2` are equal."""
    for index, other in enumerate(below):
        same = [
            column for column in columns if other.own_columns >> column & 1 and other.text(column) == row.text(column)
        ]
        if len(same) * 3 >= len(columns) and (not index or len(same) < len(columns)):
            return True
    shapes = [_code_shape(row.text(column)) for column in columns]
    return any(
        other.text(column) and _code_shape(other.text(column)) == shape
        for other in above
        for column, shape in zip(columns, shapes, strict=True)
    )


def _code_shape(text: str) -> str:
    """Return a code without its letters and figures, so that codes of one kind are equal. Words stay."""
    return _FIGURES.sub("0", re.sub(r"[^\W\d_]+", "a", text)) if _has_digit(text) else text


def _are_names_with_values(rows: Sequence[GridRow], *, wider: bool) -> bool:
    """Return whether rows are names with their values. The names alone are bold. Or the rows have two cells, or twice
    two, with values of many kinds, or of some where another table is `wider`: `RowOwner`, `Harbour office`."""
    filled_rows = [row for row in rows if row.own_columns > 1]
    if all(
        # bold are the first column alone, or the first and the third
        row.own_columns & row.bold_columns in {1, 0b101} and row.own_columns != row.bold_columns
        for row in filled_rows
    ):
        counts = len(rows[0].texts) > 2 and all(text[:1].isdigit() for row in rows[1:] for text in row.texts[1:])
        return not counts or any(map(_has_digit, rows[0].texts))
    kinds = [{_cell_kind(row, column) for row in rows if row.text(column)} for column in (1, 3)]
    if all(row.own_columns == 0b1111 for row in rows):
        words = not any(_has_digit(row.text(column)) for row in rows for column in (0, 2))
        return words and len(kinds[0]) + len(kinds[1]) > 4 and all(len(kind) > 1 for kind in kinds)
    if any(row.own_columns & ~0b11 for row in rows):
        return False
    first_value = rows[0].text(1)
    words_below = [row.text(1) for row in rows[1:] if row.text(1) and not row.is_number_or_date(1)]
    counted = _has_digit(first_value) and not _has_digit(rows[0].text(0)) and not _PERIOD.fullmatch(first_value)
    like = len(words_below) * 2 > len(rows) - 1 and (
        first_value[0].isdigit() or sum(map(_has_digit, words_below)) * 2 > len(rows) - 1
    )
    if (counted and like) or _TICKED.search(first_value) or all(map(_spells_out, rows)):
        return True
    mixed = len({_cell_kind(row, 1) for row in rows[1:] if row.text(1)}) > 1 if wider else len(kinds[0]) > 2
    return mixed and not _NAMES_VALUES.search(first_value)


def _spells_out(row: GridRow) -> bool:
    """Return whether a row spells out the abbreviation in its first cell."""
    return row.text(0) == "".join(word[0] for word in row.text(1).split()).upper() != ""


def _cell_kind(row: GridRow, column: int) -> str:
    """Return the kind of a cell: words, an address, a day, a share, a price, another figure."""
    text = row.text(column)
    if row.is_number_or_date(column):
        return "day" if _DAY.search(text) else "".join(sorted(set(text) & set("%€£$¥")))
    if _WRITTEN_DAY.search(text):
        return "day"
    if _has_digit(text):
        return "price" if _MONEY.search(text) else ""
    return "" if text[0] in "=#" else "address" if "@" in text else "words"


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _has_second_row(row: GridRow, below: Sequence[GridRow]) -> bool:
    """Return whether the second row is header too: it names columns that the first one groups, or units of figures:
    `mm`, `kg`."""
    second, *rest = below[:_ROWS_COMPARED]
    filled = [column for column in range(len(second.texts)) if second.text(column)]
    measured = all(other.is_number_or_date(column) for other in rest for column in filled)
    if not second.text(0) or (measured and len(rest) > 1):
        return measured
    grouped = (row.own_columns >> 1).bit_count() > 1 and row.own_columns.bit_count() < second.own_columns.bit_count()
    return grouped and (bool(rest[0].value_columns) or len(set(second.texts)) < len(second.texts))


def _names_periods(row: GridRow, below: Sequence[GridRow]) -> bool:
    """Return whether a row with figures names columns all the same: by years, months or days, or by counting on."""
    columns = [column for column in row.value_columns if row.own_columns >> column & 1]
    names = [row.text(column) for column in columns]
    words = [text for column, text in enumerate(row.texts) if text and not row.is_number_or_date(column)]
    if not below or not columns or row.is_number_or_date(0) or (len(names) == 1 and not words):
        return False
    cells_below = [(other, column) for other in below[:5] for column in columns if other.text(column)]
    counted = len(names) > 2 and all(text.isdecimal() and len(text) < 4 for text in names)
    if counted and all(int(after) == int(before) + 1 for before, after in pairwise(names)):
        like = [other for other, column in cells_below if other.text(column) in names]
    elif all(map(_PERIOD.fullmatch, names)):
        like = [
            other
            for other, column in cells_below
            if _PERIOD.fullmatch(other.text(column)) or _WRITTEN_DAY.search(other.text(column))
        ]
    else:  # shares above counts, days above words
        kinds = {_cell_kind(row, column) for column in columns}
        like = [other for other, column in cells_below if _cell_kind(other, column) in kinds]
    return bool(cells_below) and len(like) * 2 < len(cells_below)
