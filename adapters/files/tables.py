"""Tables of every format as a grid: one text a column in each row, a spanned cell's text in each cell that it spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pipeline.values import Link

MOST_COLUMNS = 1_000
"""Columns that spans may open: a cell may claim two billion."""
MOST_CELLS = 500_000
"""Cells that spans may fill in one table."""
_MOST_HEADER_ROWS = 3
BETWEEN = " - "
"""Stands between the rows of a header: `Limit - Seats`."""
_DEEPEST = 4
"""Rows that the header of a sheet's table may have."""
_NEAR = 3
"""Rows below a header that repeat none of its names."""
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
_LETTERS, _FIGURES = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
_DAY = re.compile(r"\d[-/:]\w|\d\.\d+\.\d|[^\W\d_]{3}")


class Cell(NamedTuple):
    text: str
    columns: int = 1
    rows: int = 1
    """How many columns and rows it spans."""
    links: tuple[Link, ...] = ()
    code: tuple[str, ...] = ()
    """The texts of its inline code, in order."""


def filled(rows: Iterable[Iterable[Cell]]) -> list[list[Cell]]:
    """Rows in which every spanned place has the cell that spans it. Rows may still differ in length; spans that reach
    beyond the table, or beyond `MOST_COLUMNS` or `MOST_CELLS`, are cut off."""
    return list(spread(rows))


def spread(rows: Iterable[Iterable[Cell]]) -> Iterator[list[Cell]]:
    """As `filled`, one row after the other."""
    open_below: dict[int, tuple[int, Cell]] = {}
    """By column: how many more rows a cell of above reaches into, and that cell."""
    room = MOST_CELLS
    for row in rows:
        line: list[Cell] = []

        def from_above(line: list[Cell] = line) -> None:
            while held := open_below.get(len(line)):
                left, cell = held
                if left > 1:
                    open_below[len(line)] = left - 1, cell
                else:
                    del open_below[len(line)]
                line.append(cell)

        for cell in row:
            if open_below:
                from_above()
            if cell.columns == 1 and cell.rows == 1:
                line.append(cell)
                continue
            for _ in range(max(1, min(cell.columns, MOST_COLUMNS - len(line), room))):
                if cell.rows > 1:
                    open_below[len(line)] = cell.rows - 1, cell
                line.append(cell)
                room -= 1
        if open_below:
            from_above()
        yield line


