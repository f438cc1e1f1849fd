"""All that people said in a thread, read when it is to be summed up."""

from __future__ import annotations

import discord

from adapters.discord.errors import translated
from adapters.discord.events.places import place, places
from adapters.discord.events.talk import said
from pipeline.values import IncomingMessage, PlaceId, Said, replace

MOST = 1_000
"""Messages that are read, the first ones."""


async def thread(client: discord.Client, message: IncomingMessage) -> list[Said] | None:
    """Above `message`; None where it is in no thread, nothing where Discord does not let us read it. Raises
    Unavailable."""
    where = place(message)
    with translated("read a thread"):
        try:
            channel = await client.fetch_channel(where.channel_id)
            if not isinstance(channel, discord.Thread):
                return None
            asked = discord.Object(where.message_id)
            history = channel.history(before=asked, limit=MOST, oldest_first=True)
            there = places(where.guild_id, channel.id, channel)[-1]
            return [found async for one in history if client.user and (found := _said(one, there, client.user))]
        except (discord.Forbidden, discord.NotFound):
            return []


def _said(message: discord.Message, channel: PlaceId, me: discord.ClientUser) -> Said | None:
    """The first message of a thread that was opened from one stands for that, which is where it was."""
    if message.type is discord.MessageType.thread_starter_message and message.reference:
        began = message.reference.resolved
        found = _said(began, channel, me) if isinstance(began, discord.Message) else None
        return found and replace(found, url=message.reference.jump_url)
    return said(channel, message, me, to_us=True)
