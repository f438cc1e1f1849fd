"""“Citewell is typing …” while an answer takes long enough to wonder."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import aiohttp
import discord

AFTER_SECONDS = 0.3
EVERY_SECONDS = 8.0
"""Discord shows it for ten seconds."""


@contextlib.asynccontextmanager
async def typing(channel: discord.abc.Messageable) -> AsyncIterator[None]:
    """Show it until left. That it cannot be shown is no reason not to answer."""
    task = asyncio.create_task(_keep_typing(channel))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _keep_typing(channel: discord.abc.Messageable) -> None:
    await asyncio.sleep(AFTER_SECONDS)
    with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError):
        while True:
            await channel.typing()
            await asyncio.sleep(EVERY_SECONDS)
