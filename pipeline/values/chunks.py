"""The chunks that documents are split into, each with the tree of its units."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from pipeline.values.base import Value

# --- Kinds of text, and rows of tables ------------------------------------------------------------


class BlockKind(StrEnum):
    """The role of a piece of text on its page."""

    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    STEP = "step"
    HEADER = "header"
    """Header row of a table."""
    ROW = "row"
    CODE = "code"


LIST_KINDS = frozenset({BlockKind.ITEM, BlockKind.STEP, BlockKind.ROW})
"""Entries of a list or a table."""
ROW_CELL_SEPARATOR = " | "
"""Separator of two cells in the text of a row."""
Cells = tuple[str, ...]
"""Texts of a table row's cells."""


def join_cells(cells: Iterable[str]) -> str:
    """Return the cells of a table row as one text. Cells may hold the separator: `cell_ends` says where they end."""
    return ROW_CELL_SEPARATOR.join(cells)


def cell_ends(cells: Iterable[str]) -> tuple[int, ...]:
    """Return where each cell ends in the text of a row."""
    ends: list[int] = []
    for cell in cells:
        ends.append((ends[-1] + len(ROW_CELL_SEPARATOR) if ends else 0) + len(cell))
    return tuple(ends)


def cell_spans(ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield where each cell stands in the text of a row; (0, 0) for a cell whose end is below 0, which is missing."""
    start = 0
    for end in ends:
        yield (start, end) if end >= 0 else (0, 0)
        start = end + len(ROW_CELL_SEPARATOR) if end >= 0 else start


def split_cells(text: str) -> Cells:
    """Split a row of which only the text is known into cells."""
    return tuple(text.split(ROW_CELL_SEPARATOR))


def label_cells(cells: Sequence[str], columns: Sequence[str]) -> str:
    """Return a table row that can be read by itself, each cell after the name of its column; empty where no column has
    a name."""
    pairs = zip_longest(columns, cells, fillvalue="")
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell) if any(columns) else ""


def pad_cells(cells: Sequence[str], columns: int) -> Cells:
    """Append empty cells until there are `columns`."""
    return (*cells, *[""] * (columns - len(cells)))


def fill_cells(fields: Any) -> Any:
    """Return the fields of a sentence, with `cells` split from `text` where a row has none."""
    row = (
        isinstance(fields, dict) and fields.get("kind") in (BlockKind.ROW, BlockKind.HEADER) and not fields.get("cells")
    )
    return {**fields, "cells": split_cells(fields.get("text", ""))} if row else fields


# --- Chunks ---------------------------------------------------------------------------------------

_OPENED = LIST_KINDS | {BlockKind.CODE}
_BELOW = frozenset({BlockKind.CODE, BlockKind.HEADER, BlockKind.ROW})
_HOLDERS = frozenset({BlockKind.ITEM, BlockKind.STEP})
_ASKING = re.compile(r"[?？]\W*$")


def is_question(text: str) -> bool:
    """Return whether the text ends with a question mark."""
    return bool(_ASKING.search(text))


class Unit(Value):
    """One sentence, item, step, row or code block of a chunk: the smallest piece that is cited and embedded."""

    start: int
    end: int
    kind: BlockKind
    part: int = 0
    """Number of the paragraph, list, table or run of code in its document, including what stands in the entries of a
    list; 0 in chunks from before this field."""
    parent: int | None = None
    """Index of the unit of its chunk that it stands under: the entry that it is nested in, the lead-in or heading of
    its list, the header of its table, the sentence that its code follows, the heading above its sentence."""
    number: int = 0
    """Number of a step, as it is counted."""
    inferred: bool = False
    """True for a heading that is known by its looks alone."""
    cells: tuple[int, ...] = ()
    """Ends of the cells of a row or a header, from `start`; -1 for a cell that stands in another part of a row that is
    cut apart. Between two cells is `ROW_CELL_SEPARATOR`. Empty in chunks from before this field."""


class Chunk(Value):
    """A piece of one document that is searched and cited as a whole."""

    id: str
    document_id: str
    text: str
    units: tuple[Unit, ...]
    """Units in order, not overlapping, covering all text but the white space between."""
    heading: tuple[str, ...] = ()
    page: int | None = None
    sheet: str | None = None
    row: int | None = None
    position: int = 0
    """0-based place in the document."""
    overlap: int = 0
    """Number of leading characters that repeat the end of the chunk before."""
    together: bool = False
    """True where its units are short rows of a long table: one vector stands for all of them."""
    anchors: tuple[tuple[int, str], ...] = ()
    """Start character and `Block.anchor` of each part of the text that an anchor leads to; ascending."""
    links: tuple[tuple[int, int, str], ...] = ()
    """Start and end of words that link to the document's own host, and the address."""
    code: tuple[tuple[int, int], ...] = ()
    """Start and end of inline code."""

    def unit_text(self, unit: Unit) -> str:
        """Return the text of one of its units."""
        return self.text[unit.start : unit.end]

    def text_at(self, index: int) -> str:
        """Return the text of the unit with that index."""
        return self.unit_text(self.units[index])

    def is_heading_like(self, index: int) -> bool:
        """Return whether a unit is a heading, or a question, which stands above its answer like one."""
        kind = self.units[index].kind
        return kind is BlockKind.HEADING or (kind is BlockKind.PROSE and is_question(self.text_at(index)))

    def headings_above(self, index: int) -> str:
        """Return the headings that a unit stands under."""
        return " ".join((*self.heading, self.nearest_heading(index)))

    def nearest_heading(self, index: int) -> str:
        """Return the nearest heading above a unit in this chunk, or the question that it answers; empty where there is
        none."""
        return next((self.text_at(place) for place in range(index - 1, -1, -1) if self.is_heading_like(place)), "")

    def lead_in(self, index: int) -> int | None:
        """Return the index of the unit without which a unit cannot be understood: the header of its table, the lead-in
        or heading of its list, the sentence that its code follows."""
        return self.units[index].parent if self.units[index].kind in _OPENED else None

    def list_depth(self, index: int) -> int:
        """Return the number of list entries that a unit stands in."""
        depth = 0
        parent = self.units[index].parent
        while parent is not None:
            depth += self.units[parent].kind in _HOLDERS
            parent = self.units[parent].parent
        return depth

    def header_of(self, index: int) -> int | None:
        """Return the index of a row's header."""
        return self.units[index].parent if self.units[index].kind is BlockKind.ROW else None

    def is_on_new_line(self, index: int) -> bool:
        """Return whether a line break stands between a unit and the one before it."""
        return index == 0 or "\n" in self.text[self.units[index - 1].end : self.units[index].start]

    def nested_units(self, index: int) -> range:
        """Return the range of units that belong to a sentence, item or step and stand below it: its code, the list and
        the text in an item."""
        holders = {index}
        for place in range(index + 1, len(self.units)):
            unit = self.units[place]
            inside = unit.kind in _BELOW or self.units[index].part == unit.part
            if not inside or unit.parent not in holders:
                return range(index + 1, place)
            holders.add(place)
        return range(index + 1, len(self.units))

    def enclosing_block(self, index: int) -> range:
        """Return the range of units of the list, table or code that a unit is part of: its entries and what stands in
        them."""
        part = self.units[index].part
        if self.units[index].kind not in _OPENED or not part:
            return range(index, index + 1)
        places = [
            place for place, unit in enumerate(self.units) if unit.part == part and unit.kind is not BlockKind.HEADER
        ]
        return range(places[0], self.nested_units(places[-1]).stop)

    def continues_in(self, index: int, following: Chunk) -> bool:
        """Return whether the list, table or code that a unit is part of reaches the end and continues in
        `following`."""
        first = next((unit for unit in following.units if unit.start >= following.overlap), None)
        joined = (following.document_id, following.position) == (self.document_id, self.position + 1)
        part = self.units[index].part
        return joined and first is not None and 0 < part == first.part == self.units[-1].part

    def cells_at(self, index: int) -> Cells:
        """Return the cells of a row or a header, one text a column; of a row as many as its header has, or more."""
        cells = tuple(self.text[start:end] for start, end in self.cell_spans(index))
        place = self.header_of(index) if self.units[index].cells else None
        return cells if place is None else pad_cells(cells, len(self.units[place].cells))

    def cell_spans(self, index: int) -> list[tuple[int, int]]:
        """Return start and end of the cells of a row or a header in the text, for the cells that it has."""
        start, ends = self.units[index].start, self.units[index].cells or cell_ends(split_cells(self.text_at(index)))
        return [(start + first, start + last) for first, last in cell_spans(ends)]

    def labeled_row(self, index: int) -> str:
        """Return a row that can be read by itself, each cell after the name of its column; empty where the names are
        unknown."""
        place = self.header_of(index)
        if place is None:
            return ""
        cells, columns = self.cells_at(index), self.cells_at(place)
        return label_cells(cells, columns) if self.units[index].cells or len(cells) == len(columns) else ""

    def code_spans(self, index: int) -> tuple[tuple[int, int], ...]:
        """Return start and end of inline code in the text of a unit."""
        unit = self.units[index]
        inside = (span for span in self.code if unit.start <= span[0] and span[1] <= unit.end)
        return tuple((start - unit.start, end - unit.start) for start, end in inside)

    def readable_row(self, index: int) -> str:
        """Return `labeled_row`, or the cells one after another where the names of the columns are unknown."""
        return self.labeled_row(index) or " / ".join(filter(None, self.cells_at(index)))
