"""The sheets of ODS -> rows, one at a time in memory: a sheet of 100,000 rows is 700 MB as a tree."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from lxml import etree

from adapters.files.headers import Figure, Row, row_of
from adapters.files.office.odf_text import OdfText
from adapters.files.outline import Progress
from adapters.files.regions import tables
from adapters.files.tables import MOST_CELLS, MOST_COLUMNS, Cell, spread

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TYPE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}value-type"
_STYLES = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}automatic-styles"
_HEARD = [_STYLES, *(_TABLE + name for name in ("table", "table-row", "table-column", "shapes"))]
_MOST_REPEATS = 1_000
"""Times that a row with text may be repeated."""
_PAGE = 5_000
"""Cells that count as a page."""


def read_sheets(text: OdfText, content: bytes, on_pages: Progress) -> None:
    """Append each sheet that is shown, of which rows and columns that are hidden are left out."""
    _Sheets(text, content, on_pages).read()


class _Sheets:
    def __init__(self, text: OdfText, content: bytes, on_pages: Progress) -> None:
        self._text, self._on_pages = text, on_pages
        safe = {"resolve_entities": False, "no_network": True, "recover": True}
        events = etree.iterparse(io.BytesIO(content), events=("start", "end"), tag=_HEARD, **safe)
        self._events = iter(events)
        self._cells = 0
        self._room = MOST_CELLS

    def read(self) -> None:
        outline = self._text.outline
        for event, element in self._events:
            if event == "end" and element.tag == _STYLES:
                self._text.styles.learn(element)
            elif event == "start" and element.tag == _TABLE + "table":
                outline.sheet = name = element.get(_TABLE + "name", "")
                rows = self._shown(element)
                if self._text.styles.said("table", element.get(_TABLE + "style-name", ""), "display") == "false":
                    for _ in rows:
                        pass
                    continue
                if not name.lower().startswith(("sheet", "tabelle", "feuille", "hoja", "table")):
                    outline.heading(1, name)
                tables(outline, rows)
        outline.sheet = None

    def _shown(self, table: Any) -> Iterator[Row]:
        """The rows of a sheet; columns count as hidden from where they are declared, above them all."""
        hidden: set[int] = set()
        numbers: list[int] = []
        last, above = 0, list[Cell]()
        for line in spread(self._rows(table, hidden, numbers)):
            row = row_of(numbers.pop(0), line, above)
            above = line
            if row.own:
                row = row._replace(gap=True) if row.number > last + 1 else row
                last = row.number
                yield row.without(hidden) if hidden else row

    def _rows(self, table: Any, hidden: set[int], numbers: list[int]) -> Iterator[list[Cell]]:
        number, place = 1, 0
        for event, element in self._events:
            if event == "start" or element.getparent() is None:
                continue
            if element is table:
                return
            if element.tag == _TABLE + "shapes":
                for shape in element:
                    self._text.shape(shape)
            elif element.tag == _TABLE + "table-column":
                times = min(_count(element, "number-columns-repeated"), MOST_COLUMNS)
                if _hides(element):
                    hidden.update(range(place, min(place + times, MOST_COLUMNS)))
                place += times
            elif element.tag == _TABLE + "table-row":
                cells = self._line(element)
                times = _count(element, "number-rows-repeated")
                if cells and not _hides(element):
                    again = max(1, min(times, _MOST_REPEATS, self._room // len(cells)))
                    self._room -= len(cells) * (again - 1)
                    for offset in range(again):
                        numbers.append(number + offset)
                        yield cells
                number += times
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]

    def _line(self, row: Any) -> list[Cell]:
        """The cells that stand there themselves, up to the last that says something."""
        cells: list[Cell] = []
        waiting: list[Cell] = []
        for element in row:
            if element.tag != _TABLE + "table-cell":
                continue
            text, links = self._text.cell(element) if len(element) else ("", ())
            columns, rows = _count(element, "number-columns-spanned"), _count(element, "number-rows-spanned")
            times = min(_count(element, "number-columns-repeated"), MOST_COLUMNS)
            if text and element.get(_TYPE, "string") != "string":
                text = Figure(text)
            waiting += [Cell(text, columns, rows, links)] * times
            if text or columns > 1 or rows > 1:
                cells += waiting
                waiting = []
            if len(cells) + len(waiting) > MOST_COLUMNS:
                break
        before, self._cells = self._cells, self._cells + len(cells)
        if before // _PAGE != self._cells // _PAGE:
            self._on_pages(self._cells // _PAGE, 0)
        return cells[:MOST_COLUMNS]


def _count(element: Any, name: str) -> int:
    given = element.get(_TABLE + name)
    return int(given) if given and given.isdecimal() and len(given) < 9 else 1


def _hides(element: Any) -> bool:
    return element.get(_TABLE + "visibility") in {"collapse", "filter"}
