"""Passages that say the same thing in nearly the same words."""

from __future__ import annotations

SAME = 0.8
"""Jaccard overlap of word runs from which two texts are near-copies."""
_RUN = 5
"""Words in a run."""


class Seen:
    """Texts already taken."""

    def __init__(self) -> None:
        self._taken: list[frozenset[tuple[str, ...]]] = []

    def add(self, text: str) -> bool:
        """Take `text`; False when it is a near-copy of one taken before."""
        words = text.lower().split()
        runs = frozenset(tuple(words[start : start + _RUN]) for start in range(max(1, len(words) - _RUN + 1)))
        if any(len(runs & other) >= SAME * len(runs | other) for other in self._taken):
            return False
        self._taken.append(runs)
        return True
