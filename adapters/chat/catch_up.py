"""What was said while nobody listened.

A platform gives up on what it could not deliver, and tells a new connection nothing of what was said before. So the
inbox is told up to when everything is known, and after a start or an outage what was said since is read, place by
place. What is found takes the way of everything that is said: the inbox knows what it has already.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Generic, NamedTuple, Protocol, TypeVar

import structlog

from pipeline.errors import CitewellError, Refused, Unavailable
from pipeline.ports import Inbox
from pipeline.rules.tenancy import workspace_scope

MAX_AGE_SECONDS = 24 * 3600.0
"""How far back is read at most."""
OUTAGE_SECONDS = 60.0
"""Seconds without a connection, or without an inbox, after which something may have been missed."""
CHECKPOINT_SECONDS = 20.0
"""How often it is written down that everything is known."""
MIN_RETRY_SECONDS, MAX_RETRY_SECONDS = 1.0, 30.0
"""Before what could not be read is tried again; doubling."""
P = TypeVar("P")
"""Somewhere to read, as a platform names it; a value."""
M = TypeVar("M")
"""A message, as a platform tells it."""

log = structlog.get_logger(__name__)


class MissedRange(NamedTuple):
    """What is to be read."""

    start: float
    """Unix seconds: everything that was said before is known."""
    earliest: float
    """Nothing is read that was said before."""
    is_first_start: bool = False
    """No: nobody has ever listened here, as far as is known."""
    failed_channels: frozenset[str] = frozenset()
    """Channels of what could not be taken in."""


class MissedReader(Protocol[P, M]):
    """One gap, as a platform lets us read it. All raise Unavailable, and Refused for what we may not read."""

    def places(self) -> AsyncIterator[P]:
        """Where to read, what is most urgent first; asked for again after what could not be read. Which there are may
        depend on what was read so far."""
        ...

    def messages(self, place: P) -> AsyncGenerator[M, None]:
        """What was said there, the oldest first."""
        ...

    async def accept(self, place: P, message: M) -> None:
        """Take it in, as what is said now. It is in the inbox when this returns."""
        ...


class CatchUp(Generic[P, M]):
    """Of what one connection hears."""

    def __init__(
        self,
        space: str,
        inbox: Inbox,
        gap: Callable[[MissedRange], MissedReader[P, M]],
        *,
        lag: float,
        clock: Callable[[], float],
        untaken: set[str] | None = None,
    ) -> None:
        """`space` names what it hears, for the mark. `lag`: seconds that what is said may be under way to us.
        `untaken`: channels of which something could not be taken in, in the platform's words; emptied when they are
        read."""
        self._space = space
        self._inbox = inbox
        self._gap = gap
        self._lag = lag
        self._clock = clock
        self._untaken = set[str]() if untaken is None else untaken
        self._due: set[str] = set()
        """Those of `untaken` that are being read."""
        self._began = clock()

    async def run(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        """Read the gap once the platform can reach us, and again after each outage, until cancelled."""
        with workspace_scope(self._space):
            await self._keep(reachable)

    async def _keep(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        known = 0.0
        reading: asyncio.Task[None] | None = None
        try:
            while True:
                now = self._clock()
                if await reachable():
                    if reading is None or now - known > OUTAGE_SECONDS or (reading.done() and self._untaken):
                        if reading:
                            reading.cancel()
                        reading = asyncio.create_task(self.read_missed())
                    if not reading.done() or await self.save_checkpoint(now):
                        known = now
                await asyncio.sleep(CHECKPOINT_SECONDS if reading and reading.done() else MIN_RETRY_SECONDS)
                if reading and reading.done():
                    reading.result()
        finally:
            if reading:
                reading.cancel()

    async def save_checkpoint(self, now: float) -> bool:
        """Everything that was said until `now` is here or under way; whether the inbox could be told."""
        try:
            with workspace_scope(self._space):
                await self._inbox.mark_caught_up(self._space, f"{now - self._lag:.6f}")
        except Unavailable as error:
            log.warning("inbox_unavailable", reason=str(error))
            return False
        return True

    async def read_missed(self) -> None:
        """Read what was missed. Tries again what failed, and lets it keep nothing else waiting."""
        self._due |= self._untaken
        self._untaken.clear()
        gap: MissedReader[P, M] | None = None
        done: set[P] = set()
        wait = MIN_RETRY_SECONDS
        while True:
            try:
                gap = gap or self._gap(await self._since())
                failure = await self._pass(gap, done)
            except CitewellError as error:
                failure = error
            if failure is None:
                self._due.clear()
                return
            log.warning("gap_not_read_yet", space=self._space, reason=str(failure))
            asked = failure.retry_after if isinstance(failure, Unavailable) else None
            await asyncio.sleep(max(wait, asked or 0.0))
            wait = min(2 * wait, MAX_RETRY_SECONDS)

    async def _since(self) -> MissedRange:
        """From when on it is read; a mark of the future is of a clock that was wrong, and says nothing."""
        with workspace_scope(self._space):
            noted = await self._inbox.last_message_id(self._space)
        now = self._clock()
        mark = float(noted) if noted else self._began - self._lag
        earliest = now - MAX_AGE_SECONDS
        return MissedRange(max(mark if mark <= now else 0.0, earliest), earliest, not noted, frozenset(self._due))

    async def _pass(self, gap: MissedReader[P, M], done: set[P]) -> CitewellError | None:
        """Read what is not `done`, which is added to that. Returns what kept something from being read."""
        failure: CitewellError | None = None
        async for place in gap.places():
            if place in done:
                continue
            try:
                async with aclosing(gap.messages(place)) as said:
                    async for message in said:
                        await gap.accept(place, message)
            except Refused as refused:
                log.warning("gap_unreadable", where=str(place), reason=str(refused))
            except CitewellError as error:
                failure = error
                continue
            done.add(place)
        return failure
