"""What was said while nobody listened.

Slack sends what it could not deliver again at once, after a minute and after five minutes, and then no more. So the
inbox is told up to when everything is known, and after a start or an outage what was said since is read (`missed.py`);
also when the inbox could not take an event in, for as long as that is not read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from adapters.slack.events.incoming import Me
from adapters.slack.events.intake import SlackIntake
from adapters.slack.events.missed import HORIZON, THREADS, Missed
from adapters.slack.web import Web
from pipeline.errors import Unavailable
from pipeline.ports import Inbox
from pipeline.ports.desk import Channels
from pipeline.rules.tenancy import bound

LAST_RETRY = 360.0
"""Seconds after which Slack has delivered an event or never will."""
OUTAGE = 60.0
"""Seconds without a connection, or without an inbox, after which a retry may have been missed."""
MARK = 20.0
"""How often it is written down that everything is known."""
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0

log = structlog.get_logger(__name__)


class Gapfill:
    """Reads what was missed in one workspace."""

    def __init__(
        self,
        web: Web,
        me: Me,
        inbox: Inbox,
        channels: Channels,
        intake: SlackIntake,
        clock: Callable[[], float],
    ) -> None:
        self._channels = channels
        self._web = web
        self._me = me
        self._inbox = inbox
        self._intake = intake
        self._clock = clock
        self._space = str(me.place())
        self._untaken: set[str] = set()
        """Channels of events that the inbox could not take in, until they are read."""
        self._began = clock()

    async def keep(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        """Read the gap once Slack can reach us, and again after each outage, until cancelled."""
        with bound(self._space):
            await self._keep(reachable)

    async def _keep(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        known = 0.0
        filling: asyncio.Task[None] | None = None
        try:
            while True:
                now = self._clock()
                if await reachable():
                    if filling is None or now - known > OUTAGE or (filling.done() and self._intake.untaken):
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
            log.warning("inbox_unavailable", reason=str(error))
            return False
        return True

    def _since(self, mark: float) -> float:
        """From when on it is read; a mark of the future is of a clock that was wrong, and says nothing."""
        now = self._clock()
        return max(mark if mark <= now else 0.0, now - HORIZON)

    async def _fill(self) -> None:
        """Read what was missed. Tries again what failed, and lets it keep nothing else waiting."""
        missed: Missed | None = None
        wait = FIRST_WAIT
        self._untaken |= self._intake.untaken
        self._intake.untaken.clear()
        while True:
            try:
                mark = await self._inbox.seen(self._space)
                if not mark:  # the first start: what comes from now on is missed where we fail
                    mark = f"{self._began - LAST_RETRY:.6f}"
                    await self._inbox.heard(self._space, mark)
                    if not self._untaken:
                        return
                missed = missed or Missed(self._web, self._me.team, self._intake, self._since(float(mark)))
                indexed = await self._channels.of(self._space)
                asked_in = await self._inbox.channels(self._space)
                named = (*asked_in, *(one.channel for one in indexed), *self._untaken)
                channels = list(filter(None, dict.fromkeys(named)))
                answered_in = [(one.channel, one.thread) for one in await self._inbox.parts(self._space, THREADS)]
                failure = await missed.read(channels, answered_in)
            except Unavailable as error:
                failure = error
            if failure is None:
                self._untaken.clear()
                return
            log.warning("slack_gap_not_read_yet", reason=str(failure))
            await asyncio.sleep(max(wait, failure.retry_after or 0.0))
            wait = min(2 * wait, LONGEST_WAIT)
