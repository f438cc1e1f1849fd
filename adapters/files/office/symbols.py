"""Characters of symbol fonts as those that everybody has."""

from __future__ import annotations

import re
from functools import cache

_PRIVATE = 0xF000
_LONGEST_SIGN = 3
"""Ordinary letters set in Symbol are signs where they are fewer: some programs leave whole sentences in it."""
_PRIVATE_USE = re.compile("[\uf020-\uf0ff]")
_SYMBOL = {
    0x22: "∀#∃%&∋()∗+,−./",
    0x40: "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    0x61: "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑",
    0xF1: "〉∫",
}
_WINGDINGS = {
    0x28: "☎✆✉",
    0x45: "☜☞☝☟",
    0x4A: "☺",
    0x4C: "☹",
    0x51: "✈☼",
    0x6C: "●❍■☐",
    0x71: "❑❒⬧⧫◆❖⬥☒",
    0x80: "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿",
    0x9E: "·•▪○",
    0xA7: "▪☐",
    0xAB: "★",
    0xD8: "➢",
    0xDF: "←→↑↓",
    0xE8: "→",
    0xFB: "✗✓☒☑",
}
_OTHERS = {
    "wingdings 2": {0x4F: "✗✓☒☑☒☒", 0x96: "•●", 0xA3: "☐"},
    "webdings": {0x61: "✓", 0x63: "☐", 0x72: "✗"},
}


def symbol(code: int, font: str) -> str:
    """The character `code` of a symbol font; empty for one that only that font has."""
    table = _table(font.lower())
    low = code - _PRIVATE if _PRIVATE <= code < _PRIVATE + 256 else code
    if low in table:
        return table[low]
    private = 0xE000 <= code <= 0xF8FF
    return "" if private or not 0x20 <= code <= 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)


def plain(text: str, font: str | None) -> str:
    """`text` with its private characters as `symbol` has them; the whole of it where it is set in a font of signs."""
    signs = font is not None and ("dings" in font or (font == "Symbol" and len(text.strip()) < _LONGEST_SIGN))
    if not signs and not _PRIVATE_USE.search(text):
        return text
    return "".join(symbol(ord(c), font or "Symbol") if signs or "\uf020" <= c <= "\uf0ff" else c for c in text)


@cache
def _table(font: str) -> dict[int, str]:
    """Its signs by their codes."""
    rows = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, **_OTHERS}.get(font, {})
    return {start + place: found for start, row in rows.items() for place, found in enumerate(row)}
