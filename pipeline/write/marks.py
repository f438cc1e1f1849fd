"""Source numbers as models write them: `[1]`, `[1, 2]`, `[1-3]`, `[Source 1]`, `【1】`, `[^1]`, `(source 1)`."""

from __future__ import annotations

import re

_WORD = r"(?:(?:sources?|passages?|documents?|docs?|refs?|quellen?|fuentes?)[.:]?\s{0,2})"
_ITEM = rf"{_WORD}?[#^]?\d{{1,3}}(?:\s{{0,2}}[-–—‐]\s{{0,2}}[#^]?\d{{1,3}})?"
_AND = r"(?:\s{0,2}(?:[,;&/、，；]|\b(?:and|und|et|y|e)\b)\s{0,2}|\s{1,2})"
_LIST = rf"{_ITEM}(?:{_AND}{_ITEM}){{0,20}}"
MARK = (
    rf"(?:[\[［【〔]\s{{0,2}}{_LIST}\s{{0,2}}(?:†[^\]】\n]{{0,80}})?[\]］】〕](?:\([^()\s]{{0,300}}\))?"
    rf"|\(\s{{0,2}}{_WORD}{_LIST}\s{{0,2}}\))"
)
"""Pattern of one mark; it matches nothing longer than a few hundred characters and never backtracks far."""
OPENERS = "[［【〔("

_FIND = re.compile(rf"(?P<code>`+[^`\n]*`+)|(?P<mark>\s{{0,2}}{MARK})", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,3})(?:\s{0,2}[-–—‐]\s{0,2}[#^]?(\d{1,3}))?")
_LOOSE = re.compile(r"(?<!\s)\s++(?=[.,;:!?…。，！？)])")
_WIDEST = 20
"""A wider range than this is read as its two ends."""


def extract(text: str) -> tuple[str, tuple[int, ...]]:
    """`text` without its marks, and the numbers they name in order of appearance; inline code is left alone."""
    numbers: dict[int, None] = {}

    def take(match: re.Match[str]) -> str:
        if match["code"]:
            return match["code"]
        numbers.update(dict.fromkeys(_numbers(match["mark"])))
        return ""

    cleaned = _FIND.sub(take, text)
    if numbers:
        cleaned = _LOOSE.sub("", cleaned)
    return cleaned.strip(), tuple(numbers)


def bare(cell: str) -> tuple[int, ...]:
    """The numbers of a cell in a column of sources, with or without brackets."""
    return tuple(dict.fromkeys(_numbers(cell)))


def _numbers(mark: str) -> list[int]:
    named = mark.split("](")[0].split("†")[0]
    found: list[int] = []
    for first, last in _RANGE.findall(named):
        low, high = int(first), int(last or first)
        found.extend(range(low, high + 1) if 0 <= high - low <= _WIDEST else (low, high))
    return found
