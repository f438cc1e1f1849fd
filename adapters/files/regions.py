"""The tables of a sheet or a CSV file: each under its own header, titles and remarks around them as prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from adapters.files.outline import Outline
from adapters.files.tables import header_of
from pipeline.values import BlockKind

_LOOK = 50
"""Rows of a region that are looked at before it is taken apart."""
_PREAMBLE = 10
"""Rows above a header that may be title and remarks."""
_DEEPEST = 4
"""Rows that one header may have."""
_LONGEST_NAME = 80
"""Characters of what names a column."""
_VALUE = re.compile(r"[-+(]?[.,:/ €$£%-]*+\d[\d.,:/ €$£%)-]*")
_PERIOD = re.compile(
    r"(?:FY|CY|Q[1-4]|H[12]|[^\W\d_]{3,9}\.?)?[-' /]*(?:19|20)\d\d(?:[-/](?:\d\d|Q[1-4]|H[12]))?"
    r"|\d\d?[-./]\d\d?[-./]\d\d+|(?:19|20)\d\d-\d\d-\d\d|[^\W\d_]{3,4}\.?[-' ]\d\d"
    r"|\d\d?:\d\d|\d+ ?[-–] ?\d+",
    re.IGNORECASE,
)
"""A year, quarter, month, day, hour or range, as a column may be named."""


class Figure(str):
    """What a cell shows that holds a number or a date."""

    __slots__ = ()


class Row(NamedTuple):
    """A row as it is shown; columns are bits of the masks."""

    number: int
    texts: Sequence[str]
    own: int
    """Columns with a text that is no other cell's."""
    strong: bool = False
    """Whether all that it says is bold or coloured."""
    tall: int = 1
    """Rows that its tallest cell spans, and whether one spans columns."""
    wide: bool = False
    gap: bool = False
    """Whether an empty row stands above."""

    def text(self, column: int) -> str:
        return self.texts[column] if column < len(self.texts) else ""

    def cut(self, left: int, right: int | None, *, gap: bool) -> Row:
        """The columns from `left` to before `right`."""
        mask = -1 if right is None else (1 << (right - left)) - 1
        return self._replace(texts=self.texts[left:right], own=self.own >> left & mask, gap=gap)

    def moved(self, columns: int) -> Row:
        if not columns:
            return self
        texts = [*[""] * columns, *self.texts]
        return self._replace(texts=texts, own=self.own << columns)

    def without(self, hidden: set[int]) -> Row:
        kept = [column for column in range(len(self.texts)) if column not in hidden]
        own = sum([1 << place for place, column in enumerate(kept) if self.own >> column & 1])
        return self._replace(texts=[self.texts[column] for column in kept], own=own)

    def is_value(self, column: int) -> bool:
        text = self.text(column)
        return isinstance(text, Figure) or bool(_VALUE.fullmatch(text))


class _Open(NamedTuple):
    """The table that rows stand in until another begins."""

    left: int
    names: list[str]
    strong: bool
    rows: list[Row]
    """Some of its first."""


def tables(outline: Outline, rows: Iterable[Row], *, spaced: bool = False) -> None:
    """Append `rows`. `spaced`: empty rows often stand within a table, so that only what differs begins another."""
    _Tables(outline, spaced=spaced).read(iter(rows), 0)


