"""What somebody waits for while the courier posts it: an answer that they share, what comes of what they add."""

from __future__ import annotations

import asyncio

from pipeline.translations import Words
from pipeline.values.posting import Adding, Share
from pipeline.words import wording
from storage.messages.outbox import SQLOutbox

LOOK_SECONDS = 0.1
"""How often is looked whether it is there: another process may post it."""
PATIENCE_SECONDS = 600.0
"""How long somebody is told what came of it."""
SHARE_SECONDS = 60.0
"""How long an answer may take to be shared: then nobody looks for it there, and it is given up."""


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
                return await self._ended(post)
        except TimeoutError:
            return None

    async def _ended(self, post: Share | Adding) -> str | None:
        now = asyncio.get_running_loop().time
        late = now() + SHARE_SECONDS
        while outcome := await self._outbox.outcome(post.key):
            if outcome.state != "open":
                return outcome.why
            if isinstance(post, Share) and outcome.put_off and now() > late:
                await self._outbox.withdraw(post.key, Words(post.language)(wording.TRY_AGAIN))
            await asyncio.sleep(LOOK_SECONDS)
        return None
