"""From the inbox to deliveries, as many at a time as are allowed; what is under way at a stop goes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

import structlog

from bot.answering import Answering
from bot.delivery import Delivery
from bot.waits import GRACE_SECONDS, RETRY_SECONDS
from pipeline.errors import CitewellError
from pipeline.ports import Inbox, PlatformAdapter
from pipeline.values import Chosen, IncomingMessage, Request, Work

IDLE_SECONDS = 1.0
"""How often the inbox is looked at when nobody rings."""

log = structlog.get_logger(__name__)


class Worker:
    """Answers what is in the inbox, `concurrency` messages at a time, `at_a_time` of them being thought about, until
    stopped."""

    def __init__(
        self,
        inbox: Inbox,
        responder: Answering,
        adapters: Mapping[str, PlatformAdapter],
        request: Callable[[IncomingMessage, Chosen, PlatformAdapter], Awaitable[Request]],
        chosen: Callable[[IncomingMessage], Awaitable[Chosen]],
        *,
        concurrency: int,
        at_a_time: int = 100,
        expire_late: bool = False,
        grace_seconds: float = GRACE_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self._inbox = inbox
        self._concurrency = concurrency
        self._delivery = Delivery(
            inbox,
            responder,
            adapters,
            request,
            chosen,
            at_a_time=at_a_time,
            expire_late=expire_late,
            grace_seconds=grace_seconds,
            retry_seconds=retry_seconds,
        )
        self._bell = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()
        self._moved = time.monotonic()

    @property
    def still(self) -> float:
        """Seconds since it last began or ended a message, or had none to begin and none under way."""
        return time.monotonic() - self._moved

    def ring(self) -> None:
        """There may be something in the inbox."""
        self._bell.set()

    async def run(self) -> None:
        """Work until cancelled. Cancelling stops leasing; what is under way is left to `drain`."""
        while True:
            self._bell.clear()
            while len(self._running) < self._concurrency and (work := await self._lease()):
                task = asyncio.create_task(self._delivery.bring_to_an_end(work), name=f"answer {work.message.key}")
                self._running.add(task)
                task.add_done_callback(self._finished)
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    await self._bell.wait()
            except TimeoutError:
                continue

    async def drain(self, seconds: float) -> None:
        """Give what is under way `seconds` to finish, then give it back to the inbox."""
        if not self._running:
            return
        _, late = await asyncio.wait(self._running, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._moved = time.monotonic()
        self.ring()

    async def _lease(self) -> Work | None:
        try:
            work = await self._inbox.lease()
        except CitewellError as error:
            log.warning("inbox_unavailable", reason=str(error))
            return None
        if work or not self._running:
            self._moved = time.monotonic()
        return work
