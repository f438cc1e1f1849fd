"""Turns at a language model: as many questions at the same time as its server works on, the others in a queue."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pipeline.ports import LanguageModel

_RECENT = 5
"""Number of turns whose mean length tells how long the queue takes."""


class QueueTooLong(Exception):
    """No turn can be had in time."""


@dataclass(eq=False)
class _Waiting:
    granted: asyncio.Future[None]
    on_place: Callable[[int], None]
    ahead: int = -1

    def move(self, ahead: int) -> None:
        """Tell a new place."""
        if ahead != self.ahead:
            self.ahead = ahead
            self.on_place(ahead)


@dataclass(eq=False)
class ModelTurns:
    """A queue for the turns at `model`, first come, first served; none waits where the slots are not known.

    `settle` waits until the server is done with what was given up; the turn is handed on after it."""

    model: LanguageModel
    settle: Callable[[], Awaitable[None]]
    clock: Callable[[], float] = time.monotonic
    prepare: Callable[[], asyncio.Future[None] | None] = lambda: None
    """Begins to prepare the model, once; returns what a question awaits for half of its time."""
    _active: int = 0
    _queue: deque[_Waiting] = field(default_factory=deque)
    _started: list[float] = field(default_factory=list)
    _lengths: deque[float] = field(default_factory=lambda: deque(maxlen=_RECENT))
    _settling: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def take(self, seconds: float, on_place: Callable[[int], None]) -> AsyncIterator[None]:
        """Hold a turn. Raise QueueTooLong where none can be had within `seconds`, at once where that is foreseeable.

        `on_place` is called with the number of questions ahead, each time it changes."""
        begun = self.clock()
        if (ready := self.prepare()) and not ready.done():
            await asyncio.wait({ready}, timeout=seconds / 2)
        await self._enter(seconds - (self.clock() - begun), on_place)
        started = self.clock()
        self._started.append(started)
        try:
            yield
        finally:
            self._started.remove(started)
            self._lengths.append(self.clock() - started)
            settling = asyncio.create_task(self._leave())
            self._settling.add(settling)
            settling.add_done_callback(self._settling.discard)

    @asynccontextmanager
    async def occupy(self) -> AsyncIterator[None]:
        """Hold a turn at once, for work that no question waits for; questions wait for its end."""
        self._active += 1
        try:
            yield
        finally:
            self._active -= 1
            self._grant()

    async def close(self) -> None:
        """Stop waiting for the server."""
        for settling in self._settling:
            settling.cancel()
        await asyncio.gather(*self._settling, return_exceptions=True)

    @property
    def is_free(self) -> bool:
        """True where a turn can be had at once."""
        slots = self.model.capacity.slots
        return slots is None or (not self._queue and self._active < slots)

    def _expected_wait(self) -> float:
        """Return the seconds that a question which comes now will probably wait: the rest of the turns that are held,
        and those that wait."""
        if not self._lengths:
            return 0.0
        typical, now = sum(self._lengths) / len(self._lengths), self.clock()
        held = [max(0.0, typical - (now - started)) for started in self._started]
        return (sum(held) + typical * len(self._queue)) / (self.model.capacity.slots or 1)

    async def _enter(self, seconds: float, on_place: Callable[[int], None]) -> None:
        if self.is_free:
            self._active += 1
            return
        if self._expected_wait() > seconds:
            raise QueueTooLong
        waiting = _Waiting(asyncio.get_running_loop().create_future(), on_place)
        self._queue.append(waiting)
        self._tell_places()
        try:
            async with asyncio.timeout(seconds):
                await waiting.granted
        except BaseException as error:
            if waiting in self._queue:
                self._queue.remove(waiting)
            elif not waiting.granted.cancelled():
                self._active -= 1  # granted in the moment in which nobody wanted it any more
            self._grant()
            if isinstance(error, TimeoutError):
                raise QueueTooLong from None
            raise

    async def _leave(self) -> None:
        try:
            await self.settle()
        finally:
            self._active -= 1
            self._grant()

    def _grant(self) -> None:
        slots = self.model.capacity.slots
        while self._queue and (slots is None or self._active < slots):
            granted = self._queue.popleft().granted
            if not granted.done():
                self._active += 1
                granted.set_result(None)
        self._tell_places()

    def _tell_places(self) -> None:
        for place, waiting in enumerate(self._queue):
            waiting.move(place + self._active)
