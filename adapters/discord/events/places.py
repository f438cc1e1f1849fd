"""Where something was said: the keys of messages, and the servers and channels that they are in."""

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
    """`discord:1`, or `discord:dm` of direct messages."""
    return str(PlaceId(platform=DISCORD_NAME, space=str(guild_id or DIRECT_SPACE)))


class DiscordMessagePlace(NamedTuple):
    """Where a question was asked."""

    guild_id: int | None
    channel_id: int
    message_id: int
    """For a command: the interaction's id; for what is awaited, that of the answer below which it is told, or 0."""

    @classmethod
    def from_key(cls, key: MessageKey) -> DiscordMessagePlace:
        return cls(None if key.space == DIRECT_SPACE else int(key.space), int(key.channel), int(key.message))


def message_place(message: IncomingMessage) -> DiscordMessagePlace:
    """What `key` was made of."""
    key = message.place
    return DiscordMessagePlace.from_key(replace(key, message=message.below) if message.below else key)


def message_places(message: discord.Message) -> tuple[PlaceId, ...]:
    """The places that `message` was said in, the widest first; none for a direct message."""
    return place_chain(guild_id_of(message), message.channel.id, message.channel)


def place_chain(guild_id: int | None, channel_id: int, channel: object) -> tuple[PlaceId, ...]:
    """A server, of a thread or a post its channel, and the channel; none without a server."""
    if guild_id is None:
        return ()
    server = PlaceId(platform=DISCORD_NAME, space=str(guild_id))
    parents = (channel.parent_id,) if isinstance(channel, discord.Thread) else ()
    return (server, *(replace(server, channel=str(one)) for one in (*parents, channel_id)))


def guild_id_of(message: discord.Message) -> int | None:
    """The guild's id, also where the guild is not in the cache; None for a direct message."""
    if message.guild is not None:
        return message.guild.id
    return getattr(message.channel, "guild_id", None)
