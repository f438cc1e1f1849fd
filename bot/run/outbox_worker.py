"""Posts besides replies: notices of handoffs, digests and shared answers, each exactly once, and in one place one after
the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import structlog

from bot import registry
from bot.run.posting import GRACE_SECONDS, Poster, PostInProgress, error_reason
from bot.services.answers import CitewellServices
from pipeline.errors import CitewellError, PostRefused, Refused
from pipeline.ports import PlatformAdapter, PostRecorder
from pipeline.translations import Translator
from pipeline.values import ConversationId, HandoffNotice, NoticeKind, PersonId, PlaceId, replace
from pipeline.values.posting import Announcement, AutoLimitNotice, Digest, IndexingNotice, SharedAnswer, UploadStatus
from pipeline.words import wording
from pipeline.words.language import choose_words
from storage.messages.outbox import SQLOutbox

OUTBOX_POLL_SECONDS = 1.0
"""Seconds between two checks without a notification, for postponed posts."""
MAX_CONCURRENT_POSTS = 4
"""Most posts under way: one that hangs delays no other place."""
MISSING_PLATFORM_SECONDS = 60.0
"""Seconds that a post waits for a platform that is not set up."""
DIGEST_DAYS = 7
"""Days that a digest covers."""

log = structlog.get_logger(__name__)


async def queue_weekly_digest(outbox: SQLOutbox, to: str) -> None:
    """Queue this week's digest, unless it was begun before."""
    year, week, _ = datetime.now(UTC).isocalendar()
    await outbox.queue_digest(f"{year}-W{week:02}", to)


async def queue_quota_notice(outbox: SQLOutbox, to: str | None, place: PlaceId) -> None:
    """Queue the notice that a place has used up its automatic answers of an hour, once a day; for nobody if `to` is not
    set."""
    if to:
        await outbox.queue_quota_notice(f"{datetime.now(UTC):%Y-%m-%d}", place, to)