class _Tables:
    def __init__(self, outline: Outline, *, spaced: bool) -> None:
        self._outline, self._spaced = outline, spaced
        self._open: _Open | None = None

    def read(self, rows: Iterator[Row], left: int) -> None:
        """Region after region, which empty rows divide. `left` is the column in the sheet of the first of `rows`."""
        held = next(rows, None)
        while held is not None:
            region = _Region(held, rows)
            start = list(islice(region, _LOOK))
            if len(groups := _groups(start)) > 1:
                everything = start + list(region)
                for first, following in pairwise([0, *groups[1:], None]):
                    assert first is not None
                    self.read(_side(everything, first, following), left + first)
            else:
                self._region(start, region, left)
            held = region.after

    def _region(self, start: list[Row], rest: Iterable[Row], left: int) -> None:
        used = _used(start)
        first = (used & -used).bit_length() - 1
        start = [row.cut(first, None, gap=False) for row in start]
        rest = (_joined(row, first) for row in rest) if first else rest
        place = left + first
        titles, header = _header(start)
        if self._open and self._continues(self._open, start, titles, header, place):
            missing = place - self._open.left
            self._rows(row.moved(missing) for row in chain(start, rest))
            return
        if len(start) == 1 and start[0].own.bit_count() > 1 and not start[0].own & start[0].own << 1:
            for text in filter(None, start[0].texts):  # the titles of tables side by side
                self._outline.add(BlockKind.PROSE, text, row=start[0].number)
            self._open = None
            return
        for row in start[:titles]:
            self._prose(row)
        if header:
            self._begin(start[titles : titles + header], place)
        elif _width(start) == 1 or (self._open and self._open.names):  # rows are no other table's
            for row in chain(start[titles:], rest):
                self._prose(row)
            self._open = None
            return
        else:
            self._open = _Open(place, [], strong=False, rows=[])
        self._rows(chain(start[titles + header :], rest))

    def _begin(self, rows: list[Row], place: int) -> None:
        texts = [list(row.texts) for row in rows]
        if len(rows) > 1 and not rows[0].wide and rows[0].tall == 1 and rows[1].own & 1:
            texts[0] = _carried(texts[0], len(texts[1]))
        names = header_of(texts)
        while names and not names[-1]:
            names.pop()
        self._outline.row(BlockKind.HEADER, names, row=rows[0].number)
        self._open = _Open(place, names, strong=rows[0].strong, rows=[])

    def _rows(self, rows: Iterable[Row]) -> None:
        """Rows of the open table; a title among them with a row of names below it begins another."""
        title: Row | None = None
        for row in rows:
            assert self._open is not None
            if title is not None:
                if self._begins(row):
                    self._prose(title)
                    self._begin([row], self._open.left)
                    title = None
                    continue
                self._row(title)
                title = None
            if row.own == 1 and len(self._open.names) > 1:
                title = row
            else:
                self._row(row)
        if title is not None:
            self._row(title)

    def _begins(self, row: Row) -> bool:
        """Whether a row in the midst of a table names columns: words stand where the table has values."""
        assert self._open is not None
        enough = row.own.bit_count() >= max(2, len(self._open.names) - 1)
        return enough and _names_columns(row) and self._differs(row)

    def _row(self, row: Row) -> None:
        assert self._open is not None
        width = len(self._open.names)
        texts = row.texts
        if len(texts) != width or row.wide:
            texts = list(texts[:1] if row.wide and row.own == 1 else texts)
            while len(texts) > width and not texts[-1]:
                texts.pop()
            texts += [""] * (width - len(texts))
        self._outline.row(BlockKind.ROW, texts, row=row.number)
        if len(self._open.rows) < _LOOK:
            self._open.rows.append(row)

    def _prose(self, row: Row) -> None:
        """A title, a remark, or a name with its value."""
        said = [text for column, text in enumerate(row.texts) if text and row.own >> column & 1]
        joined = f"{said[0].removesuffix(':')}: {said[1]}" if len(said) == 2 else ", ".join(said)
        self._outline.add(BlockKind.PROSE, joined, row=row.number)

    def _continues(self, held: _Open, start: list[Row], titles: int, header: int, place: int) -> bool:
        """Whether rows below an empty one belong to the table above."""
        width = place - held.left + _width(start)
        if place < held.left or width > len(held.names) or (_width(start) == 1 and len(held.names) > 1):
            return False
        if not header or not held.rows or len(start) <= titles + header:
            return titles < len(start)
        named = start[titles]
        if titles or width != len(held.names) or (named.strong and not held.strong) or self._differs(named):
            return False
        if self._spaced or (held.strong and not named.strong) or any(map(_says, named.texts)):
            return True
        seen = [{row.text(column) for row in held.rows} for column in range(width)]
        return any(named.text(column) in seen[column] for column in range(width) if named.text(column))

    def _differs(self, row: Row) -> bool:
        """Whether words stand in a column that holds nothing but values."""
        assert self._open is not None
        for column in range(len(self._open.names)):
            above = [held.is_value(column) for held in self._open.rows if held.text(column)]
            if above and all(above) and row.text(column) and not row.is_value(column):
                return True
        return False


