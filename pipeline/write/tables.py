"""Markdown tables as models write them."""

from __future__ import annotations

import re

from pipeline.values import BlockKind
from pipeline.write.marks import bare, extract

_CELLS = re.compile(r"(?<!\\)\|")
_RULER = re.compile(r":?-+:?$")
_SOURCES = re.compile(r"(?:sources?|citations?|references?|quellen?|fuentes?|passages?)$", re.IGNORECASE)

Row = tuple[str, BlockKind, tuple[int, ...]]


def is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def read_table(lines: list[str]) -> list[Row]:
    """Header and rows as text, kind and source numbers; a column of sources becomes the rows' numbers.

    The header rests on what all rows rest on.
    """
    table = [[cell.strip() for cell in _CELLS.split(line.strip().strip("|"))] for line in lines]
    ruled = len(table) > 1 and all(_RULER.match(cell) for cell in table[1])
    rows = [cells for cells in table if not all(_RULER.match(cell) or not cell for cell in cells)]
    column = next((n for n, cell in enumerate(rows[0]) if _SOURCES.match(cell)), None) if ruled and rows else None
    read = [_read(cells, column, BlockKind.ROW) for cells in rows[ruled:]]
    if not (ruled and rows):
        return read
    text, _, _ = _read(rows[0], column, BlockKind.HEADER)
    return [(text, BlockKind.HEADER, tuple(dict.fromkeys(n for row in read for n in row[2]))), *read]


def _read(cells: list[str], column: int | None, kind: BlockKind) -> Row:
    numbers: dict[int, None] = {}
    kept: list[str] = []
    for position, cell in enumerate(cells):
        text, named = extract(cell)
        if position == column:
            named = bare(cell)
        else:
            kept.append(text.replace("<br>", " "))
        numbers.update(dict.fromkeys(named))
    return " | ".join(kept), kind, tuple(numbers)
