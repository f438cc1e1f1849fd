"""Tables of HTML: their rows, how many of them name the columns, and whether it is one at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from adapters.files.tables import Cell
from adapters.files.text.html_tree import HEADINGS, Element, text_of

MOST_ROWS = 65_534
"""Rows that a cell spans, as in browsers."""
_MOST_HEADERS = 5
"""Rows of a header."""
_SHORT = 100
"""Characters of a cell in a table that a page says is none."""
_LONGEST_CELL = 300
"""Characters of a cell of a table that begins with a heading."""
_LONGEST_NUMBER = 9
"""Digits of a step's number, as in CommonMark."""
_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot"})


def rows_of(table: Element) -> Iterable[Element]:
    """The rows of `table` itself, not of tables in it."""
    for part in table:
        for row in part if part.tag in _ROW_GROUPS else [part]:
            if row.tag == "tr" and next(row.iterchildren("td", "th"), None) is not None:
                yield row


def cells_of(row: Element) -> list[Element]:
    return list(row.iterchildren("td", "th"))


def marks(row: Iterable[Cell]) -> dict[str, Any]:
    """The links and the code of its cells."""
    marked = [cell for cell in row if cell.links or cell.code]
    return {
        "links": [link for cell in marked for link in cell.links],
        "code": [code for cell in marked for code in cell.code],
    }


def is_layout(table: Element, rows: Sequence[Element]) -> bool:
    """Whether `table` only puts things beside each other."""
    if all(len(row) <= 1 for row in rows):
        return True
    if table.get("role") in {"presentation", "none"}:
        return table.find(".//table") is not None or not _is_regular(rows)
    if any(row.find("th") is not None for row in rows):
        return False
    held = [cell for row in rows for cell in row if next(cell.iter(*HEADINGS, "pre"), None) is not None]
    return bool(held) and (len(rows) == 1 or any(len(text_of(cell)) > _LONGEST_CELL for cell in held))


def _is_regular(rows: Sequence[Element]) -> bool:
    """Whether there are several rows with as many cells, all of them filled with a few words."""
    same = len(rows) > 1 and len({len(cells_of(row)) for row in rows}) == 1
    return same and all(0 < len(text_of(cell)) < _SHORT for row in rows for cell in cells_of(row))


def repeated(row: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Whether all cells of `row` span into the row `below`, which says the same and more."""
    return bool(row) and len(row) < len(below) and all(one is other for one, other in zip(row, below, strict=False))


def header_rows(rows: Sequence[Element]) -> int:
    """How many of the first rows name the columns."""
    count = sum(row.getparent().tag == "thead" for row in rows[: _MOST_HEADERS + 1])
    for row in [] if count else rows[: min(len(rows) - 1, _MOST_HEADERS + 1)]:
        named = [cell for cell in cells_of(row) if cell.tag == "th" or text_of(cell)]
        if not (named and all(cell.tag == "th" for cell in named)):
            break
        count += 1
    if count > _MOST_HEADERS:
        return 1
    spans = ((at, at + as_number(cell.get("rowspan"))) for at, row in enumerate(rows[:count]) for cell in cells_of(row))
    count = next((at for at, end in spans if at and end > count), count)
    return count or int(len(rows) > 1 and _is_bold(rows[0]) and not _is_bold(rows[1]))


def _is_bold(row: Element) -> bool:
    """Whether all that a row says is bold."""
    told = [cell for cell in cells_of(row) if text_of(cell)]
    bold = (sum(len(text_of(part)) for part in cell.iter("b", "strong")) for cell in told)
    return bool(told) and all(size >= len(text_of(cell)) for size, cell in zip(bold, told, strict=True))


def as_number(said: str | None, otherwise: int = 1) -> int:
    """That of a step, or of rows or columns."""
    said = (said or "").strip()
    return int(said) if re.fullmatch(r"[0-9]+", said) and len(said) <= _LONGEST_NUMBER else otherwise
