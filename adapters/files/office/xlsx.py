"""XLSX and its kin -> the tables of each visible sheet, as a person sees them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from adapters.files.office.archive import check_archive
from adapters.files.office.sheet_extras import drawn, has_picture, has_words, notes
from adapters.files.office.sheet_rows import SheetRows
from adapters.files.office.workbook import Sheet, Workbook
from adapters.files.outline import Content, Outline, Progress, unheard
from adapters.files.regions import tables
from adapters.files.tables import Row
from pipeline.errors import Refused

_PAGE = 2_500
"""Cells that count as much as a page."""


def read_xlsx(content: bytes, on_pages: Progress = unheard) -> Content:
    """Values as last calculated, in their formats; hidden sheets, rows and columns are left out. `on_pages` hears how
    many pages' worth of cells were read."""
    check_archive(content)
    book = Workbook(content)
    outline = Outline()
    for part in book.unread:
        outline.unread(part)
    reading = _Reading(book, outline, on_pages)
    for sheet in book.sheets:
        if sheet.shown:
            reading.sheet(sheet)
    return outline.content(title=book.title)


class _Reading:
    """Reads sheet after sheet of a workbook."""

    def __init__(self, book: Workbook, outline: Outline, on_pages: Progress) -> None:
        self._book, self._outline, self._on_pages = book, outline, on_pages
        self._shown = {sheet.name for sheet in book.sheets if sheet.shown}
        self._cells = 0

    def sheet(self, sheet: Sheet) -> None:
        """A part of a sheet that cannot be read is named, and the rest is."""
        self._outline.sheet = sheet.name
        related = list(self._book.relations(sheet.part.path).values())
        hung: dict[str, str] = {}
        with _rest(self._outline, sheet, "notes that could not be read"):
            hung = notes(self._book, related)
        rows = SheetRows(self._book, sheet.part.path, hung)
        if sheet.part.kind == "worksheet":
            with _rest(self._outline, sheet, "damaged, what stands behind was not read"):
                tables(self._outline, self._counted(rows, sheet))
        elif sheet.part.kind != "chartsheet":
            self._outline.unread(f"sheet {sheet.name}: a {sheet.part.kind}, which is not read")
        if rows.formulas:
            self._outline.unread(f"sheet {sheet.name}, {_cells(rows.formulas)}")
        for part in related:
            if part.kind == "drawing":
                with _rest(self._outline, sheet, "a drawing that could not be read"):
                    self._drawing(sheet, part.path, alone=not rows.cells)

    def _drawing(self, sheet: Sheet, path: str, *, alone: bool) -> None:
        tree = self._book.tree(path)
        if alone and has_words(tree):
            self._head(sheet)
        elif alone and has_picture(tree):
            self._outline.unread(f"sheet {sheet.name}: no text, only a picture")
        drawn(self._outline, self._book, path, told=self._shown if sheet.part.kind == "worksheet" else set())

    def _head(self, sheet: Sheet) -> None:
        """The name of a sheet, unless it is the only one and nobody gave it one."""
        if len(self._book.sheets) > 1 or not sheet.name.lower().startswith("sheet"):
            self._outline.heading(1, sheet.name)

    def _counted(self, rows: SheetRows, sheet: Sheet) -> Iterator[Row]:
        """The rows of a sheet, under its name."""
        start = self._cells
        for index, row in enumerate(rows):
            if not index:
                self._head(sheet)
            before, self._cells = self._cells, start + rows.cells
            if before // _PAGE != self._cells // _PAGE:
                self._on_pages(self._cells // _PAGE, 0)
            yield row


@contextmanager
def _rest(outline: Outline, sheet: Sheet, what: str) -> Iterator[None]:
    """What goes wrong inside is noted, so that the rest is read."""
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - whatever a damaged part raises
        outline.unread(f"sheet {sheet.name}: {what}")


def _cells(places: list[str]) -> str:
    """`B3: formula without a value`, or how many."""
    one = f"{places[0]}: formula without a value"
    return one if len(places) == 1 else f"{places[0]} and {len(places) - 1} more: formulas without a value"
