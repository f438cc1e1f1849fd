"""ODT, ODS and ODP as blocks: text with headings, lists, tables and notes; sheets; slides."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

from adapters.files.content import OutlineBuilder, ParsedFile, ProgressCallback, drop_placeholder_title, ignore_progress
from adapters.files.formats import ZIP_MAGIC
from adapters.files.office.odf_text import SHAPES, OdfContentReader
from adapters.files.office.package import OfficePackage, local_attribute, local_name, parse_xml
from adapters.files.office.slides import SlideShape, find_title_shape, sort_shapes
from adapters.files.table_grid import MAX_CELLS, MAX_COLUMNS, Cell, iter_filled_rows
from adapters.files.table_headers import GridRow, NumericText, build_grid_row
from adapters.files.table_regions import add_sheet_tables
from pipeline.errors import Refused

# --- The sheets of ODS ----------------------------------------------------------------------------

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TYPE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}value-type"
_STYLES = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}automatic-styles"
_HEARD = [_STYLES, *(_TABLE + name for name in ("table", "table-row", "table-column", "shapes"))]
_MAX_REPEATS = 1_000
"""Times that a row with text may be repeated."""
_PAGE = 5_000
"""Cells that count as a page."""


def read_ods_sheets(text: OdfContentReader, content: bytes, on_pages: ProgressCallback) -> None:
    """Append each visible sheet without its hidden rows and columns."""
    _Sheets(text, content, on_pages).read()


class _Sheets:
    def __init__(self, text: OdfContentReader, content: bytes, on_pages: ProgressCallback) -> None:
        self._text, self._on_pages = text, on_pages
        safe = {"resolve_entities": False, "no_network": True, "recover": True}
        events = etree.iterparse(io.BytesIO(content), events=("start", "end"), tag=_HEARD, **safe)
        self._events = iter(events)
        self._cells = 0
        self._room = MAX_CELLS

    def read(self) -> None:
        outline = self._text.outline
        for event, element in self._events:
            if event == "end" and element.tag == _STYLES:
                self._text.styles.add_styles(element)
            elif event == "start" and element.tag == _TABLE + "table":
                outline.sheet = name = element.get(_TABLE + "name", "")
                rows = self._visible_rows(element)
                if (
                    self._text.styles.property_value("table", element.get(_TABLE + "style-name", ""), "display")
                    == "false"
                ):
                    for _ in rows:
                        pass
                    continue
                if not name.lower().startswith(("sheet", "tabelle", "feuille", "hoja", "table")):
                    outline.add_heading(1, name)
                add_sheet_tables(outline, rows)
        outline.sheet = None

    def _visible_rows(self, table: Any) -> Iterator[GridRow]:
        """Yield the visible rows of a sheet. Columns count as hidden from their declaration on, which stands above all
        rows."""
        hidden: set[int] = set()
        numbers: list[int] = []
        last, above = 0, list[Cell]()
        for line in iter_filled_rows(self._read_rows(table, hidden, numbers)):
            row = build_grid_row(numbers.pop(0), line, above)
            above = line
            if row.own_columns:
                row = row._replace(follows_gap=True) if row.number > last + 1 else row
                last = row.number
                yield row.drop_columns(hidden) if hidden else row

    def _read_rows(self, table: Any, hidden: set[int], numbers: list[int]) -> Iterator[list[Cell]]:
        number, column = 1, 0
        for event, element in self._events:
            if event == "start" or element.getparent() is None:
                continue
            if element is table:
                return
            if element.tag == _TABLE + "shapes":
                for shape in element:
                    self._text.add_shape(shape)
            elif element.tag == _TABLE + "table-column":
                times = min(_parse_count(element, "number-columns-repeated"), MAX_COLUMNS)
                if _is_hidden(element):
                    hidden.update(range(column, min(column + times, MAX_COLUMNS)))
                column += times
            elif element.tag == _TABLE + "table-row":
                cells = self._read_row(element)
                times = _parse_count(element, "number-rows-repeated")
                if cells and not _is_hidden(element):
                    repeats = max(1, min(times, _MAX_REPEATS, self._room // len(cells)))
                    self._room -= len(cells) * (repeats - 1)
                    for offset in range(repeats):
                        numbers.append(number + offset)
                        yield cells
                number += times
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]

    def _read_row(self, row: Any) -> list[Cell]:
        """Return the cells of a row itself, up to the last one with content."""
        cells: list[Cell] = []
        waiting: list[Cell] = []
        for element in row:
            if element.tag != _TABLE + "table-cell":
                continue
            text, links = self._text.read_cell(element) if len(element) else ("", ())
            columns, rows = (
                _parse_count(element, "number-columns-spanned"),
                _parse_count(element, "number-rows-spanned"),
            )
            times = min(_parse_count(element, "number-columns-repeated"), MAX_COLUMNS)
            if text and element.get(_TYPE, "string") != "string":
                text = NumericText(text)
            waiting += [Cell(text, columns, rows, links)] * times
            if text or columns > 1 or rows > 1:
                cells += waiting
                waiting = []
            if len(cells) + len(waiting) > MAX_COLUMNS:
                break
        before, self._cells = self._cells, self._cells + len(cells)
        if before // _PAGE != self._cells // _PAGE:
            self._on_pages(self._cells // _PAGE, 0)
        return cells[:MAX_COLUMNS]


def _parse_count(element: Any, name: str) -> int:
    value = element.get(_TABLE + name)
    return int(value) if value and value.isdecimal() and len(value) < 9 else 1


def _is_hidden(element: Any) -> bool:
    return element.get(_TABLE + "visibility") in {"collapse", "filter"}


# --- Texts, workbooks, presentations --------------------------------------------------------------

_SHEETS = re.compile(rb"<office:spreadsheet")
_START = 2_000_000
"""Bytes, after all styles, in which the body begins."""
_DRAWN = frozenset({"custom-shape", "rect"})
_LENGTH = re.compile(r"(-?\d{0,9}(?:\d|\.\d{1,20}))(cm|mm|in|pt|px)?")
_UNITS = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 0.353, "px": 0.265}


def read_odf(file: bytes, on_pages: ProgressCallback = ignore_progress) -> ParsedFile:
    """Read a text, a workbook or a presentation. `sheet` and `row`, or `page`, give the place of its blocks."""
    outline = OutlineBuilder()
    package = OfficePackage(file, outline.note_unread) if file.startswith(ZIP_MAGIC) else None
    if package and b"encryption-data" in (package.read("META-INF/manifest.xml") or b""):
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    content = (package.read("content.xml") or b"") if package else file
    sheets = _SHEETS.search(content[:_START]) or (package and b"spreadsheet" in (package.read("mimetype") or b""))
    if package:
        document, meta = None if sheets else package.xml("content.xml"), package.xml("meta.xml")
    else:
        document = meta = None if sheets else parse_xml(file)
    if document is None and not sheets:
        raise Refused("the file is no document of OpenDocument", what_to_do="Open and save it again.")
    text = OdfContentReader(outline, package, document)
    if sheets:
        read_ods_sheets(text, content, on_pages)
    for body in () if document is None else document.iterfind("{*}body/*"):
        match local_name(body):
            case "presentation" | "drawing":
                _read_slides(text, body)
            case _:
                text.add_flow(body)
    return outline.build(title=drop_placeholder_title(meta.findtext("{*}meta/{*}title") if meta is not None else ""))


def _read_slides(text: OdfContentReader, body: etree._Element) -> None:
    outline, text.runs_on = text.outline, True
    for number, slide in enumerate(body.iterfind("{*}page"), 1):
        if text.styles.property_value("drawing-page", local_attribute(slide, "style-name"), "visibility") == "hidden":
            continue
        outline.page, text.outline = number, OutlineBuilder()
        text.outline.page = number
        shapes = [shape for shape in slide.iterchildren("*") if local_name(shape) in SHAPES]
        title = next(
            (shape for shape in shapes if local_attribute(shape, "class") == "title" and text.runs.element_text(shape)),
            None,
        )
        boxes = list(_slide_shapes(text, shapes))
        if title is None:
            title = find_title_shape(boxes, text.runs.paragraph_texts)
        for box in sort_shapes(box for box in boxes if box.shape is not title):
            if (
                box.is_column_heading
                and local_attribute(box.shape, "class")
                and len(text.runs.paragraph_texts(box.shape)) == 1
            ):
                text.outline.add_heading(1, text.runs.element_text(box.shape))
            else:
                text.add_shape(box.shape)
        if title is None and not text.outline.character_count and slide.find("{*}frame/{*}image") is not None:
            text.outline.note_unread(f"slide {number}: no text, only a picture")
        text.outline.close_sections(1)
        for note in slide.iterfind("{*}notes/{*}frame"):
            if local_attribute(note, "class") == "notes":
                text.add_shape(note)
        outline.add_section(
            text.outline.build(), "" if title is None else text.runs.element_text(title), f"Slide {number}"
        )
    outline.page, text.outline = None, outline


def _slide_shapes(text: OdfContentReader, shapes: Iterable[etree._Element]) -> Iterator[SlideShape]:
    for shape in shapes:
        x, y, width, height = (_parse_length(local_attribute(shape, name)) for name in ("x", "y", "width", "height"))
        if local_name(shape) == "g":  # a group has no place of its own
            inner = [box for box in _slide_shapes(text, shape.iterchildren("*")) if box.width]
            x, y = min((box.x for box in inner), default=0), min((box.y for box in inner), default=0)
        yield SlideShape(
            shape, x, y, width, height, is_panel=local_name(shape) in _DRAWN and not text.runs.paragraph_texts(shape)
        )


def _parse_length(text: str) -> int:
    """Convert a length to hundredths of a millimetre."""
    match = _LENGTH.fullmatch(text)
    return int(100 * float(match[1]) * _UNITS[match[2] or "mm"]) if match else 0
