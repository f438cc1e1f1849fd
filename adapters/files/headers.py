"""What the header of a table is, by what its format says and how its first rows look: the same for all formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from adapters.files.tables import Cell

_DEEPEST = 4
"""Rows that a header may have."""
_NEAR = 3
"""Rows below a header that repeat none of its names."""
LOOK = 50
"""Rows of a table that are looked at."""
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


class Figure(str):
    """What a cell shows that holds a number or a date."""

    __slots__ = ()


class Row(NamedTuple):
    """A row of a table as it is shown; columns are bits of the masks."""

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
        """Whether it may name columns: it has words, and no number, date or sentence."""
        return are_names(self.texts) and not self.texts[0].endswith(":")


def row_of(number: int, line: Sequence[Cell], above: Sequence[Cell] = ()) -> Row:
    """A row of cells, of which those that span are the same as in front or `above`."""
    own = strong = 0
    tall, wide = 1, False
    for column, cell in enumerate(line):
        if not cell.text or (cell.columns > 1 and column and line[column - 1] is cell):
            continue
        wide = wide or cell.columns > 1
        if cell.rows == 1 or column >= len(above) or above[column] is not cell:
            own |= 1 << column
            strong |= cell.strong << column
            tall = max(tall, cell.rows)
    return Row(number, [cell.text for cell in line], own, strong, tall, wide)


def is_value(text: str) -> bool:
    """Whether a cell holds a number or a date."""
    return isinstance(text, Figure) or bool(_VALUE.fullmatch(text))


def are_names(texts: Sequence[str]) -> bool:
    """Whether texts may name columns: there are words, and no number, date or sentence."""
    said = [text for text in texts if text.strip()]
    return bool(said) and not any(is_value(text) or _SENTENCE.search(text[-_TAIL:]) for text in said)


def header_rows(rows: Sequence[Row], marked: int | None = None) -> int:
    """How many rows of a document's table are its header. `marked`: how many its document says; 0 where it says that
    there is none, which bold names all the same are, as those right of an empty corner."""
    if marked or len(rows) < 2:
        return min(marked if marked > 1 else _depth(rows), len(rows) - 1) if marked and rows else 0
    first, below = rows[0], rows[1:]
    corner = not first.text(0) and first.own > 1 and not first.own & 1 and all(row.text(0) for row in below)
    led = first.own.bit_count() > 1 and first.stands_out and not all(row.stands_out for row in below)
    if corner or led:
        return _depth(rows)
    if marked is None and first.names and first.own == 1 and (first.wide or not below[0].own & ~0b11):
        return 1
    return header_depth(rows) if marked is None else 0


def header_depth(rows: Sequence[Row], above: Sequence[Row] = (), *, wider: bool = False) -> int:
    """How many of the first rows of a table are its header by their look, none if it has none. `above`: rows of the
    table that these may belong to. `wider`: whether another table stands behind an empty row, or beside."""
    row, below = rows[0], rows[1:]
    columns = [column for column in range(len(row.texts)) if row.own >> column & 1]
    if (len(columns) < 2 and not (row.wide and below and row.own != 1)) or _asks(row, below):
        return 0
    if below and all(one.text(0)[:1].isdigit() for one in rows):
        return 0
    led = row.stands_out and bool(below) and not below[0].stands_out and below[0].own & below[0].own - 1 != 0
    heads = led or _over_values(row, below, columns)
    if not (row.names or _periods(row, below) or (heads and row.text(0) and not row.is_value(0))):
        return 0
    if not led and (_keys(rows, wider=wider) or _is_like(row, below[:_NEAR], above, columns)):
        return 0
    return _depth(rows)


def _depth(rows: Sequence[Row]) -> int:
    """Rows of a header that begins with the first: those that its names span, and those of columns in groups."""
    row, below = rows[0], rows[1:]
    depth = row.tall
    while depth < len(rows) - 1 and rows[depth - 1].wide and _divides(rows[depth], rows[depth - 1]):
        if not (rows[depth].names or _periods(rows[depth], rows[depth + 1 :])):
            break
        depth += 1
    if depth == 1 and not row.wide and len(below) > 1 and below[0].names and _below(row, below):
        depth = 2
    return max(1, min(depth, _DEEPEST, len(rows) - 1))


def _divides(row: Row, above: Row) -> bool:
    """Whether a row names what stands below the wide names of the one above, and nothing below its others but the
    first."""
    for at in range(len(above.texts)):
        spans = not above.own >> at & 1 or (above.text(at + 1) == above.text(at) and not above.own >> at + 1 & 1)
        if above.text(at) and (not row.text(at) if spans else at and row.own >> at & 1):
            return False
    return True


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
    return _FIGURES.sub("0", re.sub(r"[^\W\d_]+", "a", text)) if _has_digit(text) else text


def _keys(rows: Sequence[Row], *, wider: bool) -> bool:
    """Whether rows are names with their values: those in front alone are bold; or of two cells, or twice two, whose
    values are of many kinds, or of some where another table is `wider`: `Owner`, `Harbour office`."""
    told = [row for row in rows if row.own > 1]
    if all(row.own & row.strong in {1, 0b101} and row.own != row.strong for row in told):
        counts = len(rows[0].texts) > 2 and all(text[:1].isdigit() for row in rows[1:] for text in row.texts[1:])
        return not counts or any(map(_has_digit, rows[0].texts))
    kinds = [{_kind(row, column) for row in rows if row.text(column)} for column in (1, 3)]
    if all(row.own == 0b1111 for row in rows):
        words = not any(_has_digit(row.text(column)) for row in rows for column in (0, 2))
        return words and len(kinds[0]) + len(kinds[1]) > 4 and all(len(kind) > 1 for kind in kinds)
    if any(row.own & ~0b11 for row in rows):
        return False
    named = rows[0].text(1)
    words_below = [row.text(1) for row in rows[1:] if row.text(1) and not row.is_value(1)]
    counted = _has_digit(named) and not _has_digit(rows[0].text(0)) and not _PERIOD.fullmatch(named)
    like = len(words_below) * 2 > len(rows) - 1 and (
        named[0].isdigit() or sum(map(_has_digit, words_below)) * 2 > len(rows) - 1
    )
    if (counted and like) or _TICKED.search(named) or all(map(_spells, rows)):
        return True
    mixed = len({_kind(row, 1) for row in rows[1:] if row.text(1)}) > 1 if wider else len(kinds[0]) > 2
    return mixed and not _NAMES_VALUES.search(named)


def _spells(row: Row) -> bool:
    """Whether a row says what its first cell is short for."""
    return row.text(0) == "".join(word[0] for word in row.text(1).split()).upper() != ""


def _kind(row: Row, column: int) -> str:
    """What a cell holds: words, an address, a day, a share, a price, another figure."""
    text = row.text(column)
    if row.is_value(column):
        return "day" if _DAY.search(text) else "".join(sorted(set(text) & set("%€£$¥")))
    if _WRITTEN_DAY.search(text):
        return "day"
    if _has_digit(text):
        return "price" if _MONEY.search(text) else ""
    return "" if text[0] in "=#" else "address" if "@" in text else "words"


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
    counted = len(named) > 2 and all(text.isdecimal() and len(text) < 4 for text in named)
    if counted and all(int(after) == int(before) + 1 for before, after in pairwise(named)):
        like = [one for one, column in under if one.text(column) in named]
    elif all(map(_PERIOD.fullmatch, named)):
        like = [
            one for one, column in under if _PERIOD.fullmatch(one.text(column)) or _WRITTEN_DAY.search(one.text(column))
        ]
    else:  # shares above counts, days above words
        kinds = {_kind(row, column) for column in columns}
        like = [one for one, column in under if _kind(one, column) in kinds]
    return bool(under) and len(like) * 2 < len(under)
