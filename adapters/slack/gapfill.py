"""What was said while nobody listened.

Slack sends what it could not deliver again at once, after a minute and after five minutes, and then no more. So the
inbox is told up to when everything is known, and after a start or an outage the channels that we were ever asked in
are read from there on. What is found takes the way of every event: the inbox knows what it has already.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from adapters.slack.incoming import Body, Me
from adapters.slack.intake import Intake
from adapters.slack.members import is_outside
from adapters.slack.pages import Pacer, pages
from adapters.slack.web import Declined, Web
from pipeline.errors import Unavailable
from pipeline.ports import Inbox

LAST_RETRY = 360.0
"""Seconds after which Slack has delivered an event or never will."""
OUTAGE = 60.0
"""Seconds without a connection, or without an inbox, after which a retry may have been missed."""
MARK = 20.0
"""How often it is written down that everything is known."""
HORIZON = 24 * 3600.0
"""How far back is read at most. A thread that began as long before the gap is looked into."""
THREADS = 100
"""Threads that we answered in, the last ones, that are looked into however old they are."""
PAGE = 200
BURST, PAUSE = 15, 1.5
"""Slack allows 50 calls of a method a minute, and answers need some of them."""
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0

log = logging.getLogger(__name__)


class Gapfill:
    """Reads what was missed in one workspace."""

    def __init__(self, web: Web, me: Me, inbox: Inbox, intake: Intake, clock: Callable[[], float]) -> None:
        self._web = web
        self._me = me
        self._inbox = inbox
        self._intake = intake
        self._clock = clock
        self._space = f"slack:{me.team}"

    async def keep(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        """Read the gap once Slack can reach us, and again after each outage, until cancelled."""
        known = 0.0
        filling: asyncio.Task[None] | None = None
        try:
            while True:
                now = self._clock()
                if await reachable():
                    if filling is None or now - known > OUTAGE:
                        if filling:
                            filling.cancel()
                        filling = asyncio.create_task(self._fill())
                    if not filling.done() or await self._mark(now):
                        known = now
                await asyncio.sleep(MARK if filling and filling.done() else FIRST_WAIT)
                if filling and filling.done():
                    filling.result()
        finally:
            if filling:
                filling.cancel()

    async def _mark(self, now: float) -> bool:
        """Whether the inbox could be told that everything is known."""
        try:
            await self._inbox.heard(self._space, f"{now - LAST_RETRY:.6f}")
        except Unavailable as error:
            log.warning("the inbox cannot be written: %s", error)
            return False
        return True

    async def _fill(self) -> None:
        """Read all channels from the mark on. Tries again what failed, and lets it keep nothing else waiting."""
        done: set[str] = set()
        wait = FIRST_WAIT
        while (failure := await self._failure(done)) is not None:
            log.warning("what was said meanwhile is not read yet: %s", failure)
            await asyncio.sleep(max(wait, failure.retry_after or 0.0))
            wait = min(2 * wait, LONGEST_WAIT)

    async def _failure(self, done: set[str]) -> Unavailable | None:
        """Read the channels that are not `done`; what kept one from being read, None when all are."""
        failure = None
        pacer = Pacer(BURST, PAUSE)
        try:
            mark = await self._inbox.seen(self._space)
            threads = await self._inbox.parts(self._space, THREADS)
            channels = await self._inbox.channels(self._space) if mark else []
        except Unavailable as error:
            return error
        after = max(float(mark or 0.0), self._clock() - HORIZON)
        for channel in set(channels) - done:
            try:
                await self._read(channel, after, {one.thread for one in threads if one.channel == channel}, pacer)
            except Declined as declined:
                log.warning("what was said in a channel meanwhile cannot be read: %s", declined)
            except Unavailable as error:
                failure = error
                continue
            done.add(channel)
        return failure

    async def _read(self, channel: str, after: float, threads: set[str], pacer: Pacer) -> None:
        """Take in what was said in `channel` and in its `threads`, oldest first."""
        shared = not channel.startswith("D") and await self._shared(channel, pacer)
        found: dict[str, Body] = {}
        began = f"{after - HORIZON:.6f}"
        async for message in self._messages("conversations.history", pacer, channel=channel, oldest=began):
            found[str(message["ts"])] = message
            if float(message.get("latest_reply") or 0.0) > after:
                threads.add(str(message["ts"]))
        for thread in threads:
            try:
                wanted = {"channel": channel, "ts": thread, "oldest": f"{after:.6f}"}
                async for message in self._messages("conversations.replies", pacer, **wanted):
                    found[str(message["ts"])] = message
            except Declined as declined:
                log.info("a thread cannot be read: %s", declined)
        for ts in sorted((ts for ts in found if float(ts) > after), key=float):
            event = {**found[ts], "type": "message", "channel": channel}
            await self._intake.take({"team_id": self._me.team, "is_ext_shared_channel": shared, "event": event})

    async def _shared(self, channel: str, pacer: Pacer) -> bool:
        """Whether others read along. Raises Declined where Slack does not say: then nothing may be answered there."""
        await pacer.wait()
        found = await self._web.call("conversations.info", channel=channel)
        return is_outside(found["channel"], self._me.team)

    async def _messages(self, method: str, pacer: Pacer, **wanted: str) -> AsyncIterator[dict[str, Any]]:
        async for page in pages(self._web, method, "messages", pacer, limit=PAGE, **wanted):
            for message in page:
                yield message
