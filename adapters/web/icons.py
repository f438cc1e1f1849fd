"""The symbols in our texts, which the page draws as icons: it needs no font that has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

ICONS = {"●●●": "high", "●●○": "medium", "●○○": "low", "⚠": "warning", "👍": "up", "👎": "down"}
"""Symbol -> the name of its drawing in `templates/icons.html`."""
_SYMBOL = re.compile("|".join(map(re.escape, ICONS)))


class Piece(NamedTuple):
    """A part of a text: words, or an icon."""

    words: str = ""
    icon: str = ""


def pieces(text: str) -> Iterator[Piece]:
    """Yield the words of a text and, in the place of each symbol, the name of its icon."""
    end = 0
    for found in _SYMBOL.finditer(text):
        yield Piece(words=text[end : found.start()])
        yield Piece(icon=ICONS[found[0]])
        end = found.end()
    yield Piece(words=text[end:])
