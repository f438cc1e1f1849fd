"""What belongs together within a passage: a list and its lead-in, a table and its header, text and its heading."""

from __future__ import annotations

import re
from collections.abc import Container

from pipeline.values import BlockKind, Chunk, row_cells, row_named
from pipeline.words.text import leads_in as leads_in

LISTED = frozenset({BlockKind.ITEM, BlockKind.STEP, BlockKind.ROW})
_EXPLAINS = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP})
_QUESTION = re.compile(r"[?？]\W*$")
_TITLE = re.compile(r"[^\W\d_a-z][^\d.!?;。！？]*(?<![,:：、])")
"""Begins with a capital (or in a script without them), has no figure, and no mark that ends a sentence."""
_HEADING_LENGTH = 80
_DETAIL = re.compile(r"[,;:]\s|[(\[、（]")
_NAME = 5
"""Words up to which a cell, or the beginning of an item, names something."""
_REACH = 2
"""So many sentences or code blocks may stand between two entries of one list."""


def text_of(chunk: Chunk, index: int) -> str:
    """The text of one unit."""
    unit = chunk.units[index]
    return chunk.text[unit.start : unit.end]


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
    """A heading, a question that stands above its answer like one, or a short line above text that reads like one."""
    kind = chunk.units[index].kind
    if kind is not BlockKind.PROSE:
        return kind is BlockKind.HEADING
    text = text_of(chunk, index)
    return bool(_QUESTION.search(text)) or (_is_short_line(chunk, index, text) and _is_text(chunk, index + 1))


def _is_short_line(chunk: Chunk, index: int, text: str) -> bool:
    alone = apart(chunk, index) and index + 1 < len(chunk.units) and apart(chunk, index + 1)
    return alone and len(text) <= _HEADING_LENGTH and bool(_TITLE.fullmatch(text))


def _is_text(chunk: Chunk, index: int) -> bool:
    """Whether a unit is more than another short line."""
    text = text_of(chunk, index)
    return chunk.units[index].kind is not BlockKind.PROSE or not _TITLE.fullmatch(text) or len(text) > _HEADING_LENGTH


def above(chunk: Chunk, index: int) -> str:
    """The headings that a unit stands under."""
    nearest = next((text_of(chunk, place) for place in range(index - 1, -1, -1) if is_heading(chunk, place)), "")
    return " ".join((*chunk.heading, nearest))


def apart(chunk: Chunk, index: int) -> bool:
    """Whether a line break stands between a unit and the one before it."""
    return index == 0 or "\n" in chunk.text[chunk.units[index - 1].end : chunk.units[index].start]


def within(chunk: Chunk, index: int) -> range:
    """What belongs to a sentence, item or step and stands below it: its code blocks, the list nested in an item."""
    end = index + 1
    while end < len(chunk.units) and _belongs(chunk, index, end):
        end += 1
    return range(index + 1, end)


def _belongs(chunk: Chunk, index: int, place: int) -> bool:
    kind = chunk.units[place].kind
    if kind is BlockKind.ITEM and chunk.units[index].kind in (BlockKind.ITEM, BlockKind.STEP):
        return _indent(chunk, place) > _indent(chunk, index)
    return kind is BlockKind.CODE and chunk.units[index].kind in _EXPLAINS


def _indent(chunk: Chunk, index: int) -> int:
    """Blanks before the marker of an item."""
    start = chunk.units[index - 1].end if index else 0
    before = chunk.text[start : chunk.units[index].start].rpartition("\n")[2]
    return len(before) - len(before.lstrip(" "))


def run(chunk: Chunk, index: int) -> range:
    """The units of the list, table or code that a unit is part of: its entries and what stands between them."""
    kind = chunk.units[index].kind
    if kind is BlockKind.CODE:
        return _code(chunk, index)
    if kind not in LISTED:
        return range(index, index + 1)
    start, end = index, index + 1
    while (before := _entry(chunk, kind, range(start - 1, -1, -1))) is not None:
        start = before
    while (after := _entry(chunk, kind, range(end, len(chunk.units)))) is not None:
        end = after + 1
    return range(start, within(chunk, end - 1).stop)


def _code(chunk: Chunk, index: int) -> range:
    """The code blocks that stand one after another."""
    start, end = index, index + 1
    while start and chunk.units[start - 1].kind is BlockKind.CODE:
        start -= 1
    while end < len(chunk.units) and chunk.units[end].kind is BlockKind.CODE:
        end += 1
    return range(start, end)


def counts(chunk: Chunk, members: range, said: Container[int]) -> bool:
    """Whether those steps of a list that are `said` are its first ones."""
    steps = [index in said for index in members if chunk.units[index].kind is BlockKind.STEP]
    start = chunk.units[members.start - 1].end if members.start else 0
    marker = chunk.text[start : chunk.units[members.start].start].strip()
    return marker in ("1.", "") and all(steps[: sum(steps)])


def _entry(chunk: Chunk, kind: BlockKind, places: range) -> int | None:
    """The nearest of `places` that holds an entry, unless a heading, another list or its lead-in comes first."""
    reach = _REACH
    for place in places:
        found = chunk.units[place].kind
        if found is kind:
            return place
        if found is BlockKind.ITEM and kind is BlockKind.STEP and _indent(chunk, place):
            continue
        reach -= 1
        if reach < 0 or found not in (BlockKind.PROSE, BlockKind.CODE) or is_heading(chunk, place):
            return None
        if kind is BlockKind.ITEM and leads_in(text_of(chunk, place)):
            return None
    return None


def opening(chunk: Chunk, index: int) -> int | None:
    """What a unit cannot be understood without: the header of its table, the lead-in or heading of its list, the
    sentence that its code block follows."""
    kind = chunk.units[index].kind
    if kind is BlockKind.CODE:
        return _explaining(chunk, index)
    if kind is BlockKind.ROW:
        return header(chunk, index)
    if kind not in LISTED:
        return None
    start = run(chunk, index).start
    for place in range(start - 1, -1, -1):
        found = chunk.units[place].kind
        if is_heading(chunk, place) or (leads_in(text_of(chunk, place)) and not within(chunk, place)):
            return place
        if found in LISTED or found is BlockKind.PROSE:
            return place if place == start - 1 and not apart(chunk, start) else None
    return None


def goes_on(chunk: Chunk, index: int, following: Chunk) -> bool:
    """Whether what a unit belongs to (a list, a table, code) reaches the end of its chunk and goes on in the next."""
    kind = chunk.units[index].kind
    first = next((number for number, unit in enumerate(following.units) if unit.start >= following.overlap), None)
    joined = (following.document_id, following.position) == (chunk.document_id, chunk.position + 1)
    return (
        joined
        and first is not None
        and len(chunk.units) - run(chunk, index).stop <= _REACH
        and following.units[first].kind is kind
        and following.heading == chunk.heading
    )


def header(chunk: Chunk, index: int) -> int | None:
    """The nearest header of a table above a unit."""
    return next((place for place in range(index - 1, -1, -1) if chunk.units[place].kind is BlockKind.HEADER), None)


def _explaining(chunk: Chunk, index: int) -> int | None:
    """The sentence, step or heading right above a code block, or above those that it follows."""
    index = _code(chunk, index).start
    return index - 1 if index and chunk.units[index - 1].kind in {*_EXPLAINS, BlockKind.HEADING} else None
