"""Catching up in the channels where the bot was ever asked.

First the channels themselves, where people mention the bot; then threads, those with news before those that Slack says
nothing about.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from typing import Any, NamedTuple

from adapters.chat.catch_up import MAX_AGE_SECONDS, MissedRange
from adapters.slack.events.incoming import SlackBot, is_external
from adapters.slack.events.intake import SlackIntake
from adapters.slack.web_client import CallPacer, SlackWebClient, paginate_method
from pipeline.ports import Inbox
from pipeline.ports.services import ChannelService

LAST_RETRY_SECONDS = 360.0
"""Seconds after which Slack has delivered an event or never will: it retries at once, after a minute and after five."""
MAX_THREADS = 100
"""The last threads with an answer that are read, however old they are."""
CATCH_UP_PAGE_SIZE = 200
CATCH_UP_BURST, CATCH_UP_PAUSE_SECONDS = 15, 1.5
"""Calls of each method without a wait, and the pause between further ones: Slack allows 50 a minute, and answers need
some."""
MissedMessage = dict[str, Any]
CATCH_UP_INFO_METHOD, CATCH_UP_HISTORY_METHOD, CATCH_UP_REPLIES_METHOD = (
    "conversations.info",
    "conversations.history",
    "conversations.replies",
)


class SlackUnread(NamedTuple):
    """A channel or thread to read."""

    channel: str
    thread: str = ""
    """The first message of the thread."""
    older_threads: bool = False
    """True for the threads that began before the range and have news."""


class SlackMissedReader:
    """The reader of one workspace's missed messages. A thread that began more than `MAX_AGE_SECONDS` before the range
    is read where the bot answered in it: only reading it tells whether it has news."""

    def __init__(
        self,
        web: SlackWebClient,
        me: SlackBot,
        inbox: Inbox,
        channels: ChannelService,
        intake: SlackIntake,
        missed: MissedRange,
    ) -> None:
        self._web = web
        self._me = me
        self._inbox = inbox
        self._channels = channels
        self._intake = intake
        self._missed = missed
        self._threads_since = missed.start - MAX_AGE_SECONDS
        self._pacers = {
            method: CallPacer(CATCH_UP_BURST, CATCH_UP_PAUSE_SECONDS)
            for method in (CATCH_UP_INFO_METHOD, CATCH_UP_HISTORY_METHOD, CATCH_UP_REPLIES_METHOD)
        }
        self._shared: dict[str, bool] = {}
        """The channels that may be read, and whether each is shared with other organisations."""
        self._threads: list[SlackUnread] = []
        """Threads with news."""

    async def places(self) -> AsyncIterator[SlackUnread]:
        """Yield the places to read. After a first start nothing is missed except messages that could not be
        accepted."""
        if self._missed.is_first_start and not self._missed.failed_channels:
            return
        space = str(self._me.place())
        indexed = await self._channels.indexed_channels(space)
        asked_in = await self._inbox.channels(space)
        channels = (*asked_in, *(conversation.channel for conversation in indexed), *self._missed.failed_channels)
        answered_in = await self._inbox.recent_conversations(space, MAX_THREADS)
        for channel in filter(None, dict.fromkeys(channels)):
            yield SlackUnread(channel)
        for channel in list(self._shared):
            yield SlackUnread(channel, older_threads=True)
        for thread in self._threads:
            yield thread
        for conversation in answered_in:
            if conversation.channel in self._shared and float(conversation.thread or 0.0) <= self._threads_since:
                yield SlackUnread(conversation.channel, conversation.thread)

    async def messages(self, place: SlackUnread) -> AsyncGenerator[MissedMessage, None]:
        """Yield the missed messages. Raises Refused where Slack does not say who reads along in a channel: then nothing
        may be answered there."""
        if place.older_threads:
            time_range = {"oldest": f"{self._threads_since:.6f}", "latest": f"{self._missed.start:.6f}"}
            self._note_threads(
                place.channel, await self._read_all(CATCH_UP_HISTORY_METHOD, channel=place.channel, **time_range)
            )
            return
        if place.thread:
            oldest = f"{self._missed.start:.6f}"
            messages = await self._read_all(
                CATCH_UP_REPLIES_METHOD, channel=place.channel, ts=place.thread, oldest=oldest
            )
        else:
            messages = await self._channel_messages(place.channel)
        missed = [message for message in messages if float(message["ts"]) > self._missed.start]
        for message in sorted(missed, key=lambda item: float(item["ts"])):
            yield message

    async def accept(self, place: SlackUnread, message: MissedMessage) -> None:
        event = {**message, "type": "message", "channel": place.channel}
        shared = self._shared[place.channel]
        await self._intake.accept({"team_id": self._me.team, "is_ext_shared_channel": shared, "event": event})

    async def _channel_messages(self, channel: str) -> list[MissedMessage]:
        """Return the messages outside threads in a channel."""
        shared = False
        if not channel.startswith("D"):
            await self._pacers[CATCH_UP_INFO_METHOD].wait()
            shared = is_external(
                (await self._web.call(CATCH_UP_INFO_METHOD, channel=channel))["channel"], self._me.team
            )
        messages = await self._read_all(CATCH_UP_HISTORY_METHOD, channel=channel, oldest=f"{self._missed.start:.6f}")
        self._shared[channel] = shared
        self._note_threads(channel, messages)
        return messages

    def _note_threads(self, channel: str, messages: Iterable[MissedMessage]) -> None:
        updated = [message for message in messages if float(message.get("latest_reply") or 0.0) > self._missed.start]
        self._threads += [SlackUnread(channel, str(message["ts"])) for message in updated]

    async def _read_all(self, method: str, **arguments: str) -> list[MissedMessage]:
        pages = paginate_method(
            self._web, method, "messages", self._pacers[method], limit=CATCH_UP_PAGE_SIZE, **arguments
        )
        return [message async for page in pages for message in page]
