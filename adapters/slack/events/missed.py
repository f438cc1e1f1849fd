"""Reading one gap: what was said in the channels that we were ever asked in, since everything was known.

First what stands in the channels themselves, where people mention us; then threads, those with something new before
those that nobody can tell of.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from typing import Any, NamedTuple

from adapters.chat.catch_up import HORIZON, Since
from adapters.slack.events.incoming import Me, is_outside
from adapters.slack.events.intake import SlackIntake
from adapters.slack.web import Pacer, Web, pages
from pipeline.ports import Inbox
from pipeline.ports.desk import Channels

LAST_RETRY = 360.0
"""Seconds after which Slack has delivered an event or never will: it sends again at once, after a minute and after
five."""
THREADS = 100
"""Threads that we answered in, the last ones, that are looked into however old they are."""
PAGE = 200
BURST, PAUSE = 15, 1.5
"""Of each method: Slack allows 50 calls of one a minute, and answers need some of them."""
Message = dict[str, Any]
INFO, HISTORY, REPLIES = "conversations.info", "conversations.history", "conversations.replies"


class Part(NamedTuple):
    """Of a channel."""

    channel: str
    thread: str = ""
    """The message that it began with."""
    before: bool = False
    """Threads that began before the gap, and have news."""


class Missed:
    """What was said in one workspace. A thread that began longer than the horizon before the gap is looked into when
    we answered in it: only reading it tells whether it has news."""

    def __init__(self, web: Web, me: Me, inbox: Inbox, channels: Channels, intake: SlackIntake, since: Since) -> None:
        self._web = web
        self._me = me
        self._inbox = inbox
        self._channels = channels
        self._intake = intake
        self._since = since
        self._began = since.at - HORIZON
        self._pacers = {method: Pacer(BURST, PAUSE) for method in (INFO, HISTORY, REPLIES)}
        self._shared: dict[str, bool] = {}
        """The channels that may be read, and whether others read along there."""
        self._threads: list[Part] = []
        """Where something new was said."""

    async def places(self) -> AsyncIterator[Part]:
        """After a first start what comes is missed where we fail, and nowhere else."""
        if self._since.first and not self._since.untaken:
            return
        space = str(self._me.place())
        indexed = await self._channels.of(space)
        asked_in = await self._inbox.channels(space)
        named = (*asked_in, *(one.channel for one in indexed), *self._since.untaken)
        answered_in = await self._inbox.parts(space, THREADS)
        for channel in filter(None, dict.fromkeys(named)):
            yield Part(channel)
        for channel in list(self._shared):
            yield Part(channel, before=True)
        for thread in self._threads:
            yield thread
        for one in answered_in:
            if one.channel in self._shared and float(one.thread or 0.0) <= self._began:
                yield Part(one.channel, one.thread)

    async def messages(self, place: Part) -> AsyncGenerator[Message, None]:
        """Refused where Slack does not say who reads along in a channel: then nothing may be answered there."""
        if place.before:
            wanted = {"oldest": f"{self._began:.6f}", "latest": f"{self._since.at:.6f}"}
            self._note_threads(place.channel, await self._all(HISTORY, channel=place.channel, **wanted))
            return
        if place.thread:
            oldest = f"{self._since.at:.6f}"
            found = await self._all(REPLIES, channel=place.channel, ts=place.thread, oldest=oldest)
        else:
            found = await self._channel(place.channel)
        news = [one for one in found if float(one["ts"]) > self._since.at]
        for one in sorted(news, key=lambda one: float(one["ts"])):
            yield one

    async def take(self, place: Part, message: Message) -> None:
        event = {**message, "type": "message", "channel": place.channel}
        shared = self._shared[place.channel]
        await self._intake.take({"team_id": self._me.team, "is_ext_shared_channel": shared, "event": event})

    async def _channel(self, channel: str) -> list[Message]:
        """What stands in a channel itself."""
        shared = False
        if not channel.startswith("D"):
            await self._pacers[INFO].wait()
            shared = is_outside((await self._web.call(INFO, channel=channel))["channel"], self._me.team)
        found = await self._all(HISTORY, channel=channel, oldest=f"{self._since.at:.6f}")
        self._shared[channel] = shared
        self._note_threads(channel, found)
        return found

    def _note_threads(self, channel: str, found: Iterable[Message]) -> None:
        news = [one for one in found if float(one.get("latest_reply") or 0.0) > self._since.at]
        self._threads += [Part(channel, str(one["ts"])) for one in news]

    async def _all(self, method: str, **wanted: str) -> list[Message]:
        listed = pages(self._web, method, "messages", self._pacers[method], limit=PAGE, **wanted)
        return [message async for page in listed for message in page]
