"""The rows of a sheet, a few at a time in memory: what each cell shows, merged cells filled, hidden ones left out."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from adapters.files.inline import noted
from adapters.files.office.workbook import Style, Workbook, plain, rich_text, rows_of
from adapters.files.regions import Row
from adapters.files.tables import MOST_CELLS, MOST_COLUMNS

_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})(?::([A-Z]{1,3})(\d{1,7}))?")
_END = re.compile(rb"</(?:\w+:)?sheetData>|<(?:\w+:)?sheetData\s*/>")
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
    while chunk := part.read(_CHUNK):
        tail = (tail if found else tail[-40:]) + chunk
        if not found and (match := _END.search(tail)):
            tail, found = tail[match.end() :], True
        if len(tail) > _TAIL:
            break
    return tail if found else b""


class SheetRows:
    """Goes through a sheet's part; `formulas` are the cells whose value nobody calculated."""

    def __init__(self, book: Workbook, path: str, notes: dict[str, str]) -> None:
        self._book, self._path, self._notes = book, path, notes
        self._texts: dict[tuple[str | None, str], tuple[str, bool]] = {}
        self._letters: dict[str, int] = {}
        self._places = {place: note for reference, note in notes.items() if (place := _place(reference))}
        self.formulas: list[str] = []
        self.cells = 0

    def __iter__(self) -> Iterator[Row]:
        with self._book.open(self._path) as part:
            merged = spans(part)
        hidden: list[int] = []
        open_spans: list[tuple[Span, str]] = []
        last, gap = 0, False
        with self._book.open(self._path) as part:
            for element in rows_of(part, "row", "col"):
                if element.tag.endswith("}col"):
                    if element.get("hidden") in _TRUE:
                        hidden.extend(range(int(element.get("min", 1)) - 1, min(int(element.get("max", 1)), _WIDEST)))
                    continue
                number = int(element.get("r") or last + 1)
                gap |= number > last + 1 and not any(text and span.bottom >= number - 1 for span, text in open_spans)
                last = number
                if element.get("hidden") in _TRUE:
                    open_spans += [(span, self._first(element, span)) for span in merged.get(number, ())]
                    continue
                row = self._row(element, number)
                open_spans = [held for held in open_spans if held[0].bottom >= number]
                open_spans += [(span, row.text(span.left)) for span in merged.get(number, ())]
                row = _filled(row, open_spans)._replace(gap=gap)
                if hidden:
                    row = row.without(hidden)
                if row.own:
                    yield row
                    gap = False
                elif not any(text for _, text in open_spans):
                    gap = True

    def _first(self, element: Any, span: Span) -> str:
        return self._row(element, span.top).text(span.left)

    def _row(self, element: Any, number: int) -> Row:
        texts: list[str] = []
        own = typed = strong = 0
        letters, styles, place = self._letters, self._book.styles, -1
        for cell in element:
            if reference := cell.get("r"):
                name = reference.rstrip("0123456789")
                place = letters[name] if name in letters else letters.setdefault(name, column(name.upper()))
            else:
                place += 1
            if not 0 <= place < _WIDEST:
                continue
            text, figure = self._cell(cell, number)
            if self._places and (note := self._places.get((number, place))):
                text = noted(text, note).strip()
            if not text:
                continue
            missing = place - len(texts)
            if missing < 0:
                texts[place] = text
            else:
                if missing:
                    texts += [""] * missing
                texts.append(text)
            bit = 1 << place
            own |= bit
            if figure:
                typed |= bit
            style = cell.get("s")
            if style and _style(styles, style).strong:
                strong |= bit
        self.cells += len(element)
        return Row(number, texts, own, typed, strong == own)

    def _cell(self, cell: Any, number: int) -> tuple[str, bool]:
        """What a cell shows, and whether it is a number or a date."""
        raw, formula, kind, style = "", None, cell.get("t", "n"), cell.get("s")
        for child in cell:
            tag = child.tag
            if tag.endswith("}v"):
                raw = child.text or ""
            elif tag.endswith("}f"):
                formula = child
            elif tag.endswith("}is"):
                raw = rich_text(child)
        if formula is not None and kind != "str" and (not raw or (raw == "0" and self._book.calculates)):
            self.formulas.append(cell.get("r") or f"row {number}")
            return f"={formula.text.replace('_xlfn.', '')}" if formula.text else "", False
        if not raw:
            return "", False
        if kind == "n" and style is None and raw.isdecimal() and len(raw) < 15:
            return raw, True
        known = self._texts.get((style, raw)) if kind in {"n", "s"} and (kind == "n" or style is None) else None
        if kind == "s":
            raw = self._book.strings[int(raw)] if int(raw) < len(self._book.strings) else ""
            return (_style(self._book.styles, style).format.text(raw) if style else raw).strip(), False
        if known is None:
            known = self._shown(raw, kind, _style(self._book.styles, style))
            if kind == "n":
                if len(self._texts) > _KEPT:
                    self._texts.clear()
                self._texts[style, raw] = known
        return known

    def _shown(self, raw: str, kind: str, style: Style) -> tuple[str, bool]:
        if kind == "b":
            return ("TRUE" if raw.strip() in _TRUE else "FALSE"), False
        if kind == "e":
            return raw, False
        if kind == "d":
            return _day(raw, style), True
        if kind in {"str", "inlineStr"}:
            return style.format.text(plain(raw) if kind == "str" else raw).strip(), False
        try:
            value = float(raw)
            return style.format.shown(value, from_1904=self._book.from_1904).strip(), True
        except (ValueError, OverflowError, ArithmeticError):
            return raw, False


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


def _filled(row: Row, held: list[tuple[Span, str]]) -> Row:
    """With the text of each merged cell in all places that it covers in this row."""
    if not held:
        return row
    texts, tall, wide = list(row.texts), 1, False
    for span, text in held:
        if text:
            texts += [""] * (span.right + 1 - len(texts))
            texts[span.left : span.right + 1] = [text] * (span.right + 1 - span.left)
            if span.top == row.number:
                tall, wide = max(tall, span.bottom - span.top + 1), wide or span.right > span.left
    return row._replace(texts=texts, tall=tall, wide=wide)


