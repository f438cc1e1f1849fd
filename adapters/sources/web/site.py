"""Asking the servers of a site for pages, as their robots.txt wants it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from protego import Protego

from adapters.fetch.fetcher import Fetched, Fetcher
from adapters.files.outline import ROBOT
from adapters.sources.web.addresses import origin

_ROBOTS_BYTES = 500_000
"""RFC 9309, 2.5: the least that is to be read."""
_LONGEST_DELAY = 30.0
"""Seconds: a Crawl-delay above it is taken for this."""


class Site:
    """One request after another. Between two of one server there are `pace` seconds, or those of its Crawl-delay."""

    def __init__(
        self, fetcher: Fetcher, *, pace: float = 0.0, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._fetcher = fetcher
        self._pace = pace
        self._sleep = sleep
        self._rules: dict[str, Protego] = {}
        self._answered: dict[str, float] = {}
        """When each server answered last."""

    async def allows(self, address: str) -> bool:
        """Whether robots.txt does. One that is not there allows everything; raises Unavailable for one that does not
        come (RFC 9309, 2.3.1)."""
        return (await self._robots(address)).can_fetch(address, ROBOT)

    async def get(self, address: str, headers: Mapping[str, str] | None = None, *, most: int) -> Fetched:
        """Raises what `Fetcher.fetch` raises."""
        server = origin(address)
        await self._sleep(self._rest(server))
        try:
            return await self._fetcher.fetch(address, headers=headers or {}, most=most)
        finally:
            self._answered[server] = time.monotonic()

    def _rest(self, server: str) -> float:
        """Seconds until the server may be asked again."""
        if server not in self._answered:
            return 0.0
        rules = self._rules.get(server)
        delay = min((rules.crawl_delay(ROBOT) if rules else None) or 0.0, _LONGEST_DELAY)
        return max(self._answered[server] + max(self._pace, delay) - time.monotonic(), 0.0)

    async def _robots(self, address: str) -> Protego:
        server = origin(address)
        if server not in self._rules:
            found = await self.get(f"{server}/robots.txt", most=_ROBOTS_BYTES)
            self._rules[server] = Protego.parse(found.body.decode("utf-8", "replace") if found.status == 200 else "")
        return self._rules[server]
