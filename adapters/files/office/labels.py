"""Numbers of lists as programs write them, and the entries that they stand before."""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import ascii_lowercase

from adapters.files.outline import Outline
from pipeline.values import BlockKind, Link

TICKS = frozenset("☐☑☒✓✔✗✘□")
"""Bullets that say something."""
STEP = re.compile(r"([1-9]\d{0,8})[.)]?")
"""A number that stands alone before its entry."""
_ROMAN = tuple(
    zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split(), strict=True)
)
_RUSSIAN, _HAN = "абвгдежзиклмнопрстуфхцчшщэюя", ("", *"一二三四五六七八九")
_MOST_ROMAN, _MOST_LETTERS, _CIRCLED = 3999, 780, 20


def add_entry(outline: Outline, text: str, label: str | None, depth: int, links: Iterable[Link]) -> None:
    """Append an entry of a list: a step where it has a number in figures; a label of another kind stands in its text.
    Without any label (None) it is text."""
    step = STEP.fullmatch(label or "")
    kind = BlockKind.PROSE if label is None else BlockKind.STEP if step else BlockKind.ITEM
    shown = f"{label} {text}" if label and not step else text
    outline.add(kind, shown, depth=depth, number=int(step[1]) if step else 0, links=links)


def written(count: int, shape: str) -> str:
    """A number in one of Word's ways to write it; in figures where the way is rare."""
    upper = shape.startswith("upper") or shape.endswith("Upper")
    match shape:
        case "none" | "bullet":
            return ""
        case "upperRoman" | "lowerRoman" if 0 < count <= _MOST_ROMAN:
            found = ""
            for worth, letters in _ROMAN:
                times, count = divmod(count, worth)
                found += letters * times
            return found if upper else found.lower()
        case "upperLetter" | "lowerLetter" | "russianUpper" | "russianLower" if 0 < count <= _MOST_LETTERS:
            letters = _RUSSIAN if shape.startswith("russian") else ascii_lowercase
            times, place = divmod(count - 1, len(letters))
            return (letters[place].upper() if upper else letters[place]) * (times + 1)
        case _ if shape.isdigit():  # the first number as it is to look
            return str(count).zfill(len(shape))
        case "ordinal":
            ending = "th" if count % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
            return f"{count}{ending}"
        case "decimalEnclosedCircle" if 0 < count <= _CIRCLED:
            return chr(0x245F + count)
        case _ if 0 < count < 100 and shape.endswith(("Counting", "CountingThousand")):  # of China, Japan and Taiwan
            tens, ones = divmod(count, 10)
            return f"{_HAN[tens] if tens > 1 else ''}{'十' if tens else ''}{_HAN[ones]}"
        case _:
            return str(count)
