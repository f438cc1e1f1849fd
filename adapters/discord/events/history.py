"""Earlier messages: around a question, in its thread, and in a channel that becomes a source."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

import discord

from adapters.chat.history import MAX_THREAD_MESSAGES
from adapters.discord.errors import translate_discord_errors
from adapters.discord.events.channel_messages import is_private_thread, parse_channel_message
from adapters.discord.events.files import download_attachment
from adapters.discord.events.incoming import PERSON_MESSAGE_TYPES
from adapters.discord.events.places import message_place, place_chain
from adapters.discord.events.plain_text import message_to_text
from pipeline.errors import Refused
from pipeline.values import Attachment, ChannelMessage, HistoryPage, IncomingMessage, PlaceId, ThreadContext, replace

HistoryChannel = discord.TextChannel | discord.ForumChannel
HISTORY_PAGE_SIZE = 100
"""Messages of a channel that are read at a time."""
MAX_HISTORY_THREADS = 10
"""Archived threads that are read at a time."""


class DiscordHistoryReader:
    """The port `HistoryReader`."""

    def __init__(
        self, client: discord.Client, wait_until_known: Callable[[int], Awaitable[None]], *, api_url: str
    ) -> None:
        """Create it. `wait_until_known` waits until a server is known."""
        self._client = client
        self._wait_until_known = wait_until_known
        self._api_url = api_url

    async def get_thread_context(self, message: IncomingMessage, last: int) -> ThreadContext:
        """Return the message it replies to and, in a thread, the `last` messages below the title of a forum post."""
        place = message_place(message)
        with translate_discord_errors("read around a message"):
            channel = await self._client.fetch_channel(place.channel_id)
            if not isinstance(channel, discord.abc.Messageable):
                return ThreadContext()
            question = await channel.fetch_message(place.message_id)
            pointed = self._text(question.reference.resolved if question.reference else None)
            thread = question.channel
            if not isinstance(thread, discord.Thread):
                return ThreadContext(replied_to=pointed)
            above = [self._text(earlier) async for earlier in thread.history(before=question, limit=last)]
        title = [thread.name] if isinstance(thread.parent, discord.ForumChannel) else []
        return ThreadContext(replied_to=pointed, messages=(*title, *reversed(above)))

    async def read_thread(self, message: IncomingMessage, limit: int) -> Sequence[ChannelMessage] | None:
        place = message_place(message)
        with translate_discord_errors("read a thread"):
            channel = await self._client.fetch_channel(place.channel_id)
            if not isinstance(channel, discord.Thread):
                return None
            question = discord.Object(place.message_id)
            thread_place = place_chain(place.guild_id, channel.id, channel)[-1]
            history = channel.history(before=question, limit=limit, oldest_first=True)
            return [parsed async for earlier in history if (parsed := self._parse(earlier, thread_place))]

    async def read_history(self, place: PlaceId, position: str) -> HistoryPage:
        """Return a page of the channel's messages, then of its threads, the newest first. Raises Unavailable, and
        Refused where the bot may not read it."""
        client, channel_id = self._client, int(place.channel)
        await self._wait_until_known(int(place.space))
        with translate_discord_errors("read a channel"):
            channel = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
            if not isinstance(channel, HistoryChannel) or str(channel.guild.id) != place.space:
                raise Refused(f"{place} is not a text channel or forum", what_to_do="Name one that people write in.")
            if client.user is None:
                return HistoryPage(messages=(), next_cursor=position, created_at=channel.created_at)
            at = json.loads(position) if position else {}
            forum = isinstance(channel, discord.ForumChannel)
            page = _threads(channel, at) if forum or "archived" in at else _messages(channel, at)
            messages, following = await page
        parsed_messages = [
            parsed for message in messages if (parsed := parse_channel_message(place, message, client.user))
        ]
        return HistoryPage(
            messages=tuple(sorted(parsed_messages, key=lambda message: message.at)),
            next_cursor=json.dumps(following) if following else "",
            channel_name=channel.name,
            created_at=channel.created_at,
        )

    async def download_file(self, message: ChannelMessage, file: Attachment) -> bytes:
        """Download a file. Its address is good for a day, so the message is fetched for a new one."""
        channel_id = message.thread if message.title else message.channel.channel
        with translate_discord_errors("read a file"):
            fetched = await self._client.get_partial_messageable(int(channel_id)).fetch_message(int(message.message))
            attachment = next((candidate for candidate in fetched.attachments if str(candidate.id) == file.id), None)
            if attachment is None:
                raise Refused("the file is gone")
            return await download_attachment(attachment, self._api_url)

    def _text(self, message: object) -> str:
        """Return a person's text. The first message of a thread that was opened from another one stands for that."""
        if not isinstance(message, discord.Message) or self._client.user is None:
            return ""
        if message.type is discord.MessageType.thread_starter_message and message.reference:
            return self._text(message.reference.resolved)
        is_person = message.type in PERSON_MESSAGE_TYPES and not message.author.bot and not message.webhook_id
        return message_to_text(message, self._client.user) if is_person else ""

    def _parse(self, message: object, channel: PlaceId) -> ChannelMessage | None:
        """Return a person's message with its place. The first message of a thread stands for the one it was opened
        from."""
        if not isinstance(message, discord.Message) or self._client.user is None:
            return None
        if message.type is discord.MessageType.thread_starter_message and message.reference:
            original = self._parse(message.reference.resolved, channel)
            return original and replace(original, url=message.reference.jump_url)
        return parse_channel_message(channel, message, self._client.user, to_us=True)


async def _messages(channel: Any, position: dict[str, Any]) -> tuple[list[discord.Message], dict[str, Any] | None]:
    before = discord.Object(position["before"]) if position else None
    messages = [message async for message in channel.history(limit=HISTORY_PAGE_SIZE, before=before)]
    return messages, {"before": messages[-1].id} if len(messages) == HISTORY_PAGE_SIZE else {"archived": ""}


async def _threads(channel: Any, position: dict[str, Any]) -> tuple[list[discord.Message], dict[str, Any] | None]:
    """Return the messages of all active threads, then of `MAX_HISTORY_THREADS` archived ones at a time."""
    if not position.get("archived"):
        active = [
            item
            for thread in channel.threads
            if not is_private_thread(thread)
            async for item in _thread_messages(thread)
        ]
        return active, {"archived": "now"}
    before = None if position["archived"] == "now" else datetime.fromisoformat(position["archived"])
    archived = [item async for item in channel.archived_threads(limit=MAX_HISTORY_THREADS, before=before)]
    messages = [item for thread in archived async for item in _thread_messages(thread)]
    has_more = len(archived) == MAX_HISTORY_THREADS
    return messages, {"archived": archived[-1].archive_timestamp.isoformat()} if has_more else None


def _thread_messages(thread: discord.Thread) -> AsyncIterator[discord.Message]:
    return thread.history(limit=MAX_THREAD_MESSAGES, oldest_first=True)
