"""From the inbox to the posted reply: lease, respond, deliver, and let nothing be lost or said twice."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import UTC, datetime

import structlog

from pipeline import wording
from pipeline.errors import CitewellError, Unavailable, Withdrawn
from pipeline.ports import Inbox, PlatformAdapter
from pipeline.response.compose import failed
from pipeline.response.request import Request
from pipeline.response.respond import Responder
from pipeline.streams import closing
from pipeline.values import Answer, Event, IncomingMessage, Work

ATTEMPTS = 5
"""Tries before a message is given up with one apology."""
GRACE_SECONDS = 35.0
"""After a recorded intent to post, how long a lost request may still take effect: longer than any request's timeout."""
RETRY_SECONDS = 1.0
"""The first wait after a failed attempt is twice this; each further one twice as long."""
UNREACHABLE = 10.0
"""Times the first wait, until the next attempt where the platform was not reached: that is not the message's fault,
and is not counted."""
IDLE_SECONDS = 1.0
"""How often the inbox is looked at when nobody rings."""

log = structlog.get_logger(__name__)


class Worker:
    """Answers what is in the inbox, `concurrency` messages at a time, until stopped."""

    def __init__(
        self,
        inbox: Inbox,
        responder: Responder,
        adapters: Mapping[str, PlatformAdapter],
        request: Callable[[IncomingMessage, PlatformAdapter], Awaitable[Request]],
        *,
        concurrency: int,
        expire_late: bool = False,
        grace_seconds: float = GRACE_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self._inbox = inbox
        self._responder = responder
        self._adapters = adapters
        self._request = request
        self._concurrency = concurrency
        self._expire_late = expire_late
        self._grace = grace_seconds
        self._retry = retry_seconds
        self._bell = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()

    def ring(self) -> None:
        """There may be something in the inbox."""
        self._bell.set()

    async def run(self) -> None:
        """Work until cancelled. Cancelling stops leasing; what is under way is left to `drain`."""
        while True:
            self._bell.clear()
            while len(self._running) < self._concurrency and (work := await self._lease()):
                task = asyncio.create_task(self._process(work), name=f"answer {work.message.key}")
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
        self.ring()

    async def _lease(self) -> Work | None:
        try:
            return await self._inbox.lease()
        except CitewellError as error:
            log.warning("inbox_unavailable", reason=str(error))
            return None

    async def _process(self, work: Work) -> None:
        key = work.message.key
        receipt = _Receipt(self._inbox, key)
        try:
            await self._answer(work, receipt)
        except Withdrawn:
            log.info("question_withdrawn", key=key)
        except asyncio.CancelledError:
            await asyncio.shield(self._inbox.release(key, counts=False))
            raise
        except Exception as error:  # a poisonous message must not stop the others
            if isinstance(error, Unavailable) and not receipt.begun:
                log.warning("platform_unreachable", key=key, reason=str(error))
                await self._inbox.release(key, delay=self._retry * UNREACHABLE, counts=False)
                return
            log.exception("delivery_failed", key=key, attempt=work.attempt)
            if work.attempt >= ATTEMPTS:
                await self._inbox.failed(key, type(error).__name__)
            else:
                await self._inbox.release(key, delay=self._retry * 2.0**work.attempt)

    async def _answer(self, work: Work, receipt: _Receipt) -> None:
        key = work.message.key
        adapter = self._adapters.get(work.message.conversation.platform)
        if adapter is None:
            await self._inbox.release(key, delay=60.0, counts=False)
            return
        if work.posting_since and not work.reference:
            wait = self._grace - (datetime.now(UTC) - work.posting_since).total_seconds()
            if wait > 0:
                await self._inbox.release(key, delay=wait, counts=False)
                return
            work = work.model_copy(update={"reference": await adapter.find(work) or ""})
        late = work.late and self._expire_late and not work.answer
        events = (
            _only(failed(secrets.token_hex(8), work.message.text, "", text=wording.EXPIRED))
            if late
            else self._events(work, adapter)
        )
        async with closing(events):
            await adapter.deliver(work, events, receipt)
        await (self._inbox.expired(key) if late else self._inbox.done(key))

    async def _events(self, work: Work, adapter: PlatformAdapter) -> AsyncIterator[Event]:
        """The saved answer, or a new one that is saved before it is handed on."""
        if work.answer:
            yield work.answer
            return
        if work.attempt > ATTEMPTS - 1:
            incident = secrets.token_hex(4)
            log.error("gave_up", key=work.message.key, incident=incident, attempts=work.attempt)
            yield failed(secrets.token_hex(8), work.message.text, incident)
            return
        request = await self._request(work.message, adapter)
        async with closing(self._responder.respond(request)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    answer = _with_apology(event) if work.late else event
                    await self._inbox.answered(work.message.key, answer)
                    yield answer
                else:
                    yield event


class _Receipt:
    def __init__(self, inbox: Inbox, key: str) -> None:
        self._inbox = inbox
        self._key = key
        self.begun = False
        """Something may have been posted."""

    async def posting(self) -> None:
        self.begun = True
        await self._inbox.posting(self._key)

    async def posted(self, reference: str) -> None:
        await self._inbox.posted(self._key, reference)


def _with_apology(answer: Answer) -> Answer:
    preface = f"{wording.LATE} {answer.preface}".strip()
    return answer.model_copy(update={"preface": preface})


async def _only(answer: Answer) -> AsyncIterator[Event]:
    yield answer
