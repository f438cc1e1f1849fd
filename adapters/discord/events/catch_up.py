"""Catching up after a fresh session: a resumed session replays what it missed, a new one does not.

The first direct message of a new person cannot be found: its channel is not known.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import discord

from adapters.chat.catch_up import MissedRange
from adapters.discord.errors import translate_discord_errors
from adapters.discord.events.places import workspace_key
from pipeline.ports import Inbox
from pipeline.rules.tenancy import workspace_scope

ReadableChannel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
MAX_DIRECT_CHANNELS = 500
"""Direct messages that are read after an outage: the most recent ones."""


class DiscordUnread(NamedTuple):
    """A channel to read."""

    channel: discord.abc.Messageable
    channel_id: int
    after: int
    """The id of the last message that is known."""

    def __str__(self) -> str:
        return str(self.channel_id)


class DiscordMissedReader:
    """The reader of missed messages in readable channels and active threads, forum posts among them; `accept` takes a
    message."""

    def __init__(
        self,
        client: discord.Client,
        inbox: Inbox,
        accept: Callable[[discord.Message], Awaitable[None]],
        missed: MissedRange,
        *,
        directs: bool,
    ) -> None:
        """Create it. `directs`: this process receives direct messages."""
        self._client = client
        self._inbox = inbox
        self._accept = accept
        self._missed = missed
        self._has_directs = directs
        self._last_ids: dict[int, int | None] = {}
        """The last known message by channel; None where nobody ever listened."""

    async def places(self) -> AsyncIterator[DiscordUnread]:
        directs: list[str] = []
        if self._has_directs:
            with workspace_scope(workspace_key(None)):
                directs = await self._inbox.channels(workspace_key(None))
        for guild_id, channel in self._channels():
            last_id = await self._last_known(guild_id, channel.id)
            if last_id is not None and (channel.last_message_id or 0) > last_id:
                yield DiscordUnread(channel, channel.id, last_id)
        for channel_id in map(int, directs[:MAX_DIRECT_CHANNELS]):
            last_id = await self._last_known(None, channel_id)
            if last_id is not None:
                yield DiscordUnread(self._client.get_partial_messageable(channel_id), channel_id, last_id)

    async def messages(self, place: DiscordUnread) -> AsyncGenerator[discord.Message, None]:
        with translate_discord_errors("read what was missed"):
            async for message in place.channel.history(
                after=discord.Object(place.after), oldest_first=True, limit=None
            ):
                yield message

    async def accept(self, place: DiscordUnread, message: discord.Message) -> None:
        await self._accept(message)

    async def _last_known(self, guild_id: int | None, channel_id: int) -> int | None:
        """Return the last known message of a channel; after a first start, the last one that was ever heard there."""
        if channel_id not in self._last_ids:
            after: int | None = _first_id(self._missed.start)
            if self._missed.is_first_start:
                with workspace_scope(workspace_key(guild_id)):
                    last_id = await self._inbox.last_message_id(f"{workspace_key(guild_id)}:{channel_id}")
                after = max(int(last_id), _first_id(self._missed.earliest)) if last_id else None
            self._last_ids[channel_id] = after
        return self._last_ids[channel_id]

    def _channels(self) -> Iterator[tuple[int, ReadableChannel]]:
        for guild in self._client.guilds:
            channels: list[ReadableChannel] = [
                *guild.text_channels,
                *guild.voice_channels,
                *guild.stage_channels,
                *guild.threads,
            ]
            for channel in channels:
                granted = channel.permissions_for(guild.me)
                if granted.view_channel and granted.read_message_history:
                    yield guild.id, channel


def _first_id(at: float) -> int:
    """Return the id right before those of messages of that moment."""
    return discord.utils.time_snowflake(datetime.fromtimestamp(at, UTC))