def header_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Header rows as one: what stands in a column from top to bottom, what a span repeats once."""
    width = max(map(len, rows), default=0)
    columns = ([row[place].strip() for row in rows if place < len(row)] for place in range(width))
    return [BETWEEN.join(dict.fromkeys(filter(None, column))) for column in columns]


def captioned(rows: list[list[Cell]]) -> str:
    """Take the first row out of a table where it is one cell over all columns, and say its text."""
    alone = len(rows) > _MOST_HEADER_ROWS - 1 and len(rows[0]) == 1 and rows[0][0].columns > 1
    return rows.pop(0)[0].text if alone else ""


def header_rows(rows: Sequence[Sequence[Cell]], named: bool | None) -> int:
    """How many rows of a table are its header, which its document says it has or not; None where it does not say. Then
    words above figures are one."""
    if not rows or not rows[0]:
        return 0
    if named is None:
        words = len(rows[0]) > 1 and all(cell.text.strip() and not _figures(cell) for cell in rows[0])
        corner = (
            not rows[0][0].text.strip() and len(rows[0]) > 1 and all(row and row[0].text.strip() for row in rows[1:])
        )
        two = any(cell.columns > 1 for cell in rows[0]) and len(rows) > _MOST_HEADER_ROWS - 1
        two = two and not any(map(_figures, rows[1])) and any(_figures(cell) for row in rows[2:] for cell in row)
        named = corner or two or (words and any(_figures(cell) for row in rows[1:] for cell in row))
    if not named or len(rows) < _MOST_HEADER_ROWS - 1:
        return int(named)
    parts = any(cell.columns > 1 for cell in rows[0]) and not any(map(_figures, rows[1]))
    deep = any(cell.rows > 1 for cell in rows[0]) or any(not cell.text.strip() for cell in rows[1])
    return min(max(2, *(cell.rows for cell in rows[0])), _MOST_HEADER_ROWS) if parts and deep else 1


def _figures(cell: Cell) -> bool:
    return _has_digit(cell.text)


class Figure(str):
    """What a cell shows that holds a number or a date."""

    __slots__ = ()


class Row(NamedTuple):
    """A row of a sheet as it is shown; columns are bits of the masks."""

    number: int
    texts: Sequence[str]
    own: int
    """Columns with a text that is no other cell's."""
    strong: int = 0
    """Columns that are bold or coloured."""
    tall: int = 1
    """Rows that its tallest cell spans, and whether one spans columns."""
    wide: bool = False
    gap: bool = False
    """Whether an empty row stands above."""

    def text(self, column: int) -> str:
        return self.texts[column] if column < len(self.texts) else ""

    def is_value(self, column: int) -> bool:
        return is_value(self.text(column))

    def cut(self, left: int, right: int | None = None, *, gap: bool = False) -> Row:
        """The columns from `left` to before `right`."""
        if not left and right is None:
            return self
        mask = -1 if right is None else (1 << (right - left)) - 1
        texts = self.texts[left:right]
        return self._replace(texts=texts, own=self.own >> left & mask, strong=self.strong >> left & mask, gap=gap)

    def moved(self, columns: int) -> Row:
        if not columns:
            return self
        return self._replace(
            texts=[*[""] * columns, *self.texts], own=self.own << columns, strong=self.strong << columns
        )

    def without(self, hidden: set[int]) -> Row:
        kept = [column for column in range(len(self.texts)) if column not in hidden]
        own, strong = (
            sum([1 << at for at, column in enumerate(kept) if mask >> column & 1]) for mask in (self.own, self.strong)
        )
        return self._replace(texts=[self.texts[column] for column in kept], own=own, strong=strong)

    @property
    def stands_out(self) -> bool:
        """Whether all that it says is bold or coloured."""
        return not self.own & ~self.strong

    @property
    def figures(self) -> list[int]:
        """The columns that hold values."""
        return [column for column in range(len(self.texts)) if self.is_value(column)]

    @property
    def names(self) -> bool:
        """Whether it may name columns: it has words, and no number or date."""
        return is_header(self.texts) and not self.figures and not self.texts[0].endswith(":")


def is_value(text: str) -> bool:
    """Whether a cell holds a number or a date."""
    return isinstance(text, Figure) or bool(_VALUE.fullmatch(text))


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first row names columns: it has words, and no number or date."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and not any(map(_VALUE.fullmatch, filled))


def header_depth(rows: Sequence[Row], above: Sequence[Row] = (), *, wider: bool = False) -> int:
    """How many of the first rows of a sheet's table are its header, none if it has none. `above`: rows of the table
    that these may belong to. `wider`: whether names of more columns follow behind an empty row."""
    row, below = rows[0], rows[1:]
    columns = [column for column in range(len(row.texts)) if row.own >> column & 1]
    if not any(one.own > 1 for one in rows):
        return int(row.names and bool(below) and all(one.is_value(0) for one in below))
    if (len(columns) < 2 and not (row.wide and below and row.own != 1)) or _asks(row, below):
        return 0
    led = row.stands_out and bool(below) and not below[0].stands_out and below[0].own & below[0].own - 1 != 0
    heads = led or _over_values(row, below, columns)
    if not (row.names or _periods(row, below) or (heads and row.text(0) and not row.is_value(0))):
        return 0
    if not led and (_keys(rows, wider=wider) or _is_like(row, below[:_NEAR], above, columns)):
        return 0
    depth = row.tall
    while (
        depth < len(rows) - 1
        and rows[depth - 1].wide
        and (rows[depth].names or _periods(rows[depth], rows[depth + 1 :]))
    ):
        depth += 1
    if depth == 1 and not row.wide and len(below) > 1 and below[0].names and _below(row, below):
        depth = 2
    return max(1, min(depth, _DEEPEST, len(rows) - 1))


def _asks(row: Row, below: Sequence[Row]) -> bool:
    """Whether a row begins with what its other cells answer, as the next one does."""
    return row.text(0).endswith(":") or (row.text(0).endswith("?") and bool(below) and below[0].text(0).endswith("?"))