class OutboxWorker:
    """Posts announcements that are due until cancelled.

    It must be the only one for those that `accepts` allows: a post is searched for on the platform, not leased.
    """

    def __init__(
        self,
        outbox: SQLOutbox,
        services: CitewellServices,
        adapters: Mapping[str, PlatformAdapter],
        accepts: Callable[[Announcement], bool] = lambda _: True,
        *,
        grace_seconds: float = GRACE_SECONDS,
        retry_seconds: float = 1.0,
        idle_seconds: float = OUTBOX_POLL_SECONDS,
    ) -> None:
        self._outbox = outbox
        self._services = services
        self._adapters = adapters
        self._accepts = accepts
        self._poster = Poster(
            outbox,
            adapters,
            self._show,
            _no_apology,
            grace_seconds=grace_seconds,
            retry_seconds=retry_seconds,
            give_up_reason=_give_up_reason,
        )
        self._idle = idle_seconds
        self._wake = asyncio.Event()
        self._under_way: dict[str, asyncio.Task[None]] = {}
        """Tasks by place."""

    def notify(self) -> None:
        """Wake the worker: there may be something to post."""
        self._wake.set()

    async def run(self) -> None:
        try:
            while True:
                self._wake.clear()
                try:
                    await self._begin_due()
                except CitewellError as error:
                    log.warning("outbox_unavailable", reason=str(error))
                try:
                    async with asyncio.timeout(self._idle):
                        await self._wake.wait()
                except TimeoutError:
                    continue
        finally:
            await self._cancel_posts()

    async def post_due(self) -> None:
        """Post all announcements that are due now, or put them off. Raises only what the store raises."""
        try:
            while await self._begin_due():
                await asyncio.wait(self._under_way.values(), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._cancel_posts()

    async def _begin_due(self) -> bool:
        """Begin due posts in idle places. Return True if any is under way. Raises what the store raises, also for
        earlier posts."""
        for place, ended in [(place, task) for place, task in self._under_way.items() if task.done()]:
            del self._under_way[place]
            ended.result()
        while len(self._under_way) < MAX_CONCURRENT_POSTS and (post := await self._outbox.take_next(self._may_begin)):
            task = asyncio.create_task(self._deliver(post), name=f"post {post.key}")
            task.add_done_callback(lambda _: self.notify())
            self._under_way[_place(post)] = task
        return bool(self._under_way)

    def _may_begin(self, post: Announcement) -> bool:
        return self._accepts(post) and _place(post) not in self._under_way

    async def _deliver(self, post: Announcement) -> None:
        if post.platform in self._adapters:
            await self._poster.deliver(post)
        else:
            await self._outbox.release(post.key, delay=MISSING_PLATFORM_SECONDS, counts=False)

    async def _cancel_posts(self) -> None:
        """Cancel posts under way, which are then released."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        self._under_way.clear()

    async def _show(self, progress: PostInProgress[Announcement]) -> None:
        """Post an announcement. One with a reference is complete, unless somebody waits for it: part of it may be
        missing, or its text may have changed."""
        if isinstance(progress.item, SharedAnswer | UploadStatus):
            await self._post_awaited(progress.item, progress)
        elif not progress.item.reference:
            adapter = self._adapters[progress.item.platform]
            await adapter.post(await self._complete(progress.item, adapter), progress)
        await self._outbox.mark_done(progress.item.key)

    async def _post_awaited(self, post: SharedAnswer | UploadStatus, receipt: PostRecorder) -> None:
        adapter = self._adapters[post.platform]
        if isinstance(post, SharedAnswer):
            await self._share(post, adapter, receipt)
        else:
            await adapter.post(post, receipt)

    async def _share(self, share: SharedAnswer, adapter: PlatformAdapter, receipt: PostRecorder) -> None:
        """Share an answer if everyone there may see it. Replies to the post are answered with it as context."""
        answer = await self._services.find_answer(share.answer_id, await adapter.get_readers(PlaceId.parse(share.to)))
        if answer is None:
            raise PostRefused(Translator(share.language)(wording.SHARE_REFUSED))
        conversations = await adapter.post(replace(share, answer=answer), receipt)
        await self._outbox.mark_shared(share.answer_id, conversations)

    async def _complete(
        self, post: HandoffNotice | Digest | AutoLimitNotice | IndexingNotice, adapter: PlatformAdapter
    ) -> Announcement:
        match post:
            case HandoffNotice():
                return await self._notice(post, adapter)
            case IndexingNotice():
                place = await self._services.places.effective_settings(PlaceId.parse(post.to).chain)
                language = choose_words(place.language).language
                return replace(post, language=language, days=place.index_days or 0)
        return await self._report(post, adapter)

    async def _notice(self, notice: HandoffNotice, adapter: PlatformAdapter) -> HandoffNotice:
        """Return the notice in the language of the asker; with what was found, as far as its readers may see it."""
        translator = await self._services.translator_for(notice.handoff.asker, text=notice.handoff.question)
        answer = None
        if notice.about is NoticeKind.ASKED:
            readers = await adapter.get_readers(notice.handoff.target)
            answer = await self._services.find_answer(notice.handoff.answer_id, readers)
        return replace(notice, language=translator.language, answer=answer)

    async def _report(self, report: Digest | AutoLimitNotice, adapter: PlatformAdapter) -> Announcement:
        """Return the report in the language of its reader or of the channel, with what all its readers may see."""
        where = registry.platforms().parse_recipient(report.to)
        readers = await adapter.get_readers(where)
        if readers.external:
            raise Refused(f"guests or people of other organisations read {report.to}")
        if isinstance(where, PersonId):
            translator = await self._services.translator_for(str(where))
        else:
            translator = choose_words((await self._services.places.effective_settings(where.chain)).language)
        if isinstance(report, AutoLimitNotice):
            allowed = (await self._services.places.effective_settings(report.place.chain)).auto_per_hour or 0
            return replace(report, language=translator.language, per_hour=allowed)
        insights = await self._services.insights_for(readers, DIGEST_DAYS)
        return replace(report, language=translator.language, insights=insights)


def _place(post: Announcement) -> str:
    """Return the place of a post."""
    where = post.destination if isinstance(post, HandoffNotice) else post.to
    return where.channel_key if isinstance(where, ConversationId) else str(where)


def _give_up_reason(post: Announcement, error: Exception) -> str:
    """Return the reason that a waiting person is told, never an error's own words; for other posts the error's."""
    if isinstance(post, SharedAnswer | UploadStatus):
        return str(error) if isinstance(error, PostRefused) else Translator(post.language)(wording.TRY_AGAIN)
    return error_reason(error)


async def _no_apology(progress: PostInProgress[Announcement]) -> str:
    """Return nothing: the store notifies the people concerned."""
    return ""