class _Region:
    """Rows up to the next empty one; `after` is the row behind it."""

    def __init__(self, first: Row, rows: Iterator[Row]) -> None:
        self._next: Row | None = first
        self._rows = rows
        self.after: Row | None = None

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        if self._next is None:
            raise StopIteration
        now, self._next = self._next, next(self._rows, None)
        if self._next is not None and self._next.gap:
            self.after, self._next = self._next, None
        return now


def _side(rows: list[Row], left: int, right: int | None) -> Iterator[Row]:
    """What stands in some columns of rows, empty ones left out."""
    gap = False
    for row in rows:
        cut = row.cut(left, right, gap=gap)
        if cut.own:
            yield cut
        gap = not cut.own


def _used(rows: Iterable[Row]) -> int:
    mask = 0
    for row in rows:
        mask |= row.own
    return mask


def _width(rows: Iterable[Row]) -> int:
    return _used(rows).bit_length()


def _joined(row: Row, first: int) -> Row:
    """Without the columns before `first`; what stands there after all stands in the first."""
    before = [text for text in row.texts[:first] if text]
    row = row.cut(first, None, gap=False)
    if not before:
        return row
    return row._replace(texts=[" ".join([*before, row.text(0)]).strip(), *row.texts[1:]], own=row.own | 1)


def _groups(rows: list[Row]) -> list[int]:
    """The first columns of tables that stand side by side, each behind an empty column, with a header of its own."""
    used = _used(rows)
    for row in rows:
        if row.wide:
            used |= sum(1 << column for column, text in enumerate(row.texts) if text)
    starts = [column for column in range(used.bit_length()) if used >> column & 1 and not used << 1 >> column & 1]
    found: list[int] = []
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        beside = found and _stands_alone(rows, found[-1], start)
        if not found or (beside and (_stands_alone(rows, start, end) or _list_beside(rows, found[-1], start, end))):
            found.append(start)
    return found


def _list_beside(rows: list[Row], table: int, left: int, right: int | None) -> bool:
    """Whether what stands in some columns is one column under a name, and ends where the table before it does not."""
    side, before = list(_side(rows, left, right)), list(_side(rows, table, left))
    shorter = len(side) > 1 and len(before) > 1 and side[-1].number != before[-1].number
    return shorter and _width(side) == 1 and not any(row.gap for row in side) and _names_columns(side[0])


def _stands_alone(rows: list[Row], left: int, right: int | None) -> bool:
    """Whether what stands in some columns is a table with a header, and words in its first column."""
    side = list(_side(rows, left, right))
    titles, header = _header(side)
    if not header or len(side) <= titles + header or _width(side) < 2:
        return False
    keys = [row for row in side[titles + header :] if row.text(0)]
    return sum(row.is_value(0) for row in keys) * 2 <= len(keys)


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first row names columns: it has words, and no number or date."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and not any(_VALUE.fullmatch(cell) for cell in filled)


def _says(text: str) -> bool:
    """Whether a cell is a sentence, and so no name."""
    return len(text) > _LONGEST_NAME or text.endswith((".", "!", "?"))


def _names_columns(row: Row) -> bool:
    return is_header(row.texts) and not _figures(row) and not row.text(0).endswith(":")


def _header(rows: list[Row]) -> tuple[int, int]:
    """How many of the first rows are titles, and how many after them are one header."""
    width = _width(rows)
    for index, row in enumerate(rows[:_PREAMBLE]):
        if depth := _depth(rows[index : index + _LOOK], width):
            return index, depth
        filled = row.own.bit_count()
        if filled > 1 and not _pair(row, rows[index + 1 :], width):
            return index, 0
    titles = next((index for index, row in enumerate(rows) if row.own.bit_count() > 1), len(rows))
    return (titles if titles < _PREAMBLE and width > 1 else 0), 0


