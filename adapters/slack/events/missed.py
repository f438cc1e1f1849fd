"""Reading one gap: what was said in the channels that we were ever asked in, since everything was known.

First what stands in the channels themselves, where people mention us; then threads, those with something new before
those that nobody can tell of. What is found takes the way of every event: the inbox knows what it has already.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

import structlog

from adapters.slack.events.incoming import is_outside
from adapters.slack.events.intake import SlackIntake
from adapters.slack.pages import Pacer, pages
from adapters.slack.web import Declined, Web
from pipeline.errors import Unavailable

HORIZON = 24 * 3600.0
"""How far back is read at most. A thread that began as long before the gap is looked into when it has news."""
THREADS = 100
"""Threads that we answered in, the last ones, that are looked into however old they are."""
PAGE = 200
BURST, PAUSE = 15, 1.5
"""Of each method: Slack allows 50 calls of one a minute, and answers need some of them."""
T = TypeVar("T")
Message = dict[str, Any]
Thread = tuple[str, str]
"""A channel and the message that the thread began with."""
INFO, HISTORY, REPLIES = "conversations.info", "conversations.history", "conversations.replies"

log = structlog.get_logger(__name__)


class Missed:
    """What was said in one workspace after `after`, a time as Slack writes it."""

    def __init__(self, web: Web, team: str, intake: SlackIntake, after: float) -> None:
        self._web = web
        self._team = team
        self._intake = intake
        self._after = after
        self._began = after - HORIZON
        self._pacers = {method: Pacer(BURST, PAUSE) for method in (INFO, HISTORY, REPLIES)}
        self._shared: dict[str, bool] = {}
        """The channels that may be read, and whether others read along there."""
        self._threads: list[Thread] = []
        """Where something new was said."""
        self._done: set[tuple[object, object]] = set()

    async def read(self, channels: Iterable[str], answered_in: Iterable[Thread]) -> Unavailable | None:
        """Read what is not read yet. Returns what kept something from being read, None when nothing did.

        Of a thread that we answered in and that began too long ago, only reading it tells whether it has news."""
        failures = [
            await self._each(channels, self._channel),
            await self._each(list(self._shared), self._older),
            await self._each(self._threads, self._thread),
            await self._each([one for one in answered_in if float(one[1] or 0.0) <= self._began], self._thread),
        ]
        return next((failure for failure in failures if failure), None)

    async def _each(self, what: Iterable[T], read: Callable[[T], Awaitable[None]]) -> Unavailable | None:
        failure = None
        for one in what:
            if (read, one) in self._done:
                continue
            try:
                await read(one)
            except Declined as declined:
                log.warning("slack_gap_unreadable", where=str(one), reason=str(declined))
            except Unavailable as error:
                failure = error
                continue
            self._done.add((read, one))
        return failure

    async def _channel(self, channel: str) -> None:
        """Take in what stands in a channel itself. Declined where Slack does not say who reads along: then nothing may
        be answered there."""
        shared = False
        if not channel.startswith("D"):
            await self._pacers[INFO].wait()
            shared = is_outside((await self._web.call(INFO, channel=channel))["channel"], self._team)
        found = await self._all(HISTORY, channel=channel, oldest=f"{self._after:.6f}")
        self._shared[channel] = shared
        self._note_threads(channel, found)
        await self._take(channel, found)

    async def _older(self, channel: str) -> None:
        """Threads that began before, with news."""
        wanted = {"oldest": f"{self._began:.6f}", "latest": f"{self._after:.6f}"}
        self._note_threads(channel, await self._all(HISTORY, channel=channel, **wanted))

    async def _thread(self, thread: Thread) -> None:
        channel, ts = thread
        if channel in self._shared:
            await self._take(channel, await self._all(REPLIES, channel=channel, ts=ts, oldest=f"{self._after:.6f}"))

    def _note_threads(self, channel: str, found: Iterable[Message]) -> None:
        news = [one for one in found if float(one.get("latest_reply") or 0.0) > self._after]
        self._threads += [(channel, str(one["ts"])) for one in news]

    async def _take(self, channel: str, found: Iterable[Message]) -> None:
        """Take in what is new, oldest first."""
        news = [one for one in found if float(one["ts"]) > self._after]
        for one in sorted(news, key=lambda one: float(one["ts"])):
            event = {**one, "type": "message", "channel": channel}
            shared = self._shared[channel]
            await self._intake.take({"team_id": self._team, "is_ext_shared_channel": shared, "event": event})

    async def _all(self, method: str, **wanted: str) -> list[Message]:
        listed = pages(self._web, method, "messages", self._pacers[method], limit=PAGE, **wanted)
        return [message async for page in listed for message in page]
