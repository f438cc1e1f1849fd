"""The letters of a PDF page with their places, in as few calls of PDFium as possible."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from adapters.files.pdf.lines import is_right_to_left, reorder_right_to_left
from adapters.files.pdf.page_elements import PdfSpan, PdfStyle

# --- What the fonts of a PDF say by their names and flags -----------------------------------------

_BOLD = re.compile(r"bold|black|heavy|demi|medi(?!terr|ev)|semib|cmbx|cmssbx|sfbx|cmb10", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|sfti", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|cmtt|sftt|typewriter|menlo|(?<!uni)code|fixed", re.IGNORECASE)
_SYMBOL = re.compile(r"symbol|dingbat|webding|wingding|msam|cmsy", re.IGNORECASE)
_DINGBAT = re.compile(r"dingbat|webding|wingding", re.IGNORECASE)
_FIXED_FLAG, _ITALIC_FLAG, _BOLD_FLAG = 1, 64, 1 << 18


class PdfFont(NamedTuple):
    name: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    mono_by_flag_only: bool = True
    """True where only a flag says that it is monospaced."""
    is_symbol_font: bool = False
    is_dingbat_font: bool = False


def fast_pointer_call(function: Any, *arguments: Any) -> Any:
    """Return `function` with its address as a plain number, which is twice as fast."""
    prototype = ctypes.CFUNCTYPE(ctypes.c_void_p, *arguments)
    return prototype(ctypes.cast(function, ctypes.c_void_p).value or 0)


class PdfFonts:
    """The fonts of a document, each looked up once."""

    def __init__(self) -> None:
        self._fonts: dict[int, PdfFont] = {}
        self._font_of = fast_pointer_call(pdfium.FPDFTextObj_GetFont, ctypes.c_void_p)

    def font_for(self, drawn: int) -> PdfFont:
        """Return the font of an object that draws letters."""
        if not drawn:
            return PdfFont()
        address = self._font_of(drawn) or 0
        if address not in self._fonts:
            self._fonts[address] = _describe_font(ctypes.cast(address, pdfium.FPDF_FONT))
        return self._fonts[address]


def _describe_font(font: Any) -> PdfFont:
    buffer = ctypes.create_string_buffer(200)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, 200)
    name = buffer.value.decode("utf-8", "replace")
    flags = max(0, pdfium.FPDFFont_GetFlags(font))
    heavy = pdfium.FPDFFont_GetWeight(font) >= 600
    symbols, is_mono = bool(_SYMBOL.search(name)), bool(_MONO.search(name))
    return PdfFont(
        name,
        bold=heavy or bool(flags & _BOLD_FLAG or _BOLD.search(name)),
        italic=bool(flags & _ITALIC_FLAG or _ITALIC.search(name)),
        mono=bool(flags & _FIXED_FLAG or is_mono) and not symbols,
        mono_by_flag_only=not is_mono,
        is_symbol_font=symbols,
        is_dingbat_font=bool(_DINGBAT.search(name)),
    )


# --- Letters --------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\r\n\2\ufffe]+[\2\ufffe]?|[\2\ufffe]")
_PLAIN = re.compile(r"[A-Za-z0-9 ]")
_PAIR = re.compile("([\ud800-\udbff][\udc00-\udfff])(\\1)?|[\ud800-\udfff]")
_WORD = re.compile(r"\S+")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_SWAPPED = re.compile("(?<=[A-Za-z])[昀椀氀琀]+|[昀椀氀琀]+(?=[A-Za-z])")
_LETTERS = str.maketrans("昀椀氀琀", "filt")
"""Characters that ligatures turn into where Ghostscript wrote the bytes of their letters the wrong way round."""
_CODES = str.maketrans("\x15\x16\x1b\x1c\x1d\x1e\x1f", "–—\ufb00\ufb01\ufb02\ufb03\ufb04")
"""Control characters, by their meaning in TeX's T1 encoding."""
_MEANT = str.maketrans({**_LIGATURES, **dict.fromkeys(range(9), ""), 2: "-", 0xFFFE: "-", 0x2011: "-", 0x7F: "•"})
_RECOGNIZED, _BY_WORD, _FIXED, _BY_CELL, _APART = 1.2, 0.95, 0.75, 0.5, 0.32
"""Largest distances between words, in sizes: where they were recognised in a picture, where lines are filled by wide
blanks, where letters are as wide as a blank, where each cell is drawn by itself, and where the file has no blank."""


