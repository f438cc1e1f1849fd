"""What people say in channels that are a source: as it is said, and what is read of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord

from adapters.discord.errors import translated
from adapters.discord.events.files import attached
from adapters.discord.events.incoming import SAID, attachments
from adapters.discord.events.places import PLATFORM, said_in
from adapters.discord.events.spoken import question
from pipeline.errors import Refused
from pipeline.ports import Desk
from pipeline.values import Attachment, PlaceId, Said

ACCEPTED, KEPT_OUT = "✅", "🚫"
"""Reactions: to what solved it, and to what is not to be read."""
SOLVED = frozenset({"solved", "resolved", "answered"})
"""Tags of a forum's post."""

Chain = Sequence[PlaceId]
"""Where something was said, the widest first."""


class DiscordTalk:
    """What is said in private threads is not read."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def heard(self, message: discord.Message, me: discord.ClientUser, *, fresh: bool = False) -> None:
        """Take in a message as it is now, if it is of a channel that is a source. Raises Unavailable. `fresh`: it was
        read just now, and not told of."""
        channel = await self._desk.channels.indexed(said_in(message))
        if channel is None or hidden(message.channel):
            return
        if read := said(channel, message, me):
            await self._desk.channels.take([read], fresh=fresh)
        else:
            await self._desk.channels.drop(channel, [str(message.id)])

    async def reacted(self, client: discord.Client, payload: discord.RawReactionActionEvent, chain: Chain) -> None:
        """Reactions changed: they may keep a message out, or say that it solved something."""
        if payload.emoji.name in (ACCEPTED, KEPT_OUT):
            await self.again(client, payload.channel_id, payload.message_id, chain)

    async def again(self, client: discord.Client, channel_id: int, message_id: int, chain: Chain) -> None:
        """What a message is now that it or its reactions changed: an event tells of one of these alone."""
        if not await self._desk.channels.indexed(chain):
            return
        channel: Any = client.get_partial_messageable(channel_id, guild_id=int(chain[0].space))
        try:
            with translated("look at a message again"):
                message = await channel.fetch_message(message_id)
        except Refused:
            return
        if client.user:
            message.channel = client.get_channel(channel_id) or message.channel
            await self.heard(message, client.user, fresh=True)


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


async def file_of(client: discord.Client, said: Said, file: Attachment, api_url: str) -> bytes:
    """Raises NotAdded, and what discord.py raises."""
    inside = said.thread if said.title else said.channel.channel
    channel = client.get_partial_messageable(int(inside))
    message = await channel.fetch_message(int(said.message))
    found = next((one for one in message.attachments if str(one.id) == file.id), None)
    if found is None:
        raise Refused("the file is gone")
    return await attached(found, api_url)


def hidden(channel: object) -> bool:
    return isinstance(channel, discord.Thread) and channel.is_private()


def _tags(thread: discord.Thread) -> set[str]:
    return {tag.name.lower() for tag in thread.applied_tags}
