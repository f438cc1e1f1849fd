"""Which lines are headings, by bookmarks or by the size and the kind of their letters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from adapters.files.pdf.lines import CAPTION, led
from adapters.files.pdf.parts import Line, Table

LARGER = 1.12
"""A heading's letters are this much larger than those of the text, or bold."""
ITEM = re.compile(r"(?:[•●▪◦‣·–—*○■□➢►▶➤-]|o(?= \S)|§(?= \D))\s+(?=\S)|(?=[☐☑☒✓✔✗✘]\s*\S)")
STEP = re.compile(r"\(?(\d{1,3})[.)]\s+(?=\S)|\(?([a-z]|[ivx]{2,4})[.)]\s+(?=\S)")
_SENTENCE_END = (".", "!", "?", ":", ";", ",", "…")


def shape(text: str) -> str:
    return re.sub(r"\d+", "0", " ".join(text.lower().split()))


def largest(lines: Sequence[Line], body: float) -> str:
    """The one line in the largest letters, if it is on the first page."""
    size = max((line.style.size for line in lines), default=0)
    found = [line for line in lines if line.style.size == size]
    near = len(found) == 1 or (len(found) == 2 and 0 < found[0].y - found[1].y < 1.6 * size)
    alone = near and found[0].page == found[-1].page == 1 and size >= LARGER * body
    return " ".join(line.text for line in found) if alone else ""


class Headings:
    """The headings of a document; `bookmarks` are titles with their levels."""

    def __init__(self, parts: Sequence[Line | Table], bookmarks: Mapping[str, int], body: float) -> None:
        self._bookmarks, self._body = bookmarks, body
        lines = [part for part in parts if isinstance(part, Line)]
        cells = [
            text for part in parts if isinstance(part, Table) for row in part.rows for cell in row for text in cell
        ]
        letters = sum(len(line.text) for line in lines)
        bold = sum(len(line.text) for line in lines if line.style.bold)
        self._bold = 2 * bold > letters > sum(map(len, cells))
        self._sizes = _told_apart(
            sorted({line.style.size for line in lines if line.style.size >= LARGER * body}, reverse=True)
        )
        self._steps = {id(line) for pair in pairwise(parts) if _both_steps(*pair) for line in pair}

    def level(self, lines: list[Line], text: str) -> int:
        """1 for the largest letters. Bookmarks are believed; without, a heading is short, larger, bold or in italics,
        and no sentence."""
        if level := self._bookmarks.get(shape(text)):
            return level
        style = lines[0].style
        words = len(text.split())
        if len(lines) > 3 or words > 16 or not any(c.isalpha() for c in text) or CAPTION.match(text):
            return 0
        if text.endswith(_SENTENCE_END) and not (style.size > 1.3 * self._body and text[-1] in "?!"):
            return 0
        if ITEM.match(text) or led(lines[-1].text) or text[-1] in "-–":
            return 0
        rank = next((n for n, size in enumerate(self._sizes, 1) if style.size > size - 0.3), 0)
        if id(lines[0]) in self._steps:
            return 0
        if rank:
            return rank
        dots = min(text.split()[0].rstrip(".").count("."), 4) if text[0].isdigit() else 0
        if style.bold and not self._bold and style.size > 0.9 * self._body:
            return len(self._sizes) + 1 + dots
        if style.italic and len(lines) == 1 and words <= 10 and style.size > 0.97 * self._body and text[0].isupper():
            return len(self._sizes) + 2 + dots
        return 0


def _both_steps(before: Line | Table, line: Line | Table) -> bool:
    """Whether two lines are numbered entries of a list, one below the other."""
    if isinstance(before, Table) or isinstance(line, Table) or before.style.size != line.style.size:
        return False
    near = 0 < before.y - line.y < 3 * line.style.size
    return near and bool(STEP.match(before.text) and STEP.match(line.text))


def _told_apart(sizes: Sequence[float]) -> list[float]:
    """Sizes that differ so that one sees it, from the largest."""
    kept: list[float] = []
    for size in sizes:
        if not kept or size < kept[-1] - 0.35:
            kept.append(size)
    return kept
