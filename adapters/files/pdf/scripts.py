"""Lines of scripts that run from right to left, put into the order in which they are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

_WORD, _COLUMN = 0.16, 0.7
"""Gaps between letters, in sizes, that part words and columns."""
_LIGATURE = re.compile("([اأإآ])(ل)")
_LEFT = r"[^\W\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_FORWARDS = re.compile(rf"{_LEFT}(?:{_LEFT}|[%$€.,:/@+&'-]|\s(?=[A-Za-z\d]))*")
_GLUED = re.compile(r"(?<=[A-Za-z])(?=[\u0620-\u064a])")
_SWAPPED = re.compile(r"(?<!\S)[)\]]|[(\[](?=[\s.,;:!?،]|$)")
"""Brackets that stand the wrong way round, as they are drawn from right to left."""
_MIRRORED = str.maketrans("()[]", ")(][")

Glyph = tuple[float, float, str]
"""From where to where, and what it says."""


def backwards(text: str) -> bool:
    """Whether most letters run from right to left."""
    found = [unicodedata.bidirectional(letter) for letter in text]
    return found.count("R") + found.count("AL") > found.count("L")


def from_right(glyphs: Sequence[Glyph], size: float) -> Iterator[Glyph]:
    """Texts between wide gaps, from right to left."""
    text, left, right, last = "", 0.0, 0.0, 0.0
    for x0, x1, letters in sorted(_whole(glyphs), key=lambda glyph: -(glyph[0] + glyph[1])):
        gap = last - x1
        if text and gap > _COLUMN * size:
            yield left, right, _read(text)
            text = ""
        if not text:
            left, right = x0, x1
        text += (" " if text and gap > _WORD * size else "") + letters
        left, right, last = min(left, x0), max(right, x1), x0
    if text:
        yield left, right, _read(text)


def _whole(glyphs: Sequence[Glyph]) -> Iterator[Glyph]:
    """Letters that one glyph draws together, in the order in which they are read; marks with their letter."""
    held: Glyph | None = None
    for x0, x1, letter in glyphs:
        if held and (
            unicodedata.combining(letter[:1] or " ") or (abs(x0 - held[0]) < 0.01 and abs(x1 - held[1]) < 0.01)
        ):
            held = held[0], held[1], _LIGATURE.sub(r"\2\1", held[2] + letter)
            continue
        if held:
            yield held
        held = x0, x1, letter
    if held:
        yield held


def _read(text: str) -> str:
    """Figures and words of other scripts run from left to right; behind those stands a blank, printed or not."""
    text = _GLUED.sub(" ", _FORWARDS.sub(lambda found: _turned(found.group()), text))
    return text.translate(_MIRRORED) if _SWAPPED.search(text) else text


def _turned(text: str) -> str:
    ends = text[len(text.rstrip(".,:'-")) :]
    return text[: len(text) - len(ends)][::-1] + ends
