"""What comes of an answer, taken as it has come: whoever shows them is never behind and never blocks the writer."""

from __future__ import annotations

import asyncio
from types import TracebackType

from pipeline.ports import AnswerStream
from pipeline.values import Answer, Progress, Written


class Feed:
    """Reads one answer in a task of its own for as long as the context lasts."""

    def __init__(self, stream: AnswerStream) -> None:
        self._source = stream
        self._events: list[Progress | Written] = []
        self._news = asyncio.Event()
        self.stopped = False
        self.answer: Answer | None = None

    async def __aenter__(self) -> Feed:
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reading.cancel()
        await asyncio.wait({self._reading})

    async def take(self, seconds: float | None = None) -> list[Progress | Written]:
        """Everything new; waits until there is something or `stop` was called, for `seconds` at most.

        Once all is taken, raises what the reading raised."""
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
            self.answer = await self._source.answer()
        finally:
            self._news.set()
