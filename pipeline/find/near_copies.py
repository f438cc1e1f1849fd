"""Passages that say the same thing in nearly the same words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

DIFFERENT = 0.1
"""Share of words up to which two texts may differ."""
_WORD = re.compile(r"\w+")
_FIGURE = re.compile(r"[\d_]+")
_NEGATION = frozenset({"no", "not", "never", "without", "except", "unless", "only"})


@dataclass(frozen=True, slots=True)
class _Words:
    telling: tuple[str, ...]
    """Those that make a difference by themselves, sorted."""
    all: frozenset[str]
    without_figures: frozenset[str]


class Seen:
    """Texts already taken."""

    def __init__(self) -> None:
        self._taken: list[_Words] = []

    def add(self, text: str) -> bool:
        """Take `text`; False when it differs from one taken before in nothing but a few plain words.

        A number, a name or a negation makes a difference: two editions of a rule are both kept."""
        words = _read(text)
        for other in self._taken:
            if words.telling == other.telling and _near(words.all, other.all):
                return False
        self._taken.append(words)
        return True

    def editions(self, text: str) -> int:
        """How many of the texts taken differ from `text` in nothing but figures and a few words."""
        words = _read(text).without_figures
        return sum(_near(words, other.without_figures) for other in self._taken)


def _near(some: frozenset[str], others: frozenset[str]) -> bool:
    if abs(len(some) - len(others)) > DIFFERENT * max(len(some), len(others)):
        return False
    shared, total = len(some & others), len(some) + len(others)
    return total - 2 * shared <= DIFFERENT * (total - shared)


@lru_cache(maxsize=1024)
def _read(text: str) -> _Words:
    words = _WORD.findall(text)
    distinct = frozenset(words)
    letters = (word if word.isalpha() else _FIGURE.sub("", word) for word in distinct)
    return _Words(tuple(sorted(word for word in words if not _plain(word))), distinct, frozenset(filter(None, letters)))


def _plain(word: str) -> bool:
    return word.islower() and word.isalpha() and word not in _NEGATION
