"""The rows of a sheet, a few at a time in memory: the visible text of each cell, merged cells filled, hidden ones left
out."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape, unescape
from typing import Any, NamedTuple

from lxml import etree

from adapters.files.inline_marks import insert_footnote
from adapters.files.office.package import parse_bounded_int
from adapters.files.office.workbook import CellStyle, Workbook, inline_text, iter_elements
from adapters.files.office.workbook import unescape_text as unescaped
from adapters.files.table_grid import MAX_CELLS, MAX_COLUMNS
from adapters.files.table_headers import GridRow, NumericText

_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})(?::([A-Z]{1,3})(\d{1,7}))?")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]*?ref\s*=\s*["\']([A-Z0-9:]+)')
_CELL = re.compile(
    r'<c(?: r="([A-Z]+)\d+")?(?: s="(\d+)")?(?: t="(\w+)")?(?:/>|>(<f(?: [^>]*)?(?:/>|>[^<]*</f>))?'
    r'(?:<v>([^<&]*)</v>|<v/>|<is><t(?: xml:space="preserve")?>([^<&]*)</t></is>)?</c>)|(<c[ />])'
)
"""A cell as programs write it: its column, style, kind, formula, value, text; or the start of another form."""
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_SAMPLE = 4_000
"""Bytes whose cells show how a program writes them."""
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
_CACHE_SIZE = 50_000
"""Values whose text is cached for the next cell with the same value."""
_MAX_COLUMN = 16_384
_TRUE = {"1", "true"}


_Cell = tuple[str, str, str, str, str, str, str]
"""Groups of `_CELL`."""


class CellRange(NamedTuple):
    top: int
    left: int
    bottom: int
    right: int


class SheetRows:
    """The rows of a sheet's part. `formulas` are the cells whose value nobody calculated."""

    def __init__(self, book: Workbook, part: bytes, notes: dict[str, str]) -> None:
        self._book, self._part = book, part
        self._numbers: dict[tuple[str, str], str] = {}
        self._letters: dict[str, int] = {}
        self._notes = {place: note for reference, note in notes.items() if (place := _parse_reference(reference))}
        self._looks: dict[str, CellStyle] = {"": book.styles[0]}
        self._looks |= {str(index): look for index, look in enumerate(book.styles)}
        self._plain = {index for index, look in self._looks.items() if not (look.is_struck or look.format.of_text)}
        self._strong = {index for index, look in self._looks.items() if look.is_emphasized}
        self.formulas: list[str] = []
        self.cells = 0

    def __iter__(self) -> Iterator[GridRow]:
        merged = _merged_ranges(self._part)
        hidden: set[int] = set()
        open_spans: list[tuple[CellRange, str]] = []
        last, gap = 0, False
        for element, cells in self._iter_elements():
            is_hidden = element.get("hidden") in _TRUE
            if cells is None:
                if is_hidden or element.get("width") == "0":
                    last_column = min(parse_bounded_int(element.get("max")), _MAX_COLUMN)
                    hidden.update(range(parse_bounded_int(element.get("min")) - 1, last_column))
                continue
            number = parse_bounded_int(element.get("r"), last + 1, maximum=1 << 30)
            gap |= number > last + 1 and not any(text and span.bottom >= number - 1 for span, text in open_spans)
            last = number
            if is_hidden or element.get("ht") == "0":
                if number in merged:
                    formula_count = len(self.formulas)
                    row = self._build_row(cells, number)
                    del self.formulas[formula_count:]
                    open_spans += [(span, row.text(span.left)) for span in merged[number]]
                continue
            row = self._build_row(cells, number)
            if open_spans or number in merged:
                open_spans = [open_span for open_span in open_spans if open_span[0].bottom >= number]
                open_spans += [(span, row.text(span.left)) for span in merged.get(number, ())]
            if open_spans:
                row = _fill_merged(row, open_spans)
            if hidden:
                row = row.drop_columns(hidden)
            if row.own_columns:
                yield row._replace(follows_gap=True) if gap else row
                gap = False
            elif not any(text for _, text in open_spans):
                gap = True

    def _iter_elements(self) -> Iterator[tuple[Mapping[str, str], Sequence[_Cell] | None]]:
        """Yield the attributes of columns, and of each row with its cells. Cells that are written as usual are read by
        a pattern, which takes half as long as a tree of them."""
        start = self._part.find(b"<sheetData")
        root = re.search(rb"<worksheet\b[^>]*>", self._part[: max(start, 0)])
        sample = _CELL.findall(self._part[max(start, 0) : max(start, 0) + _SAMPLE].decode(errors="ignore"))[:-1]
        unusual = self._part.find(b"<!") >= 0 or any(cell[-1] for cell in sample)
        if root is None or unusual or not _is_utf8(self._part):
            for element in iter_elements(self._part, "row", "col"):
                yield element.attrib, list(map(_parse_cell, element)) if element.tag.endswith("}row") else None
            return
        for column in iter_elements(self._part[:start] + b"</worksheet>", "col"):
            yield column.attrib, None
        stop = self._part.find(b"</sheetData", start)
        position = start
        while (position := self._part.find(b"<row", position, stop if stop >= 0 else len(self._part))) >= 0:
            close = self._part.find(b">", position)
            tag = self._part[position:close].decode()
            end = close + 1 if tag.endswith("/") else self._part.find(b"</row>", close) + len(b"</row>")
            if close < 0 or end <= close:
                raise ValueError("a row has no end")
            cells: list[_Cell] = _CELL.findall(self._part[close + 1 : end].decode())
            if "'" in tag or any([cell[-1] for cell in cells]):  # noqa: C419 - at once, as most rows have few
                tree: Any = etree.fromstring(root[0] + self._part[position:end] + b"</worksheet>", _PARSER)[0]
                yield tree.attrib, list(map(_parse_cell, tree))
            else:
                yield dict(_ATTRIBUTE.findall(tag)), cells
            position = end
        if stop < 0 and not re.match(rb"<sheetData[^>]*/>", self._part[start:]):
            raise ValueError("the rows have no end")

    def _build_row(self, cells: Sequence[_Cell], number: int) -> GridRow:
        texts: list[str] = []
        letters, numbers, strings, notes = self._letters, self._numbers, self._book.strings, self._notes
        plain, strong_looks, own, strong, column = self._plain, self._strong, 0, 0, -1
        for name, style, kind, formula, raw, inline, _ in cells:
            if name:
                column = letters[name] if name in letters else letters.setdefault(name, _column_index(name.upper()))
            else:
                column += 1
            text = None
            if formula and kind != "str" and (not raw or (raw == "0" and self._book.calculates)):
                text = self._formula_text(formula, f"{name}{number}" if name else f"row {number}")
            elif not kind or kind == "n":
                text = numbers.get((style, raw))
                if text is None:
                    text = self._number_text(raw, style)
            elif style in plain:
                if kind == "s":
                    text = strings[int(raw)] if raw.isdecimal() and len(raw) < 10 and int(raw) < len(strings) else ""
                elif kind == "inlineStr":
                    text = (inline if "_x" not in inline else unescaped(inline)).strip()
            if text is None:
                text = self._cell_text(inline or raw, kind, style)
            if notes and (note := notes.get((number, column))):
                text = insert_footnote(text, note).strip()
            if text and len(texts) <= column < _MAX_COLUMN:
                if column > len(texts):
                    texts += [""] * (column - len(texts))
                texts.append(text)
                own |= 1 << column
                if style in strong_looks:
                    strong |= 1 << column
        self.cells += len(cells)
        return GridRow(number, texts, own, strong)

    def _formula_text(self, written: str, place: str) -> str:
        """Return a formula whose value nobody calculated. A shared one is written in another cell."""
        self.formulas.append(place)
        formula = unescape(written.partition(">")[2].removesuffix("</f>")).replace("_xlfn.", "")
        return f"={formula}" if formula else ""

    def _cell_text(self, raw: str, kind: str, style: str) -> str:
        """Return the text of a cell that holds no number."""
        look = self._looks.get(style, self._looks[""])
        if kind == "s":
            index = parse_bounded_int(raw, -1)
            raw = self._book.strings[index] if 0 <= index < len(self._book.strings) else ""
        return _format_cell(raw, kind, look) if raw and not look.is_struck else ""

    def _number_text(self, raw: str, style: str) -> str:
        look = self._looks.get(style, self._looks[""])
        if look.is_struck or not raw:
            return ""
        if look.format.general and raw.isdecimal() and len(raw) < 15:
            return NumericText(raw)
        try:
            text = NumericText(look.format.format_value(float(raw), from_1904=self._book.from_1904).strip())
        except (ValueError, ArithmeticError):
            return raw
        if len(self._numbers) > _CACHE_SIZE:
            self._numbers.clear()
        self._numbers[style, raw] = text
        return text


