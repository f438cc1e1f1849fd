"""What the fonts of a PDF say by their names and flags."""

from __future__ import annotations

import ctypes
import re
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

_BOLD = re.compile(r"bold|black|heavy|demi|medi(?!terr|ev)|semib|cmbx|cmssbx|sfbx|cmb10", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|sfti", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|cmtt|sftt|typewriter|menlo|(?<!uni)code|fixed", re.IGNORECASE)
_SYMBOL = re.compile(r"symbol|dingbat|webding|wingding|msam|cmsy", re.IGNORECASE)
_DINGBAT = re.compile(r"dingbat|webding|wingding", re.IGNORECASE)
_FIXED_FLAG, _ITALIC_FLAG, _BOLD_FLAG = 1, 64, 1 << 18


class Font(NamedTuple):
    name: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    flagged: bool = True
    """Whether it is monospaced is told by a flag alone."""
    symbols: bool = False
    dingbats: bool = False


def plain(function: Any, *arguments: Any) -> Any:
    """`function` giving an address as a plain number, which is twice as fast."""
    told = ctypes.CFUNCTYPE(ctypes.c_void_p, *arguments)
    return told(ctypes.cast(function, ctypes.c_void_p).value or 0)


class Fonts:
    """The fonts of a document, each asked once."""

    def __init__(self) -> None:
        self._known: dict[int, Font] = {}
        self._font_of = plain(pdfium.FPDFTextObj_GetFont, ctypes.c_void_p)

    def of(self, drawn: int) -> Font:
        """The font of an object that draws letters."""
        if not drawn:
            return Font()
        address = self._font_of(drawn) or 0
        if address not in self._known:
            self._known[address] = _told(ctypes.cast(address, pdfium.FPDF_FONT))
        return self._known[address]


def _told(font: Any) -> Font:
    buffer = ctypes.create_string_buffer(200)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, 200)
    name = buffer.value.decode("utf-8", "replace")
    flags = max(0, pdfium.FPDFFont_GetFlags(font))
    heavy = pdfium.FPDFFont_GetWeight(font) >= 600
    symbols, named = bool(_SYMBOL.search(name)), bool(_MONO.search(name))
    return Font(
        name,
        bold=heavy or bool(flags & _BOLD_FLAG or _BOLD.search(name)),
        italic=bool(flags & _ITALIC_FLAG or _ITALIC.search(name)),
        mono=bool(flags & _FIXED_FLAG or named) and not symbols,
        flagged=not named,
        symbols=symbols,
        dingbats=bool(_DINGBAT.search(name)),
    )
