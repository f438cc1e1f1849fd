"""What somebody waits for while the courier posts it: an answer that they share, what comes of what they add."""

from __future__ import annotations

import asyncio

from pipeline.values.posting.digest import Adding, Share
from storage.messages.outbox import SQLOutbox

LOOK_SECONDS = 0.1
"""How often is looked whether it is there: another process may post it."""
PATIENCE_SECONDS = 600.0
"""How long somebody is told what came of it."""


class PostDesk:
    """The port `Posts`."""

    def __init__(self, outbox: SQLOutbox) -> None:
        self._outbox = outbox

    async def begin(self, post: Share | Adding) -> bool:
        if isinstance(post, Share):
            return await self._outbox.begin_share(post)
        return await self._outbox.begin_adding(post)

    async def change(self, post: Adding) -> None:
        await self._outbox.change(post)

    async def ended(self, post: Share | Adding) -> str | None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._ended(post.key)
        except TimeoutError:
            return None

    async def _ended(self, key: str) -> str | None:
        while outcome := await self._outbox.outcome(key):
            if outcome.state != "open":
                return outcome.why
            await asyncio.sleep(LOOK_SECONDS)
        return None