def _over_values(row: Row, below: Sequence[Row], columns: list[int]) -> bool:
    """Whether words stand above columns of nothing but values."""
    names = [column for column in columns[1:] if not row.is_value(column)]
    return len(below) > 0 and sum(all(one.is_value(column) for one in below[:_NEAR]) for column in names) > 1


def _is_like(row: Row, below: Sequence[Row], above: Sequence[Row], columns: list[int]) -> bool:
    """Whether a row says what others say in the same columns, so that it names none: a third of them in a row below,
    which is no second header, or one in a table above, where codes such as `A1` and `B2` are the same."""
    for place, one in enumerate(below):
        same = [column for column in columns if one.own >> column & 1 and one.text(column) == row.text(column)]
        if len(same) * 3 >= len(columns) and (not place or len(same) < len(columns)):
            return True
    shapes = [_shape(row.text(column)) for column in columns]
    return any(
        one.text(column) and _shape(one.text(column)) == shape
        for one in above
        for column, shape in zip(columns, shapes, strict=True)
    )


def _shape(text: str) -> str:
    """A code without its letters and figures, so that those of one kind are equal; words are as they are."""
    return _FIGURES.sub("0", _LETTERS.sub("a", text)) if _has_digit(text) else text


def _keys(rows: Sequence[Row], *, wider: bool) -> bool:
    """Whether rows of two cells are names with their values: `Owner`, `Harbour office`. Their values are of many kinds,
    or of some and a `wider` table follows."""
    if any(row.own & ~0b11 for row in rows):
        return False
    named = rows[0].text(1)
    told = [row.text(1) for row in rows[1:] if row.text(1) and not row.is_value(1)]
    counted = _has_digit(named) and not _has_digit(rows[0].text(0)) and not _PERIOD.fullmatch(named)
    like = len(told) * 2 > len(rows) - 1 and (named[0].isdigit() or sum(map(_has_digit, told)) * 2 > len(rows) - 1)
    if (counted and like) or all(row.strong & 0b11 == 1 for row in rows):
        return True
    kinds = {_kind(row, 1) for row in rows if row.text(1)}
    return len(kinds) > (1 if wider and told else 2) and not _NAMES_VALUES.search(named)


def _kind(row: Row, column: int) -> str:
    """What a cell holds: words, an address, a day, a share, a price, another figure."""
    text = row.text(column)
    if not row.is_value(column):
        return "" if _has_digit(text) or text[0] in "=#" else "address" if "@" in text else "words"
    return "day" if _DAY.search(text) else "".join(sorted(set(text) & set("%€£$¥")))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _below(row: Row, below: Sequence[Row]) -> bool:
    """Whether the second row is header too: of columns that the first names in groups, or what figures are measured
    in: `mm`, `kg`."""
    second, *rest = below[:_NEAR]
    named = [column for column in range(len(second.texts)) if second.text(column)]
    measured = all(one.is_value(column) for one in rest for column in named)
    if not second.text(0) or (measured and len(rest) > 1):
        return measured
    grouped = (row.own >> 1).bit_count() > 1 and row.own.bit_count() < second.own.bit_count()
    return grouped and (bool(rest[0].figures) or len(set(second.texts)) < len(second.texts))


def _periods(row: Row, below: Sequence[Row]) -> bool:
    """Whether a row with figures names columns all the same: by years, months or days, or by counting on."""
    columns = [column for column in row.figures if row.own >> column & 1]
    named = [row.text(column) for column in columns]
    words = [text for column, text in enumerate(row.texts) if text and not row.is_value(column)]
    if not below or not columns or row.is_value(0) or (len(named) == 1 and not words):
        return False
    under = [(one, column) for one in below[:5] for column in columns if one.text(column)]
    counted = len(named) > 2 and all(text.isdecimal() for text in named) and len(named[-1]) < 4
    if counted and all(int(after) == int(before) + 1 for before, after in pairwise(named)):
        like = [one for one, column in under if one.text(column) in named]
    elif all(map(_PERIOD.fullmatch, named)):
        like = [one for one, column in under if _PERIOD.fullmatch(one.text(column))]
    else:  # shares above counts, days above words
        kinds = {_kind(row, column) for column in columns}
        like = [
            one
            for one, column in under
            if _kind(one, column) in kinds or len(named) < 2 or ("" in kinds and one.is_value(column))
        ]
    return bool(under) and len(like) * 2 < len(under)
