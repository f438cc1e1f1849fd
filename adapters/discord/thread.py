"""All that people said in a thread, read when it is to be summed up."""

from __future__ import annotations

from collections.abc import Iterator

import discord

from adapters.chat.thread import Said
from adapters.discord.errors import translated
from adapters.discord.events.incoming import SAID
from adapters.discord.events.places import place
from adapters.discord.events.spoken import question
from pipeline.values import IncomingMessage

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
            return [said async for one in history for said in _said(one, one.jump_url, client)]
        except (discord.Forbidden, discord.NotFound):
            return []


def _said(message: discord.Message, url: str, client: discord.Client) -> Iterator[Said]:
    """The first message of a thread that was opened from one stands for that, which is where it was."""
    if message.type is discord.MessageType.thread_starter_message and message.reference:
        began = message.reference.resolved
        if isinstance(began, discord.Message):
            yield from _said(began, message.reference.jump_url, client)
    elif message.type in SAID and client.user:
        yield Said(
            author=message.author.display_name,
            text=question(message, client.user),
            at=message.created_at,
            url=url,
            bot=message.author.bot or bool(message.webhook_id),
        )
