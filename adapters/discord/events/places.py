"""Places and keys of messages: servers, channels and threads."""

from __future__ import annotations

from typing import NamedTuple

import discord

from adapters.discord.platform import DISCORD
from pipeline.values import IncomingMessage, MessageKey, PlaceId, replace

DISCORD_NAME = DISCORD.name
DIRECT_SPACE = DISCORD.direct_space


def message_key(guild_id: int | None, channel_id: int, message_id: int) -> MessageKey:
    space = str(guild_id or DIRECT_SPACE)
    return MessageKey(platform=DISCORD_NAME, space=space, channel=str(channel_id), message=str(message_id))


def message_key_text(guild_id: int | None, channel_id: int, message_id: int) -> str:
    return str(message_key(guild_id, channel_id, message_id))


def workspace_key(guild_id: int | None) -> str:
    """Return `discord:1`, or `discord:dm` for direct messages."""
    return str(PlaceId(platform=DISCORD_NAME, space=str(guild_id or DIRECT_SPACE)))


class DiscordMessagePlace(NamedTuple):
    """The place of a question."""

    guild_id: int | None
    channel_id: int
    message_id: int
    """The message's id; for a command the interaction's, for an awaited answer that of the answer above it, or 0."""

    @classmethod
    def from_key(cls, key: MessageKey) -> DiscordMessagePlace:
        return cls(None if key.space == DIRECT_SPACE else int(key.space), int(key.channel), int(key.message))


def message_place(message: IncomingMessage) -> DiscordMessagePlace:
    """Return the place that the message's key names."""
    key = message.place
    return DiscordMessagePlace.from_key(replace(key, message=message.below) if message.below else key)


def message_places(message: discord.Message) -> tuple[PlaceId, ...]:
    """Return the places of `message`, the widest first; empty for a direct message."""
    return place_chain(guild_id_of(message), message.channel.id, message.channel)


def place_chain(guild_id: int | None, channel_id: int, channel: object) -> tuple[PlaceId, ...]:
    """Return the server, the channel, and a thread or post inside it; empty without a server."""
    if guild_id is None:
        return ()
    server = PlaceId(platform=DISCORD_NAME, space=str(guild_id))
    parents = (channel.parent_id,) if isinstance(channel, discord.Thread) else ()
    return (server, *(replace(server, channel=str(channel_key)) for channel_key in (*parents, channel_id)))


def guild_id_of(message: discord.Message) -> int | None:
    """Return the guild's id, also where the guild is not in the cache; None for a direct message."""
    if message.guild is not None:
        return message.guild.id
    return getattr(message.channel, "guild_id", None)
