"""What a sentence is made of: its words and each two that follow each other, as weights are given to them."""

from __future__ import annotations

import re
from itertools import pairwise

from pipeline.words.text import stem

_MOST, _LONGEST = 60, 64
"""Words of a sentence, and characters of a word, that are read."""
_ADDRESS = re.compile(r"\W{0,8}(?:https?://|www\.|[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|org|net|example)\b)")
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\d+|[:?!.,;\"#@<>|\[\]]")
_STEMMED = 4
"""Letters from which a word is stemmed."""


def grams(folded: str) -> frozenset[str]:
    """The words of a folded sentence, stemmed, with its punctuation and its ends, and the pairs of them.

    An address is `ADDRESS` and a number `NUMBER`, whichever it is."""
    words = ["^"]
    for part in folded.split(maxsplit=_MOST)[:_MOST]:
        shown = part.partition("](")[0][:_LONGEST]
        words += ["ADDRESS"] if _ADDRESS.match(shown) else map(_plain, _WORD.findall(shown))
    words.append("$")
    return frozenset(words).union(f"{one} {two}" for one, two in pairwise(words))


def _plain(word: str) -> str:
    if word.isdecimal():
        return "NUMBER"
    return stem(word) if len(word) >= _STEMMED else word
