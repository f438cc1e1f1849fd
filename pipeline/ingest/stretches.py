"""A long text in stretches that overlap, for a reader that takes only so much at a time."""

from __future__ import annotations

from collections.abc import Iterator

LENGTH = 1_000_000
"""Characters of a stretch: less than the screening of a document reads."""
OVERLAP = 10_000
"""Characters that two stretches share, so that no paragraph is seen in halves only."""


def stretches(text: str, length: int = LENGTH, overlap: int = OVERLAP) -> Iterator[str]:
    """All of `text`; every run of `overlap` characters stands whole in one stretch. Raises nothing."""
    for start in range(0, max(1, len(text) - overlap), length - overlap):
        yield text[start : start + length]
