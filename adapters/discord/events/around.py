"""What people said around a message, read when it is answered."""

from __future__ import annotations

import asyncio

import aiohttp
import discord
import structlog

from adapters.discord.events.incoming import SAID
from adapters.discord.events.places import place
from adapters.discord.events.spoken import question
from pipeline.values import Around, IncomingMessage

LAST = 6
"""Messages of a thread that are read."""
SECONDS = 2.0

log = structlog.get_logger(__name__)


async def around(client: discord.Client, message: IncomingMessage) -> Around:
    """What `message` replies to, and in a thread what stands above it, under the title of a forum's post.

    Nothing when Discord does not say in time: an answer does not wait for it."""
    where = place(message)
    try:
        async with asyncio.timeout(SECONDS):
            channel = await client.fetch_channel(where.channel_id)
            if not isinstance(channel, discord.abc.Messageable):
                return Around()
            asked = await channel.fetch_message(where.message_id)
            return Around(pointed=_pointed(asked, client), said=await _above(asked, client))
    except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
        log.info("discord_around_unread", channel=where.channel_id, reason=type(error).__name__)
        return Around()


def _pointed(asked: discord.Message, client: discord.Client) -> str:
    target = asked.reference.resolved if asked.reference else None
    return _text(target, client) if isinstance(target, discord.Message) else ""


async def _above(asked: discord.Message, client: discord.Client) -> tuple[str, ...]:
    thread = asked.channel
    if not isinstance(thread, discord.Thread):
        return ()
    last = [_text(one, client) async for one in thread.history(before=asked, limit=LAST)]
    title = [thread.name] if isinstance(thread.parent, discord.ForumChannel) else []
    return tuple(filter(None, [*title, *reversed(last)]))


def _text(message: discord.Message, client: discord.Client) -> str:
    """What a person said; of bots and of what Discord itself says nothing. The first message of a thread that was
    opened from one stands for that."""
    if message.type is discord.MessageType.thread_starter_message and message.reference:
        began = message.reference.resolved
        return _text(began, client) if isinstance(began, discord.Message) else ""
    said = message.type in SAID and not message.author.bot and not message.webhook_id
    return question(message, client.user) if said and client.user else ""
