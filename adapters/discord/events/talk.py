"""What people say in channels that are a source: as it is said, and what is read of it."""

from __future__ import annotations

from typing import Any

import discord

from adapters.chat.hear import Look
from adapters.discord.errors import translated
from adapters.discord.events.incoming import ACCEPTED, KEPT_OUT, SAID, attachments
from adapters.discord.events.places import PLATFORM
from adapters.discord.events.spoken import question
from pipeline.errors import Refused
from pipeline.values import PlaceId, Said

SOLVED = frozenset({"solved", "resolved", "answered"})
"""Tags of a forum's post."""


def look(message: discord.Message, me: discord.ClientUser) -> Look | None:
    """At a message that was told of; None in private threads, which are not read."""

    async def as_told(channel: PlaceId) -> Said | None:
        return said(channel, message, me)

    return None if hidden(message.channel) else as_told


def look_again(client: discord.Client, guild_id: int | None, channel_id: int, message_id: int) -> Look:
    """At what a message is now that it or its reactions changed: an event tells of one of these alone."""

    async def now(place: PlaceId) -> Said | None:
        channel: Any = client.get_partial_messageable(channel_id, guild_id=guild_id)
        with translated("look at a message again"):
            message = await channel.fetch_message(message_id)
        message.channel = client.get_channel(channel_id) or message.channel
        if client.user is None or hidden(message.channel):
            raise Refused("a message is not to be read there")
        return said(place, message, client.user)

    return now


def said(channel: PlaceId, message: discord.Message, me: discord.ClientUser, *, to_us: bool = False) -> Said | None:
    """What a person said to people; None for joins, bots, what is kept out, and unless `to_us` questions to us."""
    reactions = {str(one.emoji) for one in message.reactions}
    spoken = message.type in SAID and not message.author.bot and not message.webhook_id
    text = question(message, me)
    ours = not to_us and any(one.id == me.id for one in message.mentions)
    if not spoken or not (text or message.attachments) or KEPT_OUT in reactions or ours:
        return None
    inside = message.channel if isinstance(message.channel, discord.Thread) else None
    refers = message.reference.message_id if message.reference else None
    return Said(
        channel=channel,
        thread=str(inside.id if inside else refers or message.id),
        message=str(message.id),
        author=f"{PLATFORM}:{message.author.id}",
        name=message.author.display_name,
        at=message.created_at,
        edited=message.edited_at,
        text=text,
        url=message.jump_url,
        title=inside.name if inside else "",
        files=attachments(message),
        accepted=ACCEPTED in reactions or bool(inside and SOLVED.intersection(_tags(inside))),
    )


def hidden(channel: object) -> bool:
    return isinstance(channel, discord.Thread) and channel.is_private()


def _tags(thread: discord.Thread) -> set[str]:
    return {tag.name.lower() for tag in thread.applied_tags}
