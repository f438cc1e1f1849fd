"""Lists that Slack hands out in pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from adapters.slack.web import Web
from pipeline.errors import Unavailable

PAGES = 400
"""Of one list at most."""


class Pacer:
    """Lets `burst` calls pass, and further ones after `pause` seconds each: Slack counts calls by the minute."""

    def __init__(self, burst: int, pause: float) -> None:
        self._left = burst
        self._pause = pause

    async def wait(self) -> None:
        await asyncio.sleep(0.0 if self._left else self._pause)
        self._left = max(0, self._left - 1)


async def pages(
    web: Web, method: str, what: str, pacer: Pacer | None = None, **arguments: Any
) -> AsyncIterator[list[Any]]:
    """Every page of the list `what`. Raises as `Web.call`, and Unavailable when there is no end to them."""
    cursor = ""
    for _ in range(PAGES):
        if pacer:
            await pacer.wait()
        more = {"cursor": cursor} if cursor else {}
        found = await web.call(method, **arguments, **more)
        yield found.get(what) or []
        cursor = str((found.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return
    raise Unavailable("Slack", f"{method} has more than {PAGES} pages")
