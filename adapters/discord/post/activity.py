"""“Citewell is typing …” while an answer takes long enough to wonder and nothing of it is there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import aiohttp
import discord

from adapters.chat.post.growth import Settle

AFTER_SECONDS = 0.3
EVERY_SECONDS = 8.0
"""Discord shows it for ten seconds, or until the next message."""
LAST_SECONDS = 2.0
"""How long a request under way is waited for: one that came after the message would be shown beside it."""


@contextlib.asynccontextmanager
async def typing(channel: discord.abc.Messageable | None) -> AsyncIterator[Settle]:
    """Show it until left, or until what is given is called: before the first message, which ends it. None: nowhere.

    That it cannot be shown is no reason not to answer."""
    over = asyncio.Event()
    task = asyncio.create_task(_keep_typing(channel, over))

    async def stop() -> None:
        over.set()
        await asyncio.wait({task}, timeout=LAST_SECONDS)

    try:
        yield stop
        await stop()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _keep_typing(channel: discord.abc.Messageable | None, over: asyncio.Event) -> None:
    if channel is None:
        return
    with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError):
        pause = AFTER_SECONDS
        while not await _within(pause, over):
            await channel.typing()
            pause = EVERY_SECONDS


async def _within(seconds: float, over: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await over.wait()
    except TimeoutError:
        return False
    return True
