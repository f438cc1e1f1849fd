"""Passages that say the same thing in nearly the same words."""

from __future__ import annotations

import re
from functools import lru_cache

DIFFERENT = 0.1
"""Share of words up to which two texts may differ."""
_WORD = re.compile(r"\w+")
_NEGATION = frozenset({"no", "not", "never", "without", "except", "unless", "only"})


class Seen:
    """Texts already taken."""

    def __init__(self) -> None:
        self._taken: list[tuple[tuple[str, ...], frozenset[str]]] = []

    def add(self, text: str) -> bool:
        """Take `text`; False when it differs from one taken before in nothing but a few plain words.

        A number, a name or a negation makes a difference: two editions of a rule are both kept."""
        telling, distinct = _read(text)
        for others, other in self._taken:
            if telling == others and len(distinct ^ other) <= DIFFERENT * len(distinct | other):
                return False
        self._taken.append((telling, distinct))
        return True


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The words that make a difference by themselves, sorted, and all words."""
    words = _WORD.findall(text)
    return tuple(sorted(word for word in words if not _plain(word))), frozenset(words)


def _plain(word: str) -> bool:
    return word.islower() and word.isalpha() and word not in _NEGATION
