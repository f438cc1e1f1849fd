"""A paragraph as one text, in all formats of Office: its runs with the marks that change their meaning, characters of
symbol fonts, numbers of lists."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from operator import attrgetter
from string import ascii_lowercase
from typing import NamedTuple

from adapters.files.content import OutlineBuilder
from adapters.files.inline_marks import format_subscript, format_superscript, insert_footnote
from pipeline.values import BlockKind, Link

# --- Runs -----------------------------------------------------------------------------------------

SUPERSCRIPT, SUBSCRIPT, NOTE_RUN, FORMULA_RUN, CODE_RUN = "raised", "lowered", "note", "formula", "code"
_TAIL = 300
"""Characters before a note by which its place is decided."""
_kind, _url = attrgetter("kind"), attrgetter("url")


class OfficeRun(NamedTuple):
    text: str
    kind: str = ""
    url: str = ""
    """Target of the link."""


def runs_text(runs: Iterable[OfficeRun], *, notes: bool = True) -> str:
    """Join all runs, with notes in their own words or without. Programs may cut words anywhere."""
    parts: list[str] = [""]
    before = ""
    for kind, group in groupby(runs, key=_kind):
        texts = [run.text for run in group]
        if kind == NOTE_RUN:
            for text in texts if notes else ():
                tail = parts.pop()
                parts += (tail[:-_TAIL], insert_footnote(tail[-_TAIL:], text))
        elif kind == SUPERSCRIPT:
            parts.append(format_superscript("".join(texts), parts[-1]))
        elif kind == SUBSCRIPT:
            parts.append(format_subscript("".join(texts)))
        else:
            text = (" " if kind == FORMULA_RUN else "").join(texts)
            meet = text[:1].isdigit() and parts[-1][-1:].isdigit()
            is_separate = meet and (FORMULA_RUN in {kind, before} or before == SUPERSCRIPT)  # 2 1/2 is not 21/2
            parts.append(" " * is_separate + text)
        before = kind
    return "".join(parts)


def runs_links(runs: Iterable[OfficeRun]) -> list[Link]:
    return [Link(text=runs_text(group, notes=False), url=url) for url, group in groupby(runs, key=_url) if url]


def runs_code(runs: Iterable[OfficeRun]) -> list[str]:
    """Return the texts that are set as code, in order."""
    return ["".join(run.text for run in group) for kind, group in groupby(runs, key=_kind) if kind == CODE_RUN]


# --- Characters of symbol fonts as those that everybody has ---------------------------------------

_PRIVATE = 0xF000
_MAX_SIGN_LENGTH = 3
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


def symbol_char(code: int, font: str) -> str:
    """Return the character `code` of a symbol font; empty for one that only that font has."""
    table = _symbol_table(font.lower())
    low = code - _PRIVATE if _PRIVATE <= code < _PRIVATE + 256 else code
    if low in table:
        return table[low]
    private = 0xE000 <= code <= 0xF8FF
    return "" if private or not 0x20 <= code <= 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)


def replace_symbol_chars(text: str, font: str | None) -> str:
    """Return `text` with its private characters replaced by `symbol_char`; all characters where it is set in a font of
    signs."""
    signs = font is not None and ("dings" in font or (font == "Symbol" and len(text.strip()) < _MAX_SIGN_LENGTH))
    if not signs and not _PRIVATE_USE.search(text):
        return text
    return "".join(symbol_char(ord(c), font or "Symbol") if signs or "\uf020" <= c <= "\uf0ff" else c for c in text)


@cache
def _symbol_table(font: str) -> dict[int, str]:
    """Return the signs of a font by their codes."""
    rows = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, **_OTHERS}.get(font, {})
    return {start + offset: sign for start, row in rows.items() for offset, sign in enumerate(row)}


# --- Numbers of lists as programs write them, and the entries that they stand before --------------

TICK_MARKS = frozenset("☐☑☒✓✔✗✘□")
"""Bullets that carry a meaning."""
STEP_LABEL = re.compile(r"([1-9]\d{0,8})[.)]?")
"""A number that stands alone before its entry."""
_ROMAN = tuple(
    zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split(), strict=True)
)
_RUSSIAN, _HAN = "абвгдежзиклмнопрстуфхцчшщэюя", ("", *"一二三四五六七八九")
_MOST_ROMAN, _MOST_LETTERS, _CIRCLED = 3999, 780, 20


def add_list_entry(outline: OutlineBuilder, text: str, label: str | None, depth: int, links: Iterable[Link]) -> None:
    """Append an entry of a list: a step where it has a number in figures. A label of another kind stands in its text.
    Without any label (None) it is text."""
    step = STEP_LABEL.fullmatch(label or "")
    kind = BlockKind.PROSE if label is None else BlockKind.STEP if step else BlockKind.ITEM
    shown_text = f"{label} {text}" if label and not step else text
    outline.add(kind, shown_text, depth=depth, number=int(step[1]) if step else 0, links=links)


def format_list_number(count: int, style: str) -> str:
    """Format a number in one of Word's styles, or in figures where the style is rare."""
    upper = style.startswith("upper") or style.endswith("Upper")
    match style:
        case "none" | "bullet":
            return ""
        case "upperRoman" | "lowerRoman" if 0 < count <= _MOST_ROMAN:
            numeral = ""
            for worth, letters in _ROMAN:
                times, count = divmod(count, worth)
                numeral += letters * times
            return numeral if upper else numeral.lower()
        case "upperLetter" | "lowerLetter" | "russianUpper" | "russianLower" if 0 < count <= _MOST_LETTERS:
            letters = _RUSSIAN if style.startswith("russian") else ascii_lowercase
            times, index = divmod(count - 1, len(letters))
            return (letters[index].upper() if upper else letters[index]) * (times + 1)
        case _ if style.isdigit():  # the first number as it is to look
            return str(count).zfill(len(style))
        case "ordinal":
            ending = "th" if count % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
            return f"{count}{ending}"
        case "decimalEnclosedCircle" if 0 < count <= _CIRCLED:
            # U+2460 is a 1 in a circle
            return chr(0x245F + count)
        case _ if 0 < count < 100 and style.endswith(("Counting", "CountingThousand")):  # of China, Japan and Taiwan
            tens, ones = divmod(count, 10)
            return f"{_HAN[tens] if tens > 1 else ''}{'十' if tens else ''}{_HAN[ones]}"
        case _:
            return str(count)
