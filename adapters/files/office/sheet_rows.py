"""The rows of a sheet, a few at a time in memory: what each cell shows, merged cells filled, hidden ones left out."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from adapters.files.inline import noted
from adapters.files.office.workbook import Style, Workbook, plain, rich_text, rows_of
from adapters.files.tables import MOST_CELLS, MOST_COLUMNS, Figure, Row

_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})(?::([A-Z]{1,3})(\d{1,7}))?")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref\s*=\s*["\']([A-Z0-9:]+)')
_CHUNK = 1 << 20
_TAIL = 20_000_000
"""Bytes behind the rows of a sheet in which merged cells are looked for."""
_KEPT = 50_000
"""Values whose text is kept for the next cell that has the same."""
_WIDEST = 16_384
_TRUE = {"1", "true"}


class Span(NamedTuple):
    top: int
    left: int
    bottom: int
    right: int


def column(letters: str) -> int:
    """`A` is 0."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def spans(part: Any) -> dict[int, list[Span]]:
    """Merged cells by their first row. They stand behind the rows, so that a part is gone through for them before."""
    found: dict[int, list[Span]] = {}
    room = MOST_CELLS
    for reference in _MERGED.findall(_behind_rows(part)):
        match = _REFERENCE.fullmatch(reference.decode())
        if match and match[3]:
            span = Span(int(match[2]), column(match[1]), int(match[4]), column(match[3]))
            width, height = span.right - span.left + 1, span.bottom - span.top + 1
            if width < 1 or height < 1 or span.left >= MOST_COLUMNS:
                continue
            span = span._replace(right=min(span.right, MOST_COLUMNS - 1))
            span = span._replace(bottom=min(span.bottom, span.top + room // (span.right - span.left + 1)))
            room -= (span.right - span.left + 1) * min(height, span.bottom - span.top + 1)
            found.setdefault(span.top, []).append(span)
    return found


def _behind_rows(part: Any) -> bytes:
    tail, found = b"", False
    while len(tail) < _TAIL and (chunk := part.read(_CHUNK)):
        tail = (tail if found else tail[-40:]) + chunk
        found = found or b"mergeCell" in tail
    return tail if found else b""


class SheetRows:
    """Goes through a sheet's part; `formulas` are the cells whose value nobody calculated."""

    def __init__(self, book: Workbook, path: str, notes: dict[str, str]) -> None:
        self._book, self._path, self._notes = book, path, notes
        self._numbers: dict[tuple[str | None, str | None], str] = {}
        self._letters: dict[str, int] = {}
        self._places = {place: note for reference, note in notes.items() if (place := _place(reference))}
        self._plain = {None} | {
            str(place) for place, style in enumerate(book.styles) if not (style.struck or style.format.of_text)
        }
        self._strong: set[str | None] = {str(place) for place, style in enumerate(book.styles) if style.strong}
        self.formulas: list[str] = []
        self.cells = 0

    def __iter__(self) -> Iterator[Row]:
        with self._book.open(self._path) as part:
            merged = spans(part)
        hidden: set[int] = set()
        open_spans: list[tuple[Span, str]] = []
        last, gap = 0, False
        with self._book.open(self._path) as part:
            for element in rows_of(part, "row", "col"):
                if element.tag.endswith("}col"):
                    if element.get("hidden") in _TRUE:
                        hidden.update(range(int(element.get("min", 1)) - 1, min(int(element.get("max", 1)), _WIDEST)))
                    continue
                number = int(element.get("r") or last + 1)
                gap |= number > last + 1 and not any(text and span.bottom >= number - 1 for span, text in open_spans)
                last = number
                if element.get("hidden") in _TRUE:
                    open_spans += [(span, self._first(element, span)) for span in merged.get(number, ())]
                    continue
                row = self._row(element, number)
                if open_spans or number in merged:
                    open_spans = [held for held in open_spans if held[0].bottom >= number]
                    open_spans += [(span, row.text(span.left)) for span in merged.get(number, ())]
                if open_spans:
                    row = _spread(row, open_spans)
                if hidden:
                    row = row.without(hidden)
                if row.own:
                    yield row._replace(gap=True) if gap else row
                    gap = False
                elif not any(text for _, text in open_spans):
                    gap = True

    def _first(self, element: Any, span: Span) -> str:
        return self._row(element, span.top).text(span.left)

    def _row(self, element: Any, number: int) -> Row:
        texts: list[str] = []
        letters, numbers, strings, notes, place = self._letters, self._numbers, self._book.strings, self._places, -1
        simple, strong = self._plain, 0
        for cell in element:
            if reference := cell.get("r"):
                name = reference.rstrip("0123456789")
                place = letters[name] if name in letters else letters.setdefault(name, column(name.upper()))
            else:
                place += 1
            kind, style, text = cell.get("t"), cell.get("s"), None
            if len(cell) == 1:  # as most cells: a number that was met before, or a text that cells share
                held = cell[0]
                if kind is None or kind == "n":
                    text = numbers.get((style, held.text))
                    if text is None and held.tag.endswith("}v"):
                        text = self._number(held.text or "", style)
                elif kind == "inlineStr" and style in simple and len(held) == 1 and held[0].text:
                    text = plain(held[0].text).strip()
                elif kind == "s" and style in simple and (index := held.text or "").isdecimal():
                    text = strings[int(index)] if int(index) < len(strings) else ""
            if text is None:
                text = self._cell(cell, kind or "n", style, number)
            if notes and (note := notes.get((number, place))):
                text = noted(text, note).strip()
            if text and len(texts) <= place < _WIDEST:
                if place > len(texts):
                    texts += [""] * (place - len(texts))
                texts.append(text)
                if style in self._strong:
                    strong |= 1 << place
        self.cells += len(element)
        return Row(number, texts, own=_filled(texts), strong=strong)

    def _cell(self, cell: Any, kind: str, style: str | None, number: int) -> str:
        """What a cell shows."""
        raw, formula = _stored(cell)
        if formula is not None and kind != "str" and (not raw or (raw == "0" and self._book.calculates)):
            self.formulas.append(cell.get("r") or f"row {number}")
            return f"={formula.replace('_xlfn.', '')}" if formula else ""
        if kind == "n":
            return self._number(raw, style)
        if kind == "s":
            place = int(raw) if raw.isdecimal() else -1
            raw = self._book.strings[place] if 0 <= place < len(self._book.strings) else ""
        return self._other(raw, kind, style) if raw else ""

    def _number(self, raw: str, style: str | None) -> str:
        look = _style(self._book.styles, style)
        if look.struck or not raw:
            return ""
        if look.format.general and raw.isdecimal() and len(raw) < 15:
            return Figure(raw)
        try:
            text = Figure(look.format.shown(float(raw), from_1904=self._book.from_1904).strip())
        except (ValueError, ArithmeticError):
            return raw
        if len(self._numbers) > _KEPT:
            self._numbers.clear()
        self._numbers[style, raw] = text
        return text

    def _other(self, raw: str, kind: str, style: str | None) -> str:
        look = _style(self._book.styles, style)
        if look.struck:
            return ""
        match kind:
            case "b":
                return "TRUE" if raw.strip() in _TRUE else "FALSE"
            case "e":
                return raw
            case "d":
                return Figure(_day(raw, look))
            case "str":
                raw = plain(raw)
        return (look.format.text(raw) if look.format.of_text else raw).strip()


def _stored(cell: Any) -> tuple[str, str | None]:
    """A cell's value, and its formula if it has one."""
    raw, formula = "", None
    for child in cell:
        if child.tag.endswith("}v"):
            raw = child.text or ""
        elif child.tag.endswith("}f"):
            formula = child.text or ""
        elif child.tag.endswith("}is"):
            simple = len(child) == 1 and child[0].tag.endswith("}t")
            raw = plain(child[0].text) if simple else rich_text(child)
    return raw, formula


def _style(styles: list[Style], place: str | None) -> Style:
    index = int(place) if place and place.isdecimal() else 0
    return styles[index] if index < len(styles) else styles[0]


def _day(raw: str, style: Style) -> str:
    """A day in ISO's form, as strict files may have them."""
    try:
        moment = dt.datetime.fromisoformat(raw.strip()).replace(tzinfo=None) - dt.datetime(1899, 12, 30)  # noqa: DTZ001
    except ValueError:
        return raw
    return style.format.shown(moment / dt.timedelta(days=1)) if style.format.is_date else raw


def _place(reference: str) -> tuple[int, int] | None:
    match = _REFERENCE.fullmatch(reference)
    return (int(match[2]), column(match[1])) if match else None


def _filled(texts: list[str]) -> int:
    """The columns that hold text, as a mask."""
    if "" not in texts:
        return (1 << len(texts)) - 1
    return sum([1 << place for place, text in enumerate(texts) if text])


def _spread(row: Row, held: list[tuple[Span, str]]) -> Row:
    """With the text of each merged cell in all places that it covers in this row."""
    texts, tall, wide = list(row.texts), 1, False
    for span, text in held:
        if text:
            texts += [""] * (span.right + 1 - len(texts))
            texts[span.left : span.right + 1] = [text] * (span.right + 1 - span.left)
            if span.top == row.number:
                tall, wide = max(tall, span.bottom - span.top + 1), wide or span.right > span.left
    return row._replace(texts=texts, tall=tall, wide=wide)
