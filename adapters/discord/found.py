"""A reply of ours, found again after a crash."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import NamedTuple

import discord
import structlog

from adapters.discord import buttons
from adapters.discord.places import Place
from adapters.discord.retry import REQUEST_SECONDS

log = structlog.get_logger(__name__)
SKEW = timedelta(seconds=60)
"""How far Discord's clock and ours may differ."""
SEARCHED = 1000
"""Messages after the question that are looked through for a reply of ours."""


class Opening(NamedTuple):
    """How a reply begins that nobody asks for now: others of ours may refer to the same message, or to none."""

    text: str
    answer_id: str
    pinged: int
    """The person who is mentioned."""
    since: datetime
    """When it was begun."""

    def of(self, message: discord.Message) -> bool:
        """Whether `message` is the first or the last of the reply. Of those between, nonces guard alone."""
        names = map(buttons.TEMPLATE.fullmatch, buttons.ids(message.components))
        ends = any(name and name["answer"] == self.answer_id for name in names)
        return ends or next(buttons.texts(message.components), message.content).strip() == self.text.strip()


async def find(client: discord.Client, channel_id: int, where: Place, opening: Opening | None = None) -> list[int]:
    """Our messages that answer the question, oldest first: in its channel those that refer to it, in a thread
    opened from it those that refer to nothing and are not silent, as what was shared is. Nothing where there is no
    such channel or we may not look."""
    expected = (where.message_id or None) if channel_id == where.channel_id else None
    channel = client.get_partial_messageable(channel_id, guild_id=where.guild_id)
    after = opening.since - SKEW if opening else discord.Object(where.message_id)
    found = []
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            async for message in channel.history(after=after, oldest_first=True, limit=SEARCHED):
                refers = message.reference.message_id if message.reference else None
                ours = client.user is not None and message.author.id == client.user.id and not message.flags.silent
                ours = ours and (opening is None or opening.of(message))
                if ours and refers == expected and message.interaction_metadata is None:
                    found.append(message.id)
    except (discord.NotFound, discord.Forbidden) as error:
        log.info("discord_history_unread", channel=channel_id, code=error.code)
    return found
