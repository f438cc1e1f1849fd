"""What services answer that is not as their API is described."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.errors import Unavailable

MOST_PARTS = 10_000
"""Of one list: a million entries in parts of a hundred."""


@contextmanager
def understood(service: str) -> Iterator[None]:
    """Raises Unavailable for what reading a strange answer raises."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise Unavailable(service, "answered with something that is not as its API is described") from error


class Parts:
    """The parts of a list that comes in many."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._seen: set[str] = set()

    def follow(self, cursor: str) -> None:
        """Raises Unavailable where the list would not end."""
        if cursor in self._seen or len(self._seen) >= MOST_PARTS:
            raise Unavailable(self._service, "lists without an end")
        self._seen.add(cursor)
