"""The tables of a document, a sheet or a CSV file: each under its own header, with the titles and remarks around them
as prose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from adapters.files.content import OutlineBuilder
from adapters.files.table_grid import MAX_CELLS, Cell, merge_header_rows, split_row_lines
from adapters.files.table_headers import (
    HEADER_SCAN_ROWS,
    GridRow,
    build_grid_row,
    count_header_rows,
    guess_header_depth,
)
from pipeline.values import BlockKind

_PREAMBLE = 10
"""Rows above a header that may be title and remarks."""


def add_document_table(
    outline: OutlineBuilder,
    grid: list[list[Cell]],
    marked: int | None = None,
    *,
    continues: bool = False,
    depth: int = 0,
) -> None:
    """Append a table of a document with its spans filled; `marked` as for `count_header_rows`. A first row of one cell
    is its caption. With `continues`, a table without a header continues the one above."""
    width = max(map(len, grid), default=0)
    if len(grid) > 2 and len(grid[0]) == width > 1 and all(cell is grid[0][0] for cell in grid[0]):
        outline.add(BlockKind.PROSE, grid[0][0].text, depth=depth)
        grid, marked = grid[1:], (marked or 0) - 1 if (marked or 0) > 1 else None
    if width * len(grid) <= MAX_CELLS:
        grid = [[*line, *[Cell("")] * (width - len(line))] for line in grid]
    rows = [
        build_grid_row(index, line, above) for index, (line, above) in enumerate(zip(grid, [[], *grid], strict=False))
    ]
    head = count_header_rows(rows[:HEADER_SCAN_ROWS], 0 if continues and not marked else marked)
    names = [cell.text for cell in grid[0]] if head == 1 else None
    table_lines = [(BlockKind.ROW, line) for line in grid[:head]]
    for index in range(head, len(grid)):
        if (texts := [cell.text for cell in grid[index]]) != names:
            kind = BlockKind.HEADER if names and _is_second_header(rows, index) else BlockKind.ROW
            table_lines += [(kind, line) for line in split_row_lines(grid[index])]
            names = texts if kind is BlockKind.HEADER else names
    if head or not continues:
        outline.add_table(
            [[cell.text for cell in line] for _, line in table_lines[:head]],
            header=head,
            depth=depth,
            links=[[link for cell in line for link in cell.links] for _, line in table_lines[:head]],
            code=[[snippet for cell in line for snippet in cell.code] for _, line in table_lines[:head]],
        )
    for kind, line in table_lines[head:]:
        links, code = (
            [link for cell in line for link in cell.links],
            [snippet for cell in line for snippet in cell.code],
        )
        outline.add_row(kind, [cell.text for cell in line], depth=depth, links=links, code=code)


def _is_second_header(rows: list[GridRow], index: int) -> bool:
    """Return whether a row in the midst of a table names its columns anew: words in bold like the first row, between
    rows that are not bold."""
    row, around = rows[index], [rows[index - 1], *rows[index + 1 : index + 2]]
    bold = rows[0].is_emphasized and row.is_emphasized and not any(other.is_emphasized for other in around)
    return (
        bold
        and len(around) > 1
        and index > 1
        and row.own_columns == rows[0].own_columns
        and row.is_header_like
        and not any(map(_has_digit, row.texts))
    )


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


class _OpenTable(NamedTuple):
    """The table that rows belong to until another begins."""

    left: int
    names: list[str]
    strong: bool
    rows: list[GridRow]
    """Some of its first rows."""

    def differs(self, row: GridRow) -> bool:
        """Return whether words of `row` stand in a column that holds nothing but values."""
        for column in range(len(self.names)):
            above = [other.is_number_or_date(column) for other in self.rows if other.text(column)]
            if above and all(above) and row.text(column) and not row.is_number_or_date(column):
                return True
        return False


def add_sheet_tables(outline: OutlineBuilder, rows: Iterable[GridRow], *, spaced: bool = False) -> None:
    """Append `rows`. With `spaced`, empty rows often stand within a table, so that only rows that differ begin
    another."""
    _TableReader(outline, spaced=spaced).read(iter(rows), 0)


class _TableReader:
    def __init__(self, outline: OutlineBuilder, *, spaced: bool) -> None:
        self._outline, self._spaced = outline, spaced
        self._open: _OpenTable | None = None

    def read(self, rows: Iterator[GridRow], left: int, *, beside: bool = False) -> None:
        """Read region after region, which empty rows divide. `left` is the column in the sheet of the first of `rows`.
        `beside` is true where other tables stand beside."""
        region = _Region(rows)
        while start := list(islice(region, HEADER_SCAN_ROWS)):
            if len(sides := _side_starts(start)) > 1:
                everything = [*start, *region]
                for first, following in pairwise([0, *sides[1:], None]):
                    self.read(_side_rows(everything, first or 0, following), left + (first or 0), beside=True)
            else:
                self._read_region(start, region, left, wider=beside or region.wider)
            region.skip_gap()

    def _read_region(self, start: list[GridRow], region: _Region, left: int, *, wider: bool) -> None:
        used = _used_columns(start)
        # the lowest set bit: the first column with a text
        first = (used & -used).bit_length() - 1
        start = [row.crop(first) for row in start]
        rest = (_join_left_columns(row, first) for row in region) if first else region
        left_column, open_table = left + first, self._open
        beside = left_column - open_table.left if open_table else 0
        width = _used_columns(start).bit_length()
        names = len(open_table.names) if open_table else 0
        fits = 0 <= beside <= names - width and (width > 1 or names == 1) and (beside > 0 or width > names // 2)
        above = open_table.rows if open_table and fits and not beside else ()
        titles, depth = _count_titles_and_header(start, above, wider=wider)
        if (
            open_table
            and fits
            and self._continues_table(open_table, start, titles, depth, is_full_width=beside + width == names)
        ):
            self._add_rows(row.shift(beside) for row in chain(start, rest))
            return
        if (
            len(start) == 1
            and start[0].own_columns.bit_count() > 1
            # no two of its columns are neighbours
            and not start[0].own_columns & start[0].own_columns << 1
        ):
            for text in filter(None, start[0].texts):  # the titles of tables side by side
                self._outline.add(BlockKind.PROSE, text, row=start[0].number)
            self._open = None
            return
        for row in start[:titles]:
            self._add_prose(row)
        if depth:
            self._begin_table(start[titles : titles + depth], left_column)
        elif width == 1 or (open_table and open_table.names and not titles):  # rows are no other table's
            for row in chain(start[titles:], rest):
                self._add_prose(row)
            self._open = None
            return
        else:
            self._outline.add_table([], header=0)
            self._open = _OpenTable(left_column, [], strong=False, rows=[])
        self._add_rows(chain(start[titles + depth :], rest))

    def _continues_table(
        self, open_table: _OpenTable, start: list[GridRow], titles: int, depth: int, *, is_full_width: bool
    ) -> bool:
        """Return whether rows below an empty one belong to the table above."""
        first = start[0]
        if list(first.texts) == open_table.names:
            return False
        if not depth or not open_table.rows or len(start) <= titles + depth:
            return titles < len(start)
        if titles or not is_full_width or (first.is_emphasized and not open_table.strong) or open_table.differs(first):
            return False
        return self._spaced or (open_table.strong and not first.is_emphasized)

    def _begin_table(self, rows: list[GridRow], left: int) -> None:
        texts = [list(row.texts) for row in rows]
        if len(rows) > 1 and not rows[0].has_column_span:
            texts[0] = _carry_names(texts[0], len(texts[1]))
        names = merge_header_rows(texts)
        while names and not names[-1]:
            names.pop()
        self._outline.add_row(BlockKind.HEADER, names, row=rows[0].number)
        self._open = _OpenTable(left, names, strong=rows[0].is_emphasized, rows=[])

    def _add_rows(self, rows: Iterable[GridRow]) -> None:
        """Write rows of the open table. A title among them with a row of names below it begins another."""
        title: GridRow | None = None
        for row in rows:
            assert self._open is not None
            if title is not None:
                if self._begins_table(self._open, row):
                    self._add_prose(title)
                    self._begin_table([row], self._open.left)
                    title = None
                    continue
                self._add_row(title)
                title = None
            if row.own_columns == 1 and len(self._open.names) > 1:
                title = row
            else:
                self._add_row(row)
        if title is not None:
            self._add_row(title)

    def _begins_table(self, open_table: _OpenTable, row: GridRow) -> bool:
        """Return whether a row in the midst of a table names columns: words stand where the table has values."""
        return (
            row.own_columns.bit_count() >= max(2, len(open_table.names) - 1)
            and row.is_header_like
            and open_table.differs(row)
        )

    def _add_row(self, row: GridRow) -> None:
        assert self._open is not None
        width = len(self._open.names)
        texts = row.texts
        if len(texts) != width or row.has_column_span:
            texts = list(texts[:1] if row.has_column_span and row.own_columns == 1 else texts)
            while len(texts) > width and not texts[-1]:
                texts.pop()
            texts += [""] * (width - len(texts))
        if texts == self._open.names:  # the header once more, as at the top of a printed page
            return
        self._outline.add_row(BlockKind.ROW, texts, row=row.number)
        if len(self._open.rows) < HEADER_SCAN_ROWS:
            self._open.rows.append(row)

    def _add_prose(self, row: GridRow) -> None:
        """Write a title, a remark, or a name with its value."""
        texts = [text for column, text in enumerate(row.texts) if text and row.own_columns >> column & 1]
        joined = f"{texts[0].removesuffix(':')}: {texts[1]}" if len(texts) == 2 else ", ".join(texts)
        self._outline.add(BlockKind.PROSE, joined, row=row.number)


class _Region:
    """Rows up to the next empty one. `go_on` continues behind it."""

    def __init__(self, rows: Iterator[GridRow]) -> None:
        self._rows = rows
        self._next = next(rows, None)
        self._is_at_gap = False

    def __iter__(self) -> Iterator[GridRow]:
        return self

    def __next__(self) -> GridRow:
        if self._next is None or self._is_at_gap:
            raise StopIteration
        now, self._next = self._next, next(self._rows, None)
        self._is_at_gap = self._next is not None and self._next.follows_gap
        return now

    @property
    def wider(self) -> bool:
        """True where names of more than two columns stand behind the empty row."""
        return (
            self._is_at_gap
            and self._next is not None
            and self._next.own_columns.bit_count() > 2
            and self._next.is_header_like
        )

    def skip_gap(self) -> None:
        self._is_at_gap = False


def _side_rows(rows: list[GridRow], left: int, right: int | None) -> Iterator[GridRow]:
    """Yield the rows of some columns, without empty ones."""
    gap = False
    for row in rows:
        cut = row.crop(left, right, gap=gap)
        if cut.own_columns:
            yield cut
        gap = not cut.own_columns


def _used_columns(rows: Iterable[GridRow]) -> int:
    mask = 0
    for row in rows:
        mask |= row.own_columns
    return mask


def _join_left_columns(row: GridRow, first: int) -> GridRow:
    """Return the row without the columns before `first`. A text in them joins that of the first."""
    before = [text for text in row.texts[:first] if text]
    row = row.crop(first)
    if not before:
        return row
    return row._replace(
        texts=[" ".join([*before, row.text(0)]).strip(), *row.texts[1:]], own_columns=row.own_columns | 1
    )


def _side_starts(rows: list[GridRow]) -> list[int]:
    """Return the first columns of tables that stand side by side, each behind an empty column, with a header of its
    own."""
    used = _used_columns(rows)
    for row in rows:
        if row.has_column_span:
            used |= sum(1 << column for column, text in enumerate(row.texts) if text)
    # columns in use whose left neighbour is not
    starts = [column for column in range(used.bit_length()) if used >> column & 1 and not used << 1 >> column & 1]
    table_starts = starts[:1]
    for start, end in pairwise([*starts[1:], None]):
        assert start is not None
        if _are_two(list(_side_rows(rows, table_starts[-1], start)), list(_side_rows(rows, start, end))):
            table_starts.append(start)
    return table_starts


def _are_two(before: list[GridRow], side: list[GridRow]) -> bool:
    """Return whether the rows of some columns, and those behind an empty one, are two tables: a list under its name
    that ends elsewhere, or both have a header, one beside rows of the other, or words in front of their rows."""
    (titles, depth), (beside, own_depth) = _count_titles_and_header(before), _count_titles_and_header(side)
    rows, own_rows = before[titles + depth :], side[beside + own_depth :]
    if not (depth and rows and _used_columns(before) > 1):
        return False
    if _used_columns(side) == 1:
        elsewhere = before[-1].number != side[-1].number and not any(row.follows_gap for row in side)
        return len(side) > 1 and elsewhere and side[0].is_header_like
    if (
        not own_depth
        and _begin_with_words(side)
        and all(row.own_columns == 0b11 and not row.follows_gap for row in side)
    ):  # labels with values
        return True
    if not (own_depth and own_rows):
        return False
    numbers, own_numbers = {row.number for row in rows}, {row.number for row in own_rows}
    if side[beside].number in numbers or before[titles].number in own_numbers:
        return True
    return _begin_with_words(rows) and _begin_with_words(own_rows)


def _begin_with_words(rows: list[GridRow]) -> bool:
    """Return whether most rows begin with words."""
    keys = [row for row in rows if row.text(0)]
    return sum(row.is_number_or_date(0) for row in keys) * 2 <= len(keys)


def _count_titles_and_header(
    rows: list[GridRow], above: Sequence[GridRow] = (), *, wider: bool = False
) -> tuple[int, int]:
    """Count the first rows that are titles, and the rows after them that are one header."""
    width = _used_columns(rows).bit_length()
    for index, row in enumerate(rows[:_PREAMBLE]):
        pair = width > 2 and _is_name_with_value(rows[index:])
        if not pair and (depth := guess_header_depth(rows[index:], () if index else above, wider=wider)):
            return index, depth
        if row.own_columns.bit_count() > 1 and not pair:
            return index, 0
    titles = next((index for index, row in enumerate(rows) if row.own_columns.bit_count() > 1), len(rows))
    return (titles if titles < _PREAMBLE and width > 1 else 0), 0


def _is_name_with_value(rows: list[GridRow]) -> bool:
    """Return whether the first row, above a wider table, is a name with its value: `Owner: Harbour office`."""
    row = rows[0]
    if row.own_columns != 0b11 or row.has_column_span or row.row_span > 1:
        return False
    if row.text(0).endswith(":") or row.value_columns:
        return True
    start = next((index for index, other in enumerate(rows) if other.own_columns != 0b11), len(rows))
    names, below = rows[start : start + 1], rows[start + 1 : start + 2]
    return (
        bool(below)
        and names[0].own_columns.bit_count() > 2
        and names[0].is_header_like
        and (bool(below[0].value_columns) or names[0].is_emphasized)
    )


def _carry_names(texts: list[str], width: int) -> list[str]:
    """Repeat the names of groups over all of their columns."""
    carried: list[str] = []
    for text in [*texts, *[""] * (width - len(texts))]:
        carried.append(text or (carried[-1] if carried else ""))
    return carried
