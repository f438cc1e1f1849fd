"""Post once, find after a crash: every post of the bot comes through here, and is tried again, released or given up
when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Generic, TypeVar

import structlog

from pipeline.errors import CitewellError, Misconfigured, QuestionWithdrawn, Unavailable
from pipeline.ports import Outbox, PlatformAdapter
from pipeline.values import LeasedMessage, replace
from pipeline.values.posting import Announcement

# --- How long what is to be posted waits before it is tried again ---------------------------------

GRACE_SECONDS = 35.0
"""Seconds after an intent to post in which a lost request may still take effect: longer than any request's timeout."""
RETRY_SECONDS = 1.0
"""Half of the wait after the first failed attempt; each further wait is twice as long."""
UNREACHABLE_FACTOR = 10.0
"""Multiple of `RETRY_SECONDS` to wait for a platform that is unreachable or misconfigured, if it sets no time.

That is not the message's fault, and is not counted.
"""


def retry_delay(error: Unavailable | Misconfigured, retry_seconds: float) -> float:
    """Return seconds until the next try on a platform that is unreachable or misconfigured."""
    retry_after = error.retry_after if isinstance(error, Unavailable) else None
    return retry_seconds * UNREACHABLE_FACTOR if retry_after is None else retry_after


def remaining_grace(posting_since: datetime, grace_seconds: float) -> float:
    """Return seconds in which a request lost after that intent may still take effect."""
    return grace_seconds - (datetime.now(UTC) - posting_since).total_seconds()


# --- Posting --------------------------------------------------------------------------------------

POSTING_SECONDS = 540.0
"""Seconds that a delivery may take: with the apology after the last attempt less than a lease lasts."""

I = TypeVar("I", LeasedMessage, Announcement)  # noqa: E741 - an item
log = structlog.get_logger(__name__)


class PostInProgress(Generic[I]):
    """One item that is being posted, in its present state; also its `PostRecorder`."""

    def __init__(self, outbox: Outbox, item: I) -> None:
        self._outbox = outbox
        self.item: I = item
        self.may_be_visible = bool(item.reference)
        """True if something may be visible."""

    async def record_intent(self) -> None:
        await self._outbox.mark_posting(self.item.key)
        self.may_be_visible = True

    async def record_posted(self, reference: str, *, complete: bool = False) -> None:
        """Record the reference. Whoever delivers the item closes it, also where it is `complete`."""
        self.item = replace(self.item, reference=reference)
        self.may_be_visible = True
        await self._outbox.mark_posted(self.item.key, reference)


class Poster(Generic[I]):
    """Delivers leased items. `show` posts or completes one and closes its row.

    `apologise`, after the last attempt, posts an apology where it can, and returns its incident in the log.
    """

    def __init__(
        self,
        outbox: Outbox,
        adapters: Mapping[str, PlatformAdapter],
        show: Callable[[PostInProgress[I]], Awaitable[None]],
        apologise: Callable[[PostInProgress[I]], Awaitable[str]],
        *,
        grace_seconds: float,
        retry_seconds: float,
        give_up_reason: Callable[[I, Exception], str] = lambda _, error: error_reason(error),
    ) -> None:
        """`give_up_reason` returns the stored reason why an item is given up."""
        self._give_up_reason: Callable[[I, Exception], str] = give_up_reason
        self._outbox = outbox
        self._adapters = adapters
        self._show: Callable[[PostInProgress[I]], Awaitable[None]] = show
        self._apologise: Callable[[PostInProgress[I]], Awaitable[str]] = apologise
        self._grace = grace_seconds
        self._retry = retry_seconds

    async def deliver(self, item: I) -> None:
        """Post an item and close it, or release it. Raises only what the outbox raises."""
        key = item.key
        progress = PostInProgress(self._outbox, item)
        try:
            async with asyncio.timeout(POSTING_SECONDS):
                await self._post(progress)
        except QuestionWithdrawn:
            log.info("question_withdrawn", key=key)
            await self._outbox.release(key, counts=False)
        except asyncio.CancelledError:
            await asyncio.shield(self._outbox.release(key, counts=False))
            raise
        except (Unavailable, Misconfigured) as error:
            log.warning("platform_unreachable", key=key, reason=str(error), what_to_do=error.what_to_do)
            await self._outbox.release(key, delay=retry_delay(error, self._retry), counts=False)
        except Exception as error:  # what is poisonous must not stop the others
            log.exception("delivery_failed", key=key, attempt=item.attempt)
            if item.last:
                await self._give_up(progress, error)
            else:
                await self._outbox.release(key, delay=self._retry * 2.0**item.attempt)

    async def _post(self, progress: PostInProgress[I]) -> None:
        """Search the platform for an earlier post, once no lost request can take effect any more, and post."""
        item = progress.item
        if item.posting_since and not item.reference:
            wait = remaining_grace(item.posting_since, self._grace)
            if wait > self._grace:  # noted by a clock that was set back since
                await asyncio.sleep(self._grace)
            elif wait > 0:
                await self._outbox.release(item.key, delay=wait, counts=False)
                return
            if reference := await self._adapters[item.platform].find_posted(item):
                await progress.record_posted(reference)
        await self._show(progress)

    async def _give_up(self, progress: PostInProgress[I], error: Exception) -> None:
        incident = await self._apologise(progress)
        log.error(
            "delivery_given_up",
            key=progress.item.key,
            incident=incident,
            reason=error_reason(error),
            attempts=progress.item.attempt,
        )
        await self._outbox.mark_failed(progress.item.key, self._give_up_reason(progress.item, error))


def error_reason(error: Exception) -> str:
    """Return the reason for the operator."""
    return str(error) if isinstance(error, CitewellError) else type(error).__name__