def rotate_point(x: float, y: float, quarter_turns: int) -> tuple[float, float]:
    """Rotate a point with the page, so that letters turned by `quarter_turns` stand upright."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[quarter_turns]


class PageCharacters:
    """The letters of one page. `fonts` is shared between pages."""

    def __init__(self, page: Any, fonts: PdfFonts, *, by_word: bool) -> None:
        self._page = pdfium.FPDFText_LoadPage(page)
        self._fonts = fonts
        self._by_word = by_word
        self._styles: dict[int, PdfStyle] = {}
        self._object = fast_pointer_call(pdfium.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_int)
        self._mode = fast_pointer_call(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.c_void_p)
        self._page_handle = ctypes.cast(self._page, ctypes.c_void_p)
        self._numbers = [ctypes.c_double() for _ in range(4)]
        self._places = [ctypes.byref(number) for number in self._numbers]
        self._matrix = pdfium.FS_MATRIX()
        self._size = ctypes.c_float()
        self.unreadable = 0
        self.text = self._read_text().translate(_CODES)

    def close(self) -> None:
        pdfium.FPDFText_ClosePage(self._page)

    def _read_text(self) -> str:
        """Return one character for each of PDFium's, so that places in the text are its indexes."""
        count = max(0, pdfium.FPDFText_CountChars(self._page))
        buffer = (ctypes.c_ushort * (count * 2 + 2))()
        written = pdfium.FPDFText_GetText(self._page, 0, count, buffer)
        text = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "replace")
        if len(text) != count:
            codes = [min(pdfium.FPDFText_GetUnicode(self._page, index), 0x10FFFF) or 0x20 for index in range(count)]
            text = _PAIR.sub(self._join_halves, "".join(map(chr, codes)))
        return _SWAPPED.sub(lambda match: match.group().translate(_LETTERS), text)

    def _join_halves(self, halves: re.Match[str]) -> str:
        """Join a letter that PDFium gives in two halves, such as those of formulas, with marks that are not seen. A
        letter that a program wrote twice at its place is kept once."""
        if len(halves.group()) < 2:
            return " "
        letter = halves.group(1).encode("utf-16", "surrogatepass").decode("utf-16")
        text = f"{unicodedata.normalize('NFKC', letter)[:1]}\1"
        if halves.group(2) is None:
            return text
        left = self._numbers[0]
        places = []
        for index in (halves.start(), halves.start(2)):
            pdfium.FPDFText_GetCharBox(self._page, index, *self._places)
            places.append(left.value)
        return text + ("\1\1" if places[0] == places[1] else text)

    def spans(self) -> Iterator[PdfSpan]:
        for line in _LINE.finditer(self.text):
            text = line.group()
            start, end = line.end() - len(text.lstrip()), line.start() + len(text.rstrip())
            if start >= end:
                continue
            if not text.isascii() and is_right_to_left(text):
                yield from self._right_to_left_spans(start, end)
            elif self._text_object(start) == self._text_object(end - 1):
                yield from self._split_at_gaps(start, end) if self._by_word else self._make_spans(start, end)
            else:
                yield from self._join_runs([word.span() for word in _WORD.finditer(self.text, start, end)])

    def _split_at_gaps(self, start: int, end: int) -> Iterator[PdfSpan]:
        """Yield a line that is drawn in one go, split at wide gaps between its words."""
        style = self._style_at(start)
        if style.quarter_turns or style.is_unmapped:
            yield from self._join_runs([word.span() for word in _WORD.finditer(self.text, start, end)])
            return
        left, right, *_ = self._numbers
        box, page, places, limit = pdfium.FPDFText_GetCharBox, self._page, self._places, _BY_WORD * style.size
        piece_start, until, limit_x = start, start, math.inf
        for word in _WORD.finditer(self.text, start, end):
            first, after = word.span()
            box(page, first, *places)
            x = left.value
            if x > limit_x:  # further than words of usual letters reach
                box(page, until - 1, *places)
                if x - right.value > limit:
                    yield from self._make_spans(piece_start, until)
                    piece_start = first
            until, limit_x = after, x + (0.4 * (after - first)) * style.size + limit
        yield from self._make_spans(piece_start, until)

    def _join_runs(self, words: list[tuple[int, int]]) -> Iterator[PdfSpan]:
        """Yield words that are drawn in one go as one piece, others each as their own."""
        piece_start, until, drawn, line = -1, -1, 0, words[0][0]
        for start, end in words:
            first, last = self._text_object(start), self._text_object(end - 1)
            if piece_start >= 0 and (self._by_word or not first == drawn == last or start - until > 1):
                yield from self._make_spans(
                    piece_start, until, separate=piece_start > line and self._is_generated(piece_start - 1)
                )
                piece_start = -1
            if first == last:
                piece_start, until, drawn = (start if piece_start < 0 else piece_start), end, first
            else:
                yield from self._word_parts(start, end)
        if piece_start >= 0:
            yield from self._make_spans(
                piece_start, until, separate=piece_start > line and self._is_generated(piece_start - 1)
            )

    def _right_to_left_spans(self, start: int, end: int) -> Iterator[PdfSpan]:
        """Yield a line from right to left by the places of its letters: files hold them in either order."""
        style = self._style_at(start)
        glyphs, box = [], pdfium.FS_RECTF()
        for index in range(start, end):
            if not self.text[index].isspace():
                pdfium.FPDFText_GetLooseCharBox(self._page, index, ctypes.byref(box))
                glyphs.append((box.left, box.right, self.text[index].translate(_MEANT)))
        pdfium.FPDFText_GetCharOrigin(self._page, start, *self._places[:2])
        for x0, x1, text in reorder_right_to_left(glyphs, style.size):
            yield PdfSpan(text, x0, x1, self._numbers[1].value, style, start)

    def _is_generated(self, index: int) -> bool:
        """Return whether the file lacks that character."""
        return bool(pdfium.FPDFText_IsGenerated(self._page, index) == 1)

    def _word_parts(self, start: int, end: int) -> Iterator[PdfSpan]:
        """Yield the parts of a word that are drawn apart, such as a raised figure in it."""
        part_start, drawn = start, self._text_object(start)
        for index in range(start + 1, end + 1):
            now = self._text_object(index) if index < end else -1
            if now != drawn:
                yield from self._make_spans(part_start, index, glued=part_start > start)
                part_start, drawn = index, now

    def _text_object(self, index: int) -> int:
        """Return the object that draws a letter."""
        return self._object(self._page_handle, index) or 0

    def _make_spans(self, start: int, end: int, *, glued: bool = False, separate: bool = False) -> Iterator[PdfSpan]:
        style = self._style_at(start)
        if style.is_unmapped and end - start > 1:
            self.unreadable += end - start
            return
        text = "•" if style.is_unmapped else self.text[start:end]
        if not (text.isascii() and text.isprintable()):
            text = text.translate(_MEANT)
        if len(text) == 1 and ((style.symbol and text < "\u2000") or "\ue000" <= text <= "\uf8ff"):
            text = "•"
        left, right, low, high = self._numbers
        pdfium.FPDFText_GetCharBox(self._page, end - 1, *self._places)
        x0, x1, y0, y1 = left.value, right.value, low.value, high.value
        pdfium.FPDFText_GetCharOrigin(self._page, start, *self._places[:2])
        origin, y = left.value, right.value
        if style.quarter_turns in {1, 2, 3}:
            (x0, _), (x1, _) = rotate_point(x0, y0, style.quarter_turns), rotate_point(x1, y1, style.quarter_turns)
            x0, x1 = min(x0, x1), max(x0, x1)
            origin, y = rotate_point(origin, y, style.quarter_turns)
        elif text.isdecimal() and y0 - y > 0.2 * style.size and len(text) < 4:  # small raised figures of the font
            style, y = style._replace(size=0.6 * style.size), y0
        count = end - start
        if self._by_word and 1 < count < 12 and x1 - origin > 1.3 * style.size * count:  # figures of several columns
            for index in range(start, end):
                yield from self._make_spans(index, index + 1)
            return
        if style.mono and style.mono_by_flag_only:
            is_latin = sum(letter.isascii() and letter.isalpha() for letter in text) > 2
            style = style._replace(mono=is_latin and 0.48 < (x1 - origin) / (count * style.size or 1) < 0.72)
        reach = _BY_WORD if self._by_word else _APART if separate else _BY_CELL
        if style.is_ocr:
            reach = _RECOGNIZED
        elif style.mono:
            reach = max(reach, _FIXED)
        yield PdfSpan(text, origin, x1, y, style, start, glued, reach)

    def _style_at(self, index: int) -> PdfStyle:
        drawn = self._text_object(index)
        style = self._styles.get(drawn)
        if style is None:
            style = self._styles[drawn] = self._read_style(index, drawn)
        return style

    def _read_style(self, index: int, drawn: int) -> PdfStyle:
        matrix = self._matrix
        pdfium.FPDFText_GetMatrix(self._page, index, ctypes.byref(matrix))
        size = pdfium.FPDFText_GetFontSize(self._page, index) * math.hypot(matrix.c, matrix.d)
        turn = math.atan2(matrix.b, matrix.a) / (math.pi / 2)
        turn = round(turn) % 4 if abs(turn - round(turn)) < 0.06 else 4
        font = self._fonts.font_for(drawn)
        recognized = self._mode(drawn) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE
        unknown = not recognized and not font.is_symbol_font and self._is_unmapped(index, font)
        mono = font.mono and not recognized
        return PdfStyle(
            round(size, 1),
            font.bold,
            font.italic,
            mono,
            font.is_dingbat_font,
            turn,
            unknown,
            font.mono_by_flag_only,
            recognized,
        )

    def _is_unmapped(self, index: int, font: PdfFont) -> bool:
        if pdfium.FPDFText_HasUnicodeMapError(self._page, index) != 1:
            return False
        if font.name or not self.text[index].isprintable():
            return True
        return len(_PLAIN.findall(self.text)) < 0.7 * len(self.text)  # the codes of a Type 3 font may be its letters
