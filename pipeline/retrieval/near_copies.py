"""Passages that say the same thing in nearly the same words."""

from __future__ import annotations

import re

DIFFERENT = 0.1
"""Share of words up to which two texts may differ."""
_WORD = re.compile(r"\w+")
_NEGATION = frozenset({"no", "not", "never", "without", "except", "unless", "only"})


class Seen:
    """Texts already taken."""

    def __init__(self) -> None:
        self._taken: list[tuple[list[str], frozenset[str]]] = []

    def add(self, text: str) -> bool:
        """Take `text`; False when it differs from one taken before in nothing but a few plain words.

        A number, a name or a negation makes a difference: two editions of a rule are both kept."""
        words = _WORD.findall(text)
        telling, distinct = sorted(word for word in words if not _plain(word)), frozenset(words)
        for others, other in self._taken:
            if telling == others and len(distinct ^ other) <= DIFFERENT * len(distinct | other):
                return False
        self._taken.append((telling, distinct))
        return True


def _plain(word: str) -> bool:
    return word.islower() and word.isalpha() and word not in _NEGATION