def _depth(rows: list[Row], width: int) -> int:
    """How many rows the header has that begins with the first of `rows`; none if that is no header."""
    row, below = rows[0], rows[1:]
    filled = row.own.bit_count()
    if width == 1:
        return int(_names_columns(row) and bool(below) and all(one.is_value(0) for one in below))
    if filled < 2 and not (row.wide and below and row.own != 1):
        return 0
    if _pair(row, below, width) or row.text(0).endswith(":"):
        return 0
    if not (
        _names_columns(row) or _periods(row, below) or (row.strong and below and not below[0].strong and _led(row))
    ):
        return 0
    depth = max(row.tall, 1)
    while depth < min(_DEEPEST, len(rows) - 1) and rows[depth - 1].wide and _names(rows[depth], rows[depth + 1 :]):
        depth += 1
    if depth == 1 and not row.wide and (_stacked(row, below, width) or _measured(below)):
        depth = 2
    return min(depth, _DEEPEST, max(1, len(rows) - 1))


def _pair(row: Row, below: list[Row], width: int) -> bool:
    """Whether a row above a wider table is a name with its value: `Owner: Harbour office`."""
    if row.own != 0b11 or width < 3 or row.wide or row.tall > 1:
        return False
    led = len(below) > 1 and below[0].own.bit_count() == width and _names_columns(below[0]) and _figures(below[1])
    return led or row.text(0).endswith(":") or row.is_value(0) or row.is_value(1)


def _figures(row: Row) -> bool:
    return any(row.is_value(column) for column in range(len(row.texts)))


def _names(row: Row, below: list[Row]) -> bool:
    return _names_columns(row) or _periods(row, below)


def _led(row: Row) -> bool:
    """Whether it begins with a word."""
    return bool(row.text(0)) and not row.is_value(0)


def _periods(row: Row, below: list[Row]) -> bool:
    """Whether a row with figures names columns all the same: by years, months or days, or by counting on."""
    columns = [column for column in range(len(row.texts)) if row.own >> column & 1 and row.is_value(column)]
    named = [row.text(column) for column in columns]
    words = [text for column, text in enumerate(row.texts) if text and not row.is_value(column)]
    if not below or not columns or len(set(named)) < len(named) or row.is_value(0) or (len(named) == 1 and not words):
        return False
    counted = len(named) > 2 and all(text.isdecimal() for text in named) and len(named[-1]) < 4
    counted = counted and all(int(after) == int(before) + 1 for before, after in pairwise(named))
    if not counted and not all(map(_PERIOD.fullmatch, named)):
        return False
    under = [one.text(column) for one in below[:5] for column in columns if one.text(column)]
    like = [text for text in under if (text in named if counted else _PERIOD.fullmatch(text))]
    return bool(under) and len(like) * 2 < len(under)


def _stacked(row: Row, below: list[Row], width: int) -> bool:
    """Whether a row names groups of the columns that the next row names: it has holes, that one has none."""
    if len(below) < 2 or (row.own >> 1).bit_count() < 2 or not _names_columns(below[0]):
        return False
    if not row.own.bit_count() < below[0].own.bit_count() or below[0].own.bit_count() < width - 1:
        return False
    repeats = len(set(below[0].texts)) < len(below[0].texts)
    return repeats or _figures(below[1])


def _measured(below: list[Row]) -> bool:
    """Whether the row below names says what their figures are measured in: `mm`, `kg`."""
    if len(below) < 2 or below[0].text(0) or not _names_columns(below[0]):
        return False
    return all(below[1].is_value(column) for column, text in enumerate(below[0].texts) if text)


def _carried(texts: list[str], width: int) -> list[str]:
    """With the names of groups over all of their columns."""
    carried: list[str] = []
    for text in [*texts, *[""] * (width - len(texts))]:
        carried.append(text or (carried[-1] if carried else ""))
    return carried
