"""The count of a judge's replies that could not be used, and the pause after too many of them."""

from __future__ import annotations

from collections.abc import Callable

MAX_UNUSABLE = 3
"""Unusable replies in a row after which a judge is not asked: a model that fills a schema now and then misses it three
times in a row seldom, and one that cannot fill it makes each answer wait."""
PAUSE_SECONDS = 300.0
"""Seconds until it is asked again: a model is replaced or loaded anew within minutes, and one wait in five minutes is
seldom noticed."""


class UnusableReplies:
    """The number of unusable replies in a row. After `MAX_UNUSABLE` nobody is asked for `PAUSE_SECONDS`, then one call
    is the probe: a usable reply ends the pause, anything else prolongs it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._in_a_row = 0
        self._next_probe = 0.0

    def may_ask(self) -> bool:
        """Tell whether the judge may be asked now. During a pause, True makes this call the probe."""
        if self._in_a_row < MAX_UNUSABLE:
            return True
        now = self._clock()
        if now < self._next_probe:
            return False
        self._next_probe = now + PAUSE_SECONDS
        return True

    def count(self) -> bool:
        """Count an unusable reply. Return True where the judge is not asked from now on."""
        self._in_a_row += 1
        self._next_probe = self._clock() + PAUSE_SECONDS
        return self._in_a_row >= MAX_UNUSABLE

    def reset(self) -> None:
        """Forget the unusable replies after one that can be used."""
        self._in_a_row = 0
