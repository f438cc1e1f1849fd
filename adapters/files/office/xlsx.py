"""XLSX and its kin as the tables of each visible sheet, as a person sees them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from adapters.files.content import OutlineBuilder, ParsedFile, ProgressCallback, ignore_progress
from adapters.files.office.charts import chart_table
from adapters.files.office.package import Relationship
from adapters.files.office.sheet_rows import SheetRows
from adapters.files.office.workbook import Workbook, WorkbookSheet, rich_text
from adapters.files.table_headers import GridRow
from adapters.files.table_regions import add_sheet_tables
from pipeline.values import BlockKind

_PAGE = 2_500
"""Cells that count as much as a page."""
_THREAD = "[Threaded comment]"


def read_xlsx(content: bytes, on_pages: ProgressCallback = ignore_progress) -> ParsedFile:
    """Read values as last calculated, in their formats. Hidden sheets, rows and columns are left out. `on_pages` is
    called with the number of pages' worth of cells read."""
    outline = OutlineBuilder()
    book = Workbook(content, outline.note_unread)
    reader = _WorkbookReader(book, outline, on_pages)
    for sheet in book.sheets:
        if sheet.is_visible:
            reader.read_sheet(sheet)
    return outline.build(title=book.title)


_DAMAGED = "damaged, what stands behind was not read"


class _WorkbookReader:
    """A reader of one workbook, sheet after sheet."""

    def __init__(self, book: Workbook, outline: OutlineBuilder, on_pages: ProgressCallback) -> None:
        self._book, self._outline, self._on_pages = book, outline, on_pages
        self._visible_sheets = {sheet.name for sheet in book.sheets if sheet.is_visible}
        self._cells = 0

    def read_sheet(self, sheet: WorkbookSheet) -> None:
        """Read a sheet. A part of it that cannot be read is noted as unread, and the rest is read."""
        self._outline.sheet = sheet.name
        related = list(self._book.package.relationships(sheet.part).values())
        rows = SheetRows(self._book, self._book.package.read(sheet.part) or b"", self._read_notes(related))
        if sheet.kind == "worksheet":
            with self._outline.skip_damaged(f"sheet {sheet.name}: {_DAMAGED}"):
                add_sheet_tables(self._outline, self._count_rows(rows, sheet))
        elif sheet.kind != "chartsheet":
            self._outline.note_unread(f"sheet {sheet.name}: a {sheet.kind}, which is not read")
        if rows.formulas:
            self._outline.note_unread(f"sheet {sheet.name}, {_describe_cells(rows.formulas)}")
        for part in related:
            if part.kind == "drawing":
                with self._outline.skip_damaged(f"sheet {sheet.name}: a drawing that could not be read"):
                    self._read_drawing(sheet, part.target, alone=not rows.cells)

    def _read_notes(self, related: list[Relationship]) -> dict[str, str]:
        """Return the notes and comments of a sheet by their cells, `B3`."""
        notes: dict[str, list[str]] = defaultdict(list)
        for part in sorted(related, key=lambda part: part.kind != "threadedComment"):
            tree = self._book.package.xml(part.target) if part.kind in {"threadedComment", "comments"} else None
            if tree is None:
                continue
            for comment in tree.iter("{*}threadedComment"):
                notes[comment.get("ref", "")].append(comment.findtext("{*}text") or "")
            authors = [f"{author.text}:" for author in tree.iter("{*}author") if author.text]
            for comment in tree.iter("{*}comment"):
                text = "".join(map(rich_text, comment.iterfind("{*}text"))).strip()
                for author in authors:
                    text = text.removeprefix(author).strip()
                if not text.startswith(_THREAD):
                    notes[comment.get("ref", "")].append(text)
        return {cell: " ".join(" ".join(texts).split()) for cell, texts in notes.items()}

    def _read_drawing(self, sheet: WorkbookSheet, path: str, *, alone: bool) -> None:
        """Append text boxes as prose, charts as tables of their series. A chart over visible sheets gives only its
        title."""
        tree = self._book.package.xml(path)
        if tree is None:
            return
        boxes, charts = list(tree.iter("{*}txBody")), self._book.package.parts_of_kind(path, "chart")
        if alone and (boxes or charts):
            self._add_sheet_name(sheet)
        elif alone and next(tree.iter("{*}pic"), None) is not None:
            self._outline.note_unread(f"sheet {sheet.name}: no text, only a picture")
        for box in boxes:
            for paragraph in box.iter("{*}p"):
                self._outline.add(BlockKind.PROSE, "".join(run.text or "" for run in paragraph.iter("{*}t")))
        for chart in (tree for part in charts if (tree := self._book.package.xml(part)) is not None):
            title, rows = chart_table(chart)
            self._outline.add(BlockKind.PROSE, title)
            sources = {(formula.text or "").rpartition("!")[0].strip("'") for formula in chart.iter("{*}f")}
            if sheet.kind == "chartsheet" or not sources or not sources <= self._visible_sheets:
                self._outline.add_table(rows, header=1)

    def _add_sheet_name(self, sheet: WorkbookSheet) -> None:
        """Append the name of a sheet, unless it is the only one and nobody named it."""
        if len(self._book.sheets) > 1 or not sheet.name.lower().startswith("sheet"):
            self._outline.add_heading(1, sheet.name)

    def _count_rows(self, rows: SheetRows, sheet: WorkbookSheet) -> Iterator[GridRow]:
        """Yield the rows of a sheet, under its name."""
        start = self._cells
        with self._outline.skip_damaged(f"sheet {sheet.name}: {_DAMAGED}"):  # what was read before is not lost
            for index, row in enumerate(rows):
                if not index:
                    self._add_sheet_name(sheet)
                before, self._cells = self._cells, start + rows.cells
                if before // _PAGE != self._cells // _PAGE:
                    self._on_pages(self._cells // _PAGE, 0)
                yield row


def _describe_cells(places: list[str]) -> str:
    """Return `B3: formula without a value`, or the number of such cells."""
    text = f"{places[0]}: formula without a value"
    return text if len(places) == 1 else f"{places[0]} and {len(places) - 1} more: formulas without a value"
