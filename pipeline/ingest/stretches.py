"""A long text in stretches that overlap, for a reader that takes only so much at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

LENGTH = 1_000_000
"""Characters of a stretch: less than the screening of a document reads."""
OVERLAP = 10_000
"""Characters that two stretches share, so that no paragraph is seen in halves only."""


def stretches(texts: Iterable[str], length: int = LENGTH, overlap: int = OVERLAP) -> Iterator[str]:
    """All of `texts`, a line end between each two; every run of `overlap` characters stands whole in one stretch.

    Raises nothing."""
    held: list[str] = []
    size = 0
    first = True
    for text in texts:
        held.append(text)
        size += len(text) + 1
        if size <= length:
            continue
        joined = "\n".join(held)
        while len(joined) > length:
            yield joined[:length]
            joined, first = joined[length - overlap :], False
        held, size = [joined], len(joined) + 1
    joined = "\n".join(held)
    if first or len(joined) > overlap:
        yield joined
