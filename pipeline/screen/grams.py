"""What a sentence is made of: its words and each two that follow each other, as weights are given to them.

They are taken from windows, so that words around an order do not hide it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipeline.words.text import stem

WINDOW = 30
"""Words of a window, its marks among them."""
_CLAUSE, _STEP = 10, 15
"""Words from one clause that a window starts with to the next, and between the starts of other windows."""
_FEWEST = 3
"""Words that a window has at least."""
_ADDRESS = re.compile(r"\W{0,8}(?:https?://|www\.|[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|org|net|example)\b)")
_TARGET = re.compile(r"\]\([^\s)]*\)?")
"""Where a link leads."""
_WORD = re.compile(r"[^\W\d_]{1,64}(?:'[a-z]{1,4})?|\d+|[:?!.,;\"]")
_MARKS = frozenset(':?!.,;"')
_STEMMED = 4
"""Letters from which a word is stemmed."""


def windows(folded: str) -> Iterator[frozenset[str]]:
    """For each window of a folded sentence: its words, stemmed, with its punctuation and its ends, and the pairs of
    them.

    An address is `ADDRESS` and a number `NUMBER`, whichever it is; markup is nothing."""
    said = _said(folded)
    for start in _starts(said):
        words = said[start : start + WINDOW]
        if start == 0 or said[start - 1] in _MARKS:
            words = ["^", *words]
        if start + WINDOW >= len(said):
            words = [*words, "$"]
        yield frozenset(words).union(f"{one} {two}" for one, two in pairwise(words))


def _starts(said: Sequence[str]) -> Iterator[int]:
    clause = 0
    for place in range(max(1, len(said) - _FEWEST + 1)):
        if begins := place >= clause + _CLAUSE and said[place - 1] in _MARKS:
            clause = place
        if begins or place % _STEP == 0:
            yield place


def _said(folded: str) -> list[str]:
    """The words, and each mark that stands behind one."""
    words = list[str]()
    for part in _TARGET.sub(" ", folded).split():
        words += ["ADDRESS"] if _ADDRESS.match(part) else map(_plain, _WORD.findall(part))
    return [word for before, word in pairwise(['"', *words]) if word not in _MARKS or before not in _MARKS]


def _plain(word: str) -> str:
    if word.isdecimal():
        return "NUMBER"
    return stem(word) if len(word) >= _STEMMED else word
