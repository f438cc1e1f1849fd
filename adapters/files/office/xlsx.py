"""XLSX -> rows of each visible sheet under their header row."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from typing import Any

from openpyxl import load_workbook

from adapters.files.office.archive import check_archive
from adapters.files.outline import Content, Outline, Progress, unheard
from adapters.files.text.csv import is_header
from pipeline.values import BlockKind

_PAGE = 2_500
"""Cells that count as much as a page."""
_SEARCHED = 10
"""Rows in which the header row is looked for."""


def read_xlsx(content: bytes, on_pages: Progress = unheard) -> Content:
    """Values as last calculated, dates as ISO 8601, percentages as such; hidden sheets are left out. `on_pages` hears
    how many pages' worth of cells were read."""
    check_archive(content)
    book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    outline = Outline()
    cells = _Cells(on_pages)
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        sheet.reset_dimensions()
        outline.sheet = sheet.title
        named = len(book.worksheets) > 1 or not sheet.title.lower().startswith("sheet")
        _sheet(outline, cells.shown(sheet), sheet.title if named else "")
    return outline.content(title=(book.properties.title or "").strip())


class _Cells:
    """The cells of a workbook, counted."""

    def __init__(self, on_pages: Progress) -> None:
        self._on_pages = on_pages
        self._count = 0

    def shown(self, sheet: Any) -> Iterator[tuple[int, list[str]]]:
        for number, row in enumerate(sheet.iter_rows(), 1):
            before, self._count = self._count, self._count + len(row)
            if before // _PAGE != self._count // _PAGE:
                self._on_pages(self._count // _PAGE, 0)
            yield number, [_shown(cell) for cell in row]


def _sheet(outline: Outline, rows: Iterator[tuple[int, list[str]]], name: str) -> None:
    """Lines above the header row are prose: the title of the sheet, a remark."""
    filled = ((number, cells) for number, cells in rows if any(cells))
    header_found = False
    for count, (number, cells) in enumerate(filled):
        if count == 0 and name:
            outline.heading(1, name)
        if header_found or count >= _SEARCHED:
            outline.row(BlockKind.ROW, _trimmed(cells), row=number)
        elif sum(map(bool, cells)) == 1:
            outline.add(BlockKind.PROSE, "".join(cells), row=number)
        else:
            outline.row(BlockKind.HEADER if is_header(cells) else BlockKind.ROW, _trimmed(cells), row=number)
            header_found = True


def _trimmed(cells: list[str]) -> list[str]:
    """Without the empty columns at the end."""
    end = len(cells)
    while end and not cells[end - 1]:
        end -= 1
    return cells[:end]


def _shown(cell: Any) -> str:
    """A value much as the sheet shows it."""
    value = cell.value
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case dt.datetime():
            return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ", "minutes")
        case int() | float():
            if "%" in (cell.number_format or ""):
                return f"{round(value * 100, 4):g} %"
            return str(value) if isinstance(value, int) else f"{value:.10g}"
        case _:
            return str(value).strip()
