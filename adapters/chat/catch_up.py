"""Catching up on messages that were sent while the bot was not listening.

A platform drops what it could not deliver, and a new connection is told nothing of earlier messages. So a checkpoint is
saved in the inbox, and after a start or an outage the messages since are read, place by place. They take the way of all
other messages; the inbox knows duplicates.
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
"""Seconds that are read back at most."""
OUTAGE_SECONDS = 60.0
"""Seconds without a connection or an inbox after which messages may have been missed."""
CHECKPOINT_SECONDS = 20.0
"""Seconds between two checkpoints."""
MIN_RETRY_SECONDS, MAX_RETRY_SECONDS = 1.0, 30.0
"""Shortest and longest wait before a failed read is retried; it doubles each time."""
P = TypeVar("P")
"""The type of a place to read, as a platform names it; a value."""
M = TypeVar("M")
"""The type of a message on a platform."""

log = structlog.get_logger(__name__)


class MissedRange(NamedTuple):
    """The range of messages to read."""

    start: float
    """Unix seconds: all earlier messages are known."""
    earliest: float
    """Unix seconds: no earlier message is read."""
    is_first_start: bool = False
    """True where no checkpoint exists: nobody is known to have listened here."""
    failed_channels: frozenset[str] = frozenset()
    """Channels with messages that could not be accepted."""


class MissedReader(Protocol[P, M]):
    """A platform's port that reads one range of missed messages. All methods raise Unavailable, and Refused for what
    may not be read."""

    def places(self) -> AsyncIterator[P]:
        """Yield the places to read, the most urgent first. Called again after a failed read; the places may depend on
        what was read so far."""
        ...

    def messages(self, place: P) -> AsyncGenerator[M, None]:
        """Yield the messages of a place, the oldest first."""
        ...

    async def accept(self, place: P, message: M) -> None:
        """Accept a message as a new one. It is in the inbox on return."""
        ...


class CatchUp(Generic[P, M]):
    """The reader of messages that one connection missed."""

    def __init__(
        self,
        space: str,
        inbox: Inbox,
        open_reader: Callable[[MissedRange], MissedReader[P, M]],
        *,
        lag: float,
        clock: Callable[[], float],
        failed_channels: set[str] | None = None,
    ) -> None:
        """Create it. `space` names the connection in the checkpoint. `lag`: seconds that a message may take to reach
        us. `failed_channels`: channels, in the platform's words, with messages that could not be accepted; emptied when
        they are read."""
        self._space = space
        self._inbox = inbox
        self._open_reader = open_reader
        self._lag = lag
        self._clock = clock
        self._failed_channels = set[str]() if failed_channels is None else failed_channels
        self._due: set[str] = set()
        """The failed channels that are being read."""
        self._started = clock()

    async def run(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        """Read what was missed once the platform can reach us, and again after each outage, until cancelled."""
        with workspace_scope(self._space):
            await self._run(reachable)

    async def _run(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        last_checkpoint = 0.0
        catch_up_task: asyncio.Task[None] | None = None
        try:
            while True:
                now = self._clock()
                if await reachable():
                    if (
                        catch_up_task is None
                        or now - last_checkpoint > OUTAGE_SECONDS
                        or (catch_up_task.done() and self._failed_channels)
                    ):
                        if catch_up_task:
                            catch_up_task.cancel()
                        catch_up_task = asyncio.create_task(self.read_missed())
                    if not catch_up_task.done() or await self.save_checkpoint(now):
                        last_checkpoint = now
                await asyncio.sleep(CHECKPOINT_SECONDS if catch_up_task and catch_up_task.done() else MIN_RETRY_SECONDS)
                if catch_up_task and catch_up_task.done():
                    catch_up_task.result()
        finally:
            if catch_up_task:
                catch_up_task.cancel()

    async def save_checkpoint(self, now: float) -> bool:
        """Record that all messages until `now` are known or on their way. Return False where the inbox is
        unavailable."""
        try:
            await self._mark_caught_up(now - self._lag)
        except Unavailable as error:
            log.warning("inbox_unavailable", reason=str(error))
            return False
        return True

    async def _mark_caught_up(self, until: float) -> None:
        with workspace_scope(self._space):
            await self._inbox.mark_caught_up(self._space, f"{until:.6f}")

    async def read_missed(self) -> None:
        """Read what was missed. A failed place is retried and holds up no other."""
        self._due |= self._failed_channels
        self._failed_channels.clear()
        reader: MissedReader[P, M] | None = None
        done: set[P] = set()
        wait = MIN_RETRY_SECONDS
        while True:
            try:
                reader = reader or self._open_reader(await self._missed_range())
                failure = await self._read_places(reader, done)
            except CitewellError as error:
                failure = error
            if failure is None:
                self._due.clear()
                return
            log.warning("missed_messages_delayed", space=self._space, reason=str(failure))
            retry_after = failure.retry_after if isinstance(failure, Unavailable) else None
            await asyncio.sleep(max(wait, retry_after or 0.0))
            wait = min(2 * wait, MAX_RETRY_SECONDS)

    async def _missed_range(self) -> MissedRange:
        """Return the range to read. A checkpoint in the future comes from a wrong clock and is ignored. A first start
        saves its checkpoint at once: what is missed before the next one is then read."""
        with workspace_scope(self._space):
            noted = await self._inbox.last_message_id(self._space)
        now = self._clock()
        mark = float(noted) if noted else self._started - self._lag
        if not noted:
            await self._mark_caught_up(mark)
        earliest = now - MAX_AGE_SECONDS
        return MissedRange(max(mark if mark <= now else 0.0, earliest), earliest, not noted, frozenset(self._due))

    async def _read_places(self, reader: MissedReader[P, M], done: set[P]) -> CitewellError | None:
        """Read the places that are not in `done`, and add them to it. Return the last error, or None."""
        failure: CitewellError | None = None
        async for place in reader.places():
            if place in done:
                continue
            try:
                async with aclosing(reader.messages(place)) as messages:
                    async for message in messages:
                        await reader.accept(place, message)
            except Refused as refused:
                log.warning("missed_messages_not_read", where=str(place), reason=str(refused))
            except CitewellError as error:
                failure = error
                continue
            done.add(place)
        return failure
