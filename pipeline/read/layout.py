"""What belongs together within a passage: a list and its lead-in, a table and its header, text and its heading."""

from __future__ import annotations

import re
from collections.abc import Container

from pipeline.values import BlockKind, Chunk, row_cells, row_named
from pipeline.words.text import is_question
from pipeline.words.text import leads_in as leads_in

LISTED = frozenset({BlockKind.ITEM, BlockKind.STEP, BlockKind.ROW})
_OPENED = LISTED | {BlockKind.CODE}
_BELOW = frozenset({BlockKind.CODE, BlockKind.HEADER, BlockKind.ROW})
_DETAIL = re.compile(r"[,;:]\s|[(\[、（]")
_NAME = 5
"""Words up to which a cell, or the beginning of an item, names something."""


def text_of(chunk: Chunk, index: int) -> str:
    """The text of one unit."""
    unit = chunk.units[index]
    return chunk.said(unit)


def cells(row: str) -> list[list[str]]:
    """What each cell of a table row names: the parts between its commas and brackets; nothing if it is long."""
    return [_DETAIL.split(cell) if len(cell.split()) <= _NAME else [] for cell in row_cells(row)]


def subject(item: str) -> list[str]:
    """What an item begins with, up to a comma, colon or bracket; empty if that is long."""
    found = _DETAIL.split(item, maxsplit=1)[0]
    return [found] if len(found.split()) <= _NAME else []


def spelled_out(chunk: Chunk, index: int) -> str:
    """A table row by itself, each cell behind the name of its column; the row as it stands where that is not known."""
    row, place = text_of(chunk, index), opening(chunk, index)
    return row_named(row, "" if place is None else text_of(chunk, place)) or " / ".join(row_cells(row))


def is_heading(chunk: Chunk, index: int) -> bool:
    """A heading, or a question, which stands above its answer like one."""
    kind = chunk.units[index].kind
    return kind is BlockKind.HEADING or (kind is BlockKind.PROSE and is_question(text_of(chunk, index)))


def above(chunk: Chunk, index: int) -> str:
    """The headings that a unit stands under."""
    nearest = next((text_of(chunk, place) for place in range(index - 1, -1, -1) if is_heading(chunk, place)), "")
    return " ".join((*chunk.heading, nearest))


def apart(chunk: Chunk, index: int) -> bool:
    """Whether a line break stands between a unit and the one before it."""
    return index == 0 or "\n" in chunk.text[chunk.units[index - 1].end : chunk.units[index].start]


def within(chunk: Chunk, index: int) -> range:
    """What belongs to a sentence, item or step and stands below it: its code, the list and the text in an item."""
    holders = {index}
    for place in range(index + 1, len(chunk.units)):
        unit = chunk.units[place]
        inside = unit.kind in _BELOW or chunk.units[index].part == unit.part
        if not inside or unit.parent not in holders:
            return range(index + 1, place)
        holders.add(place)
    return range(index + 1, len(chunk.units))


def run(chunk: Chunk, index: int) -> range:
    """The units of the list, table or code that a unit is part of: its entries and what stands in them."""
    part = chunk.units[index].part
    if chunk.units[index].kind not in _OPENED or not part:
        return range(index, index + 1)
    own = [place for place, unit in enumerate(chunk.units) if unit.part == part and unit.kind is not BlockKind.HEADER]
    return range(own[0], within(chunk, own[-1]).stop)


def counts(chunk: Chunk, members: range, said: Container[int]) -> bool:
    """Whether those steps of a list that are `said` are counted without a gap."""
    steps = [chunk.units[index].number for index in members if index in said]
    told = [number for number in steps if number]
    return bool(told) and told == list(range(told[0], told[0] + len(told)))


def opening(chunk: Chunk, index: int) -> int | None:
    """What a unit cannot be understood without: the header of its table, the lead-in or heading of its list, the
    sentence that its code block follows."""
    return chunk.units[index].parent if chunk.units[index].kind in _OPENED else None


def goes_on(chunk: Chunk, index: int, following: Chunk) -> bool:
    """Whether what a unit belongs to (a list, a table, code) reaches the end of its chunk and goes on in the next."""
    first = next((unit for unit in following.units if unit.start >= following.overlap), None)
    joined = (following.document_id, following.position) == (chunk.document_id, chunk.position + 1)
    part = chunk.units[index].part
    return joined and first is not None and 0 < part == first.part == chunk.units[-1].part


def header(chunk: Chunk, index: int) -> int | None:
    """The header of a row."""
    return chunk.units[index].parent if chunk.units[index].kind is BlockKind.ROW else None
