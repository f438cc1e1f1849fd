"""Where something was said: the keys of messages, and the servers and channels that they are in."""

from __future__ import annotations

from typing import NamedTuple

import discord

from adapters.discord.platform import DISCORD
from pipeline.values import IncomingMessage, MessageKey, PlaceId, replace

PLATFORM = DISCORD.name
DIRECT = DISCORD.direct_space


def message_key(guild_id: int | None, channel_id: int, message_id: int) -> MessageKey:
    space = str(guild_id or DIRECT)
    return MessageKey(platform=PLATFORM, space=space, channel=str(channel_id), message=str(message_id))


def key(guild_id: int | None, channel_id: int, message_id: int) -> str:
    return str(message_key(guild_id, channel_id, message_id))


def workspace(guild_id: int | None) -> str:
    """`discord:1`, or `discord:dm` of direct messages."""
    return str(PlaceId(platform=PLATFORM, space=str(guild_id or DIRECT)))


class MessagePlace(NamedTuple):
    """Where a question was asked."""

    guild_id: int | None
    channel_id: int
    message_id: int
    """For a command: the interaction's id; for what is awaited, that of the answer below which it is told, or 0."""

    @classmethod
    def of(cls, key: MessageKey) -> MessagePlace:
        return cls(None if key.space == DIRECT else int(key.space), int(key.channel), int(key.message))


def place(message: IncomingMessage) -> MessagePlace:
    """What `key` was made of."""
    key = message.place
    return MessagePlace.of(replace(key, message=message.below) if message.below else key)


def said_in(message: discord.Message) -> tuple[PlaceId, ...]:
    """The places that `message` was said in, the widest first; none for a direct message."""
    return places(guild_of(message), message.channel.id, message.channel)


def places(guild_id: int | None, channel_id: int, channel: object) -> tuple[PlaceId, ...]:
    """A server, of a thread or a post its channel, and the channel; none without a server."""
    if guild_id is None:
        return ()
    server = PlaceId(platform=PLATFORM, space=str(guild_id))
    parents = (channel.parent_id,) if isinstance(channel, discord.Thread) else ()
    return (server, *(replace(server, channel=str(one)) for one in (*parents, channel_id)))


def guild_of(message: discord.Message) -> int | None:
    """The guild's id, also where the guild is not in the cache; None for a direct message."""
    if message.guild is not None:
        return message.guild.id
    return getattr(message.channel, "guild_id", None)