def _is_utf8(part: bytes) -> bool:
    declared = re.match(rb"[^>]*?encoding\s*=\s*[\"']([\w-]+)", part[:200])
    return b"\0" not in part[:200] and (declared is None or declared[1].lower() in {b"utf-8", b"us-ascii"})


def _parse_cell(cell: Any) -> _Cell:
    raw = formula = inline = ""
    for child in cell:
        if child.tag.endswith("}v"):
            raw = child.text or ""
        elif child.tag.endswith("}f"):
            formula = f"<f>{escape(child.text or '')}</f>"
        elif child.tag.endswith("}is"):
            inline = inline_text(child)
    name = (cell.get("r") or "").rstrip("0123456789")
    return name, cell.get("s") or "", cell.get("t") or "", formula, raw, inline, ""


def _format_cell(raw: str, kind: str, look: CellStyle) -> str:
    """Return the text of a cell that holds no number."""
    match kind:
        case "b":
            return "TRUE" if raw.strip() in _TRUE else "FALSE"
        case "e":
            return raw
        case "d":
            return NumericText(_format_iso_day(raw, look))
        case "str":
            raw = unescaped(raw)
    return (look.format.format_text(raw) if look.format.of_text else raw).strip()


def _format_iso_day(raw: str, look: CellStyle) -> str:
    """Format a day in ISO's form, as strict files may have them."""
    try:
        moment = dt.datetime.fromisoformat(raw.strip()).replace(tzinfo=None) - dt.datetime(1899, 12, 30)  # noqa: DTZ001
    except ValueError:
        return raw
    return look.format.format_value(moment / dt.timedelta(days=1)) if look.format.is_date else raw


