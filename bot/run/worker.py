"""Runs deliveries from the inbox, as many at a time as allowed; at a stop, work under way is released."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

import structlog

from bot.run.delivery import Answerer, Delivery, VisibleAnswer
from bot.run.live_search import LiveSearch
from bot.run.posting import GRACE_SECONDS, RETRY_SECONDS
from pipeline.errors import CitewellError
from pipeline.ports import Inbox, PlatformAdapter, SupportsStop
from pipeline.rules.tenancy import NO_WORKSPACE, workspace_scope
from pipeline.values import AnswerRequest, AnswerSettings, ConversationId, IncomingMessage, LeasedMessage, PlaceId
from pipeline.values.ids import split_id

INBOX_POLL_SECONDS = 1.0
"""Seconds between two checks of the inbox without a notification."""

log = structlog.get_logger(__name__)


async def _ignore_quota(place: PlaceId) -> None: ...


class Worker:
    """Answers messages of the inbox until stopped, `concurrency` at a time, of which `at_a_time` are being computed."""

    def __init__(
        self,
        inbox: Inbox,
        responder: Answerer,
        adapters: Mapping[str, PlatformAdapter],
        make_request: Callable[[IncomingMessage, AnswerSettings, PlatformAdapter], Awaitable[AnswerRequest]],
        choose_settings: Callable[[IncomingMessage], Awaitable[AnswerSettings]],
        *,
        visible_answer: VisibleAnswer,
        concurrency: int,
        at_a_time: int = 100,
        expire_late: bool = False,
        live: LiveSearch | None = None,
        on_quota_spent: Callable[[PlaceId], Awaitable[None]] = _ignore_quota,
        grace_seconds: float = GRACE_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
        can_reach: Callable[[str], bool] = lambda _: True,
        idle_seconds: float = INBOX_POLL_SECONDS,
    ) -> None:
        """`can_reach` tells whether this process, of several, posts on a platform now. `on_quota_spent` is called when
        a place has used up its automatic answers of an hour. `visible_answer` returns a saved answer as an audience may
        see it now."""
        self._idle = idle_seconds
        self._inbox = inbox
        self._adapters = adapters
        self._can_reach = can_reach
        self._concurrency = concurrency
        self._delivery = Delivery(
            inbox,
            responder,
            adapters,
            make_request,
            choose_settings,
            at_a_time=at_a_time,
            expire_late=expire_late,
            live=live,
            on_quota_spent=on_quota_spent,
            visible_answer=visible_answer,
            grace_seconds=grace_seconds,
            retry_seconds=retry_seconds,
        )
        self._wake = asyncio.Event()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._unreleased: dict[str, str] = {}
        """Messages that ended here while the inbox could not be told, with their workspaces: until it is, their leases
        keep them from being answered."""
        self._last_progress = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        """Seconds since it last began or ended a message, or had nothing to do."""
        return time.monotonic() - self._last_progress

    def notify(self) -> None:
        """Wake the worker: there may be something in the inbox."""
        self._wake.set()

    async def run(self) -> None:
        """Work until cancelled. Cancelling stops leasing; work under way is left to `drain`."""
        with workspace_scope(NO_WORKSPACE):
            while True:
                self._wake.clear()
                while len(self._running) < self._concurrency and (work := await self._lease()):
                    await self._take(work)
                    if not work.has_more:
                        break
                try:
                    async with asyncio.timeout(self._idle):
                        await self._wake.wait()
                except TimeoutError:
                    continue

    async def drain(self, seconds: float) -> None:
        """Give work under way `seconds` to finish, then release it."""
        if self._running:
            await asyncio.wait(self._running.values(), timeout=seconds)
        await self.abandon(*self._running)

    async def stop(self, conversation: ConversationId) -> None:
        """Stop the answer that is being written in a conversation."""
        adapter = self._adapters[conversation.platform]
        if isinstance(adapter, SupportsStop):
            await adapter.stop(conversation)

    async def abandon(self, *keys: str) -> None:
        """Cancel work on these messages, or on all. Messages still leased by this process are released."""
        tasks = [self._running[key] for key in keys or tuple(self._running)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self, work: LeasedMessage) -> None:
        if work.message.key not in self._running:
            self._begin(work)
            return
        self._unreleased[work.message.key] = work.message.conversation.workspace
        await self.abandon(work.message.key)  # of a lease that was lost meanwhile

    def _begin(self, work: LeasedMessage) -> None:
        key = work.message.key
        task = asyncio.create_task(self._delivery.deliver(work), name=f"answer {key}")
        self._running[key] = task
        task.add_done_callback(lambda task: self._finished(work.message, task))

    def _finished(self, message: IncomingMessage, task: asyncio.Task[None]) -> None:
        full = len(self._running) >= self._concurrency
        del self._running[message.key]
        if not task.cancelled() and (error := task.exception()):
            log.warning("answer_interrupted", key=message.key, reason=str(error))
            self._unreleased[message.key] = message.conversation.workspace
        self._last_progress = time.monotonic()
        if full or self._unreleased:
            self.notify()

    def _serves(self, space: str) -> bool:
        platform, name = split_id(space)
        adapter = self._adapters.get(platform)
        return adapter is not None and self._can_reach(platform) and adapter.can_serve(name)

    async def _lease(self) -> LeasedMessage | None:
        try:
            await self._release_unreleased()
            work = await self._inbox.lease(self._serves)
        except CitewellError as error:
            log.warning("inbox_unavailable", reason=str(error))
            return None
        if work or not self._running:
            self._last_progress = time.monotonic()
        return work

    async def _release_unreleased(self) -> None:
        for key, workspace in tuple(self._unreleased.items()):
            with workspace_scope(workspace):
                await self._inbox.release(key, counts=False)
            del self._unreleased[key]
