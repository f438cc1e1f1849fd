"""Search for our messages after a crash: Discord stores no key of ours with them."""

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
"""Time that Discord's clock and ours may differ."""
MAX_SCANNED_MESSAGES = 1000
"""Messages that are searched."""
MessageMatcher = Callable[[discord.Message, int], bool]
"""Check whether a message of ours in a channel is part of the post."""
EndMatcher = Callable[[discord.Message], bool | None]
"""Check whether a matching message is the last one: False where it ends another post, to which those before it belong;
None where it does not say."""


def end_unknown(message: discord.Message) -> None:
    """Return None: no message says so."""


class ReplyOpening(NamedTuple):
    """The opening of an awaited reply: others of ours may refer to the same message, or to none."""

    text: str
    answer_id: str
    mentioned_user: int
    """The person who is mentioned."""
    since: datetime
    """When the reply was begun."""

    def matches(self, message: discord.Message) -> bool:
        """Return True if `message` is the first or the last of the reply. Only nonces guard those between."""
        names = map(custom_ids.CUSTOM_ID_PATTERN.fullmatch, custom_ids.iter_custom_ids(message.components))
        ends = any(name and name["answer"] == self.answer_id for name in names)
        return ends or next(custom_ids.iter_texts(message.components), message.content).strip() == self.text.strip()


async def find_messages(
    client: discord.Client,
    channel: discord.abc.Messageable,
    channel_id: int,
    after: discord.Object | datetime | None,
    matches: MessageMatcher,
    ends: EndMatcher = end_unknown,
) -> list[int]:
    """Return our messages that match, oldest first; none where the channel is missing or unreadable."""
    matched: list[int] = []
    pending: list[int] = []
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            async for message in channel.history(after=after, oldest_first=True, limit=MAX_SCANNED_MESSAGES):
                is_own = client.user is not None and message.author.id == client.user.id
                if is_own and matches(message, channel_id):
                    pending.append(message.id)
                    last = ends(message)
                    matched += pending if last else []
                    pending = pending if last is None else []
    except (discord.NotFound, discord.Forbidden) as error:
        log.info("discord_history_unavailable", channel=channel_id, code=error.code)
    return matched or pending


def answer_matcher(place: DiscordMessagePlace, opening: ReplyOpening | None) -> MessageMatcher:
    """Return the matcher of a question's answer: in its channel it refers to the question, in a thread opened from it
    to nothing. Shared answers are silent."""

    def known(message: discord.Message, channel_id: int) -> bool:
        expected = (place.message_id or None) if channel_id == place.channel_id else None
        replied_id = message.reference.message_id if message.reference else None
        begins = opening is None or opening.matches(message)
        return begins and not message.flags.silent and replied_id == expected and message.interaction_metadata is None

    return known