def _column_index(letters: str) -> int:
    """Return the number of a column: `A` is 0."""
    number = 0
    for letter in letters:
        # base 26 without a zero: `A` is 1, `Z` 26, `AA` 27
        number = number * 26 + ord(letter) - 64
    return number - 1


def _parse_reference(reference: str) -> tuple[int, int] | None:
    match = _REFERENCE.fullmatch(reference)
    return (int(match[2]), _column_index(match[1])) if match else None


def _merged_ranges(part: bytes) -> dict[int, list[CellRange]]:
    """Return merged cells by their first row. They stand behind the rows."""
    spans: dict[int, list[CellRange]] = {}
    room = MAX_CELLS
    for reference in _MERGED.findall(part, max(0, part.rfind(b"sheetData"))):
        match = _REFERENCE.fullmatch(reference.decode())
        if match and match[3]:
            top, left, bottom, right = int(match[2]), _column_index(match[1]), int(match[4]), _column_index(match[3])
            width = min(right, MAX_COLUMNS - 1) - left + 1
            if width < 1 or bottom < top:
                continue
            height = min(bottom - top + 1, 1 + room // width)
            room -= width * height
            spans.setdefault(top, []).append(CellRange(top, left, top + height - 1, left + width - 1))
    return spans


def _fill_merged(row: GridRow, spans: list[tuple[CellRange, str]]) -> GridRow:
    """Return the row with the text of each merged cell in all places that it covers."""
    texts, tall, wide = list(row.texts), 1, False
    for span, text in spans:
        if text:
            texts += [""] * (span.right + 1 - len(texts))
            texts[span.left : span.right + 1] = [text] * (span.right + 1 - span.left)
            if span.top == row.number:
                tall, wide = max(tall, span.bottom - span.top + 1), wide or span.right > span.left
    return row._replace(texts=texts, row_span=tall, has_column_span=wide)
