"""The events of an answer, taken as they have come: whoever shows them is never behind and never blocks the writer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from types import TracebackType

from pipeline.errors import Unusable
from pipeline.values import Event


class Feed:
    """Reads one answer's events in a task of its own for as long as the context lasts."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        self._source = events
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self.stopped = False

    async def __aenter__(self) -> Feed:
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reading.cancel()
        await asyncio.wait({self._reading})

    async def take(self, seconds: float | None = None) -> list[Event]:
        """Everything new; waits until there is something or `stop` was called, for `seconds` at most.

        Once all is taken, raises what the reading raised, or Unusable."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return []
        events, self._events = self._events, []
        if not self._reading.done():
            self._news.clear()
        elif not events and not self.stopped:
            self._reading.result()
            raise Unusable("the events of an answer ended without an answer")
        return events

    def stop(self) -> None:
        """Somebody asked to stop: what comes now is not wanted any more."""
        self.stopped = True
        self._news.set()

    async def _read(self) -> None:
        try:
            async for event in self._source:
                self._events.append(event)
                self._news.set()
        finally:
            self._news.set()
