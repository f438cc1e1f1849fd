"""How often somebody may call."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

REMEMBERED = 10_000
"""Callers whose calls are counted; of more, those that called longest ago are forgotten."""


class Pace:
    """A bucket of tokens for each caller, which fills again by the minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full: OrderedDict[str, float] = OrderedDict()
        """When the bucket of each is full again."""

    def wait(self, who: str, per_minute: int) -> float:
        """Count a call of `who`; 0.0 where it is granted, else the seconds until one would be."""
        now, each = self._clock(), 60.0 / per_minute
        ahead = max(self._full.get(who, now) - now, 0.0)
        if ahead + each > 60.0:
            return ahead + each - 60.0
        self._full[who] = now + ahead + each
        self._full.move_to_end(who)
        if len(self._full) > REMEMBERED:
            self._full.popitem(last=False)
        return 0.0
