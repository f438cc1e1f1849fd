"""A clock that a test sets."""

from __future__ import annotations

from datetime import UTC, datetime


class Clock:
    """Seconds since the epoch; from now on, until it is set."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC).timestamp()

    def __call__(self) -> float:
        return self.now
