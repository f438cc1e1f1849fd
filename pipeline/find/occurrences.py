"""Where the words of a question stand in a text, found without reading every word of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from pipeline.words.text import WORD, fold, terms

_FOREIGN = re.compile(r"[^\x00-\x7f]")


class Wanted:
    """The terms to look for, as `text.terms` makes them, numbered in their order."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._terms = [(term, _beginning(term)) for term in wanted]

    def find(self, text: str) -> list[tuple[int, int]]:
        """Where each occurrence of each term starts in `text`, with the number of the term."""
        surface = text.lower()
        if len(surface) != len(text):
            surface = "".join(letter.lower()[0] for letter in text)
        if not surface.isascii():
            surface = _FOREIGN.sub(_without_marks, surface)
        found: list[tuple[int, int]] = []
        for number, (term, beginning) in enumerate(self._terms):
            start = surface.find(beginning)
            while start >= 0:
                end = self._word_end(surface, start, term)
                if end:
                    found.append((start, number))
                start = surface.find(beginning, max(end, start + 1))
        return found

    @staticmethod
    def _word_end(surface: str, start: int, term: str) -> int:
        """Where the word at `start` ends if it is `term`, else 0."""
        if not term.isascii() and surface.startswith(term, start) and not _spaced(term):
            return start + len(term)
        if start and surface[start - 1].isalnum():
            return 0
        match = WORD.match(surface, start)
        return match.end() if match and term in _terms(match.group()) else 0


def _without_marks(found: re.Match[str]) -> str:
    plain = fold(found.group()).replace("ς", "σ")
    return plain if len(plain) == 1 else found.group()


@lru_cache(maxsize=65536)
def _terms(word: str) -> tuple[str, ...]:
    return tuple(terms(word))


def _beginning(term: str) -> str:
    """What every word of this stem begins with: Porter stems may change the last letter (`happy`, `filing`)."""
    return term[:-1] if len(term) > 2 and term[-1] in "eiy" else term


def _spaced(term: str) -> bool:
    """Whether the script of `term` puts spaces between words."""
    return len(terms(term * 2)) == 1
