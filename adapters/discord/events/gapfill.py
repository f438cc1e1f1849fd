"""After a fresh session: what was said while nobody listened.

A session that is resumed replays what it missed; a new one does not. So every channel is read from the moment up to
which everything is known to be in the inbox. A first direct message from somebody new cannot be found: its channel
is not known.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import aiohttp
import discord
import structlog

from adapters.discord.events.places import workspace
from adapters.discord.memory import Memory
from pipeline.errors import CitewellError
from pipeline.ports import Inbox
from pipeline.rules.tenancy import bound

HORIZON_SECONDS = 24 * 3600.0
"""How far back is read at most."""
LONGEST_PAUSE = 30.0


class Unread(NamedTuple):
    """Somewhere to read."""

    channel: discord.abc.Messageable
    channel_id: int
    guild_id: int | None
    newest: int | None
    """Its last message; None when that is not known."""


log = structlog.get_logger(__name__)


async def fill(
    client: discord.Client, inbox: Inbox, memory: Memory, take: Callable[[discord.Message], Awaitable[None]]
) -> None:
    """Hand every message of the gap to `take`, oldest first in each channel. Tries again until all is read.

    A channel that fails keeps no other one waiting."""
    done: set[int] = set()
    pause = 1.0
    while True:
        failed = False
        for unread in [*_channels(client), *_directs(client, memory)]:
            if unread.channel_id in done:
                continue
            try:
                with bound(workspace(unread.guild_id)):
                    await _read(unread, inbox, memory, take)
                done.add(unread.channel_id)
            except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError, CitewellError) as error:
                log.warning("discord_gap_unread", channel=unread.channel_id, reason=type(error).__name__)
                failed = True
        if not failed:
            return
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def _channels(client: discord.Client) -> Iterator[Unread]:
    """Channels and active threads, forum posts among them, that may be read."""
    for guild in client.guilds:
        channels: list[discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread] = [
            *guild.text_channels,
            *guild.voice_channels,
            *guild.stage_channels,
            *guild.threads,
        ]
        for channel in channels:
            granted = channel.permissions_for(guild.me)
            if granted.view_channel and granted.read_message_history:
                yield Unread(channel, channel.id, guild.id, channel.last_message_id or 0)


def _directs(client: discord.Client, memory: Memory) -> Iterator[Unread]:
    for channel_id in memory.directs:
        yield Unread(client.get_partial_messageable(channel_id), channel_id, None, None)


async def _read(
    unread: Unread, inbox: Inbox, memory: Memory, take: Callable[[discord.Message], Awaitable[None]]
) -> None:
    after = await _start(unread, inbox, memory)
    if after is None or (unread.newest is not None and unread.newest <= after):
        return
    try:
        async for message in unread.channel.history(after=discord.Object(after), oldest_first=True, limit=None):
            await take(message)
    except (discord.Forbidden, discord.NotFound):
        if unread.guild_id is None:
            memory.forget_direct(unread.channel_id)


async def _start(unread: Unread, inbox: Inbox, memory: Memory) -> int | None:
    """The id after which to read; None when nothing was ever read. What was read until a moment that is not yet was
    noted by a clock that was wrong, and says nothing."""
    now = time.time()
    horizon = discord.utils.time_snowflake(datetime.fromtimestamp(now - HORIZON_SECONDS, UTC))
    if memory.read_until > now:
        return horizon
    if memory.read_until:
        return max(discord.utils.time_snowflake(datetime.fromtimestamp(memory.read_until, UTC)), horizon)
    seen = await inbox.seen(f"{workspace(unread.guild_id)}:{unread.channel_id}")
    return max(int(seen), horizon) if seen else None
