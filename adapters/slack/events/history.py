"""Earlier messages: around a question, in its thread, and in a channel that becomes a source."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from adapters.chat.history import MAX_THREAD_MESSAGES
from adapters.slack.events.channel_messages import SlackChannelMessages
from adapters.slack.events.files import SlackFiles
from adapters.slack.events.incoming import PERSON_SUBTYPES, SlackBot, forwarded_text, is_external, is_from_person
from adapters.slack.events.plain_text import message_to_text
from adapters.slack.web_client import CallPacer, SlackWebClient, paginate_method
from pipeline.errors import Refused
from pipeline.values import Attachment, ChannelMessage, HistoryPage, IncomingMessage, PlaceId, ThreadContext

HISTORY_PAGE_SIZE = 100
"""Messages of a channel that are read at a time, with their threads."""
MAX_THREAD_REPLIES = 200
"""Messages of a thread that are read at a time."""
HISTORY_BURST = 15
"""Calls of each method that need not wait."""
HISTORY_METHOD, THREAD_METHOD = "conversations.history", "conversations.replies"
SlackMessage = dict[str, Any]


class SlackHistoryReader:
    """The port `HistoryReader`, for one workspace."""

    def __init__(
        self, web: SlackWebClient, me: SlackBot, channel_messages: SlackChannelMessages, files: SlackFiles
    ) -> None:
        self._web = web
        self._me = me
        self._channel_messages = channel_messages
        self._files = files
        self._pacers = {
            method: CallPacer(HISTORY_BURST, web.timings.history_interval) for method in (HISTORY_METHOD, THREAD_METHOD)
        }

    async def get_thread_context(self, message: IncomingMessage, last: int) -> ThreadContext:
        """Return the messages above: of a long thread the first `MAX_THREAD_REPLIES`, in a channel the one above.
        Raises SlackRefused or Unavailable."""
        channel, thread = message.conversation.channel, message.conversation.thread
        ts = message.place.message
        if thread == ts:
            page = await self._web.call(HISTORY_METHOD, channel=channel, latest=ts, limit=1)
        else:
            page = await self._web.call(THREAD_METHOD, channel=channel, ts=thread, latest=ts, limit=MAX_THREAD_REPLIES)
        messages: list[SlackMessage] = page.get("messages") or []
        above = [item for item in messages if float(item.get("ts") or 0) < float(ts) and self._is_from_person(item)]
        resolved = await asyncio.gather(*map(self._channel_messages.resolve_mentions, [*above[:1], *above[1:][-last:]]))
        texts = [
            message_to_text(str(item.get("text") or ""), self._me.user) or forwarded_text(item, self._me)
            for item in resolved
        ]
        return ThreadContext(messages=tuple(texts))

    async def read_thread(self, message: IncomingMessage, limit: int) -> Sequence[ChannelMessage] | None:
        """Return the messages of people above a message in its thread; None outside a thread. Raises SlackRefused or
        Unavailable."""
        conversation, question_ts = message.conversation, message.place.message
        if conversation.thread == question_ts:
            return None
        place = self._me.place(conversation.channel)
        replies = await self._replies(place, conversation.thread, limit, latest=question_ts)
        people = [
            reply for reply in replies if reply["ts"] != question_ts and self._channel_messages.is_person_message(reply)
        ]
        await asyncio.gather(*map(self._channel_messages.names.user_name, {str(reply["user"]) for reply in people}))
        return [await self._channel_messages.parse_channel_message(place, reply) for reply in people]

    async def read_history(self, channel: PlaceId, position: str) -> HistoryPage:
        """Return a page of a channel's messages, the newest first. Raises SlackRefused or Unavailable, and Refused for
        a channel that is shared with other organisations."""
        at = json.loads(position) if position else {}
        name, since = at.get("name"), at.get("since")
        if not at:
            record = (await self._web.call("conversations.info", channel=channel.channel))["channel"]
            if is_external(record, self._me.team):
                raise Refused(f"{channel} is shared with another organisation", what_to_do="Name one of your own.")
            name, since = str(record.get("name") or ""), float(record.get("created") or 0)
        latest = {"latest": at["latest"]} if at else {}
        await self._pacers[HISTORY_METHOD].wait()
        page = await self._web.call(HISTORY_METHOD, channel=channel.channel, limit=HISTORY_PAGE_SIZE, **latest)
        messages: list[SlackMessage] = page.get("messages") or []
        for root in [item for item in messages if item.get("reply_count")]:
            messages += await self._replies(channel, str(root["ts"]), MAX_THREAD_MESSAGES, self._pacers[THREAD_METHOD])
        unique = {str(item["ts"]): item for item in messages}
        # Replies are no positions in the channel itself.
        oldest = min((ts for ts in unique if unique[ts].get("thread_ts", ts) == ts), key=float, default="")
        following = json.dumps({"latest": oldest, "name": name, "since": since}) if page.get("has_more") else ""
        parsed = await self._channel_messages.parse_channel_messages(channel, unique.values())
        return HistoryPage(
            messages=parsed,
            next_cursor=following,
            channel_name=name or "",
            created_at=datetime.fromtimestamp(since or 0, UTC),
        )

    async def download_file(self, message: ChannelMessage, file: Attachment) -> bytes:
        return await self._files.download(await self._files.find(file.id))

    async def _replies(
        self, channel: PlaceId, thread: str, limit: int, pacer: CallPacer | None = None, **arguments: str
    ) -> list[SlackMessage]:
        """Return the first messages of a thread, at most `limit`, including the one that began it."""
        replies: list[SlackMessage] = []
        async for page in paginate_method(
            self._web,
            THREAD_METHOD,
            "messages",
            pacer,
            channel=channel.channel,
            ts=thread,
            limit=MAX_THREAD_REPLIES,
            **arguments,
        ):
            replies += page
            if len(replies) >= limit:
                break
        return replies[:limit]

    def _is_from_person(self, message: SlackMessage) -> bool:
        return is_from_person(message, self._me) and message.get("subtype") in PERSON_SUBTYPES
