"""The stems of the library in memory: how many passages hold each, and which begin alike."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

MAX_STEMS = 100_000
"""Most stems held in memory, 15 MB; of a library with more, each is looked up in the database."""
_LAST = chr(0x10FFFF)


class Vocabulary:
    """Stems that begin with no digit, with the number of passages that hold each."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = counts
        self._stems = sorted(counts)

    def with_prefix(self, letters: str) -> list[str]:
        """Return the stems that begin with `letters`, in order."""
        return self._stems[bisect_left(self._stems, letters) : bisect_left(self._stems, letters + _LAST)]
