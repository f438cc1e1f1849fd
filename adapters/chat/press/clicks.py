"""Two quick clicks are one."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

TWICE_SECONDS = 3.0
"""Within which nobody means to press the same again."""


class Clicks:
    """Remembers what was pressed a moment ago."""

    def __init__(self) -> None:
        self._latest: dict[Hashable, float] = {}

    def again(self, *click: Hashable) -> bool:
        """Whether the same was pressed a moment ago: who, what, of which answer, where."""
        now = asyncio.get_running_loop().time()
        self._latest = {one: at for one, at in self._latest.items() if now - at < TWICE_SECONDS}
        if click in self._latest:
            return True
        self._latest[click] = now
        return False
