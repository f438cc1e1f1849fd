"""What we posted, found again after a crash: Discord keeps no key of ours with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

import discord
import structlog

from adapters.discord.errors import REQUEST_SECONDS
from adapters.discord.events.places import DiscordMessagePlace
from adapters.discord.rendering import custom_ids

log = structlog.get_logger(__name__)
CLOCK_SKEW = timedelta(seconds=60)
"""How far Discord's clock and ours may differ."""
MAX_SCANNED_MESSAGES = 1000
"""Messages that are looked through."""
MessageMatcher = Callable[[discord.Message, int], bool]
"""Whether a message of ours in a channel is the one."""
EndMatcher = Callable[[discord.Message], bool | None]
"""Whether a known message is the last one: False where it is that of another, to which those before it belong; None
where it does not say."""


def end_unknown(message: discord.Message) -> None:
    """None of them says so."""


class ReplyOpening(NamedTuple):
    """How a reply begins that nobody asks for now: others of ours may refer to the same message, or to none."""

    text: str
    answer_id: str
    mentioned_user: int
    """The person who is mentioned."""
    since: datetime
    """When it was begun."""

    def matches(self, message: discord.Message) -> bool:
        """Whether `message` is the first or the last of the reply. Of those between, nonces guard alone."""
        names = map(custom_ids.CUSTOM_ID_PATTERN.fullmatch, custom_ids.iter_custom_ids(message.components))
        ends = any(name and name["answer"] == self.answer_id for name in names)
        return ends or next(custom_ids.iter_texts(message.components), message.content).strip() == self.text.strip()


async def find_messages(
    client: discord.Client,
    channel: discord.abc.Messageable,
    channel_id: int,
    after: discord.Object | datetime | None,
    known: MessageMatcher,
    ends: EndMatcher = end_unknown,
) -> list[int]:
    """Our messages that are `known`, oldest first. Nothing where there is no such channel or we may not look."""
    found: list[int] = []
    begun: list[int] = []
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            async for message in channel.history(after=after, oldest_first=True, limit=MAX_SCANNED_MESSAGES):
                ours = client.user is not None and message.author.id == client.user.id
                if ours and known(message, channel_id):
                    begun.append(message.id)
                    last = ends(message)
                    found += begun if last else []
                    begun = begun if last is None else []
    except (discord.NotFound, discord.Forbidden) as error:
        log.info("discord_history_not_read", channel=channel_id, code=error.code)
    return found or begun


def answer_matcher(where: DiscordMessagePlace, opening: ReplyOpening | None) -> MessageMatcher:
    """Those that answer a question: in its channel they refer to it, in a thread opened from it to nothing. What was
    shared is silent."""

    def known(message: discord.Message, channel_id: int) -> bool:
        expected = (where.message_id or None) if channel_id == where.channel_id else None
        refers = message.reference.message_id if message.reference else None
        begins = opening is None or opening.matches(message)
        return begins and not message.flags.silent and refers == expected and message.interaction_metadata is None

    return known
