"""What the bot posts by itself: one notice after the other, each exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import structlog

from bot.waits import GRACE_SECONDS, grace_left, pause_after
from pipeline.errors import CitewellError, Misconfigured, Unavailable
from pipeline.ports import Desk, PlatformAdapter
from pipeline.values import About, Notice
from storage.handoffs import SQLHandoffs

IDLE_SECONDS = 1.0
"""How often is looked when nobody rings: notices that were postponed."""
ABSENT_SECONDS = 60.0
"""How long a notice waits for a platform that is not set up."""

log = structlog.get_logger(__name__)


class Courier:
    """Posts what is due until cancelled. The only one of what is `ours`: a notice is looked for on the platform, not
    locked."""

    def __init__(
        self,
        handoffs: SQLHandoffs,
        desk: Desk,
        adapters: Mapping[str, PlatformAdapter],
        ours: Callable[[Notice], bool] = lambda _: True,
        *,
        grace_seconds: float = GRACE_SECONDS,
        retry_seconds: float = 1.0,
    ) -> None:
        self._handoffs = handoffs
        self._desk = desk
        self._adapters = adapters
        self._ours = ours
        self._grace = grace_seconds
        self._retry = retry_seconds
        self._bell = asyncio.Event()

    def ring(self) -> None:
        """There may be something to post."""
        self._bell.set()

    async def run(self) -> None:
        while True:
            self._bell.clear()
            try:
                while notice := await self._handoffs.due(self._ours):
                    await self._bring_to_an_end(notice)
            except CitewellError as error:
                log.warning("notices_unavailable", reason=str(error))
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    await self._bell.wait()
            except TimeoutError:
                continue

    async def _bring_to_an_end(self, notice: Notice) -> None:
        """Post it, or put it off. Raises only what the store raises."""
        adapter = self._adapters.get(notice.platform)
        if adapter is None:
            await self._handoffs.postpone(notice, ABSENT_SECONDS)
            return
        try:
            await self._post(await self._said(notice), adapter)
        except (Unavailable, Misconfigured) as error:
            log.warning("notice_not_posted_yet", notice=notice.key, reason=str(error))
            await self._handoffs.postpone(notice, pause_after(error, self._retry))
        except Exception:  # one that cannot be posted must not stop the others
            again = await self._handoffs.refused(notice, self._retry * 2.0 ** (notice.attempt + 1))
            log.exception("notice_refused" if again else "notice_given_up", notice=notice.key)

    async def _said(self, notice: Notice) -> Notice:
        """In the language of whoever asked."""
        words = await self._desk.words(notice.handoff.asker, text=notice.handoff.question)
        return notice.model_copy(update={"language": words.language})

    async def _post(self, notice: Notice, adapter: PlatformAdapter) -> None:
        if notice.posting_since:
            if (wait := grace_left(notice.posting_since, self._grace)) > 0:
                await self._handoffs.postpone(notice, wait)
                return
            if found := await adapter.find_notice(notice):
                await self._handoffs.posted(notice, found)
                return
        shown = None
        if notice.about is About.ASKED:
            readers = await adapter.readers_in(notice.handoff.target)
            shown = await self._desk.answer(notice.handoff.answer_id, readers)
        await adapter.notify(notice, shown, _Receipt(self._handoffs, notice))


class _Receipt:
    def __init__(self, handoffs: SQLHandoffs, notice: Notice) -> None:
        self._handoffs = handoffs
        self._notice = notice

    async def posting(self) -> None:
        await self._handoffs.posting(self._notice)

    async def posted(self, reference: str) -> None:
        await self._handoffs.posted(self._notice, reference)
