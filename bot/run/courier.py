"""What the bot posts besides its replies, notices of handoffs, digests and what people share: each exactly once, and in
one place one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import structlog

from bot import known
from bot.desks.desk import CitewellDesk
from bot.run.posting import GRACE_SECONDS, OnItsWay, Poster, reason
from pipeline.errors import CitewellError, NotTaken, Refused
from pipeline.ports import PlatformAdapter, Receipt
from pipeline.translations import Words
from pipeline.values import About, ConversationId, Notice, PersonId, PlaceId, replace
from pipeline.values.posting import Adding, Announcement, Digest, Share, SourceNotice, Spent
from pipeline.words import wording
from pipeline.words.language import speaking
from storage.messages.outbox import SQLOutbox

IDLE_SECONDS = 1.0
"""How often is looked when nobody rings: what was postponed."""
AT_A_TIME = 4
"""Posts under way at most: one that hangs holds up no other place."""
ABSENT_SECONDS = 60.0
"""How long it waits for a platform that is not set up."""
DAYS = 7
"""That a digest tells of."""

log = structlog.get_logger(__name__)


async def begin_digest(outbox: SQLOutbox, to: str) -> None:
    """This week's, unless it was begun before."""
    year, week, _ = datetime.now(UTC).isocalendar()
    await outbox.begin_digest(f"{year}-W{week:02}", to)


async def tell_spent(outbox: SQLOutbox, to: str | None, place: PlaceId) -> None:
    """That a place has had the answers of an hour that nobody asks for, once a day; nobody where `to` is not set."""
    if to:
        await outbox.begin_spent(f"{datetime.now(UTC):%Y-%m-%d}", place, to)


class Courier:
    """Posts what is due until cancelled. The only one of what is `ours`: a post is looked for on the platform, not
    leased."""

    def __init__(
        self,
        outbox: SQLOutbox,
        desk: CitewellDesk,
        adapters: Mapping[str, PlatformAdapter],
        ours: Callable[[Announcement], bool] = lambda _: True,
        *,
        grace_seconds: float = GRACE_SECONDS,
        retry_seconds: float = 1.0,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._outbox = outbox
        self._desk = desk
        self._adapters = adapters
        self._ours = ours
        self._poster = Poster(
            outbox,
            adapters,
            self._show,
            _nothing_said,
            grace_seconds=grace_seconds,
            retry_seconds=retry_seconds,
            why=_why,
        )
        self._idle = idle_seconds
        self._bell = asyncio.Event()
        self._under_way: dict[str, asyncio.Task[None]] = {}
        """By place."""

    def ring(self) -> None:
        """There may be something to post."""
        self._bell.set()

    async def run(self) -> None:
        try:
            while True:
                self._bell.clear()
                try:
                    await self._begin_due()
                except CitewellError as error:
                    log.warning("outbox_unavailable", reason=str(error))
                try:
                    async with asyncio.timeout(self._idle):
                        await self._bell.wait()
                except TimeoutError:
                    continue
        finally:
            await self._end()

    async def post_due(self) -> None:
        """Post what is due now, or put it off. Raises only what the store raises."""
        try:
            while await self._begin_due():
                await asyncio.wait(self._under_way.values(), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._end()

    async def _begin_due(self) -> bool:
        """Begin what is due now where nothing is under way; whether anything is. Raises what the store raises, also
        over what was begun before."""
        for place, ended in [(place, task) for place, task in self._under_way.items() if task.done()]:
            del self._under_way[place]
            ended.result()
        while len(self._under_way) < AT_A_TIME and (post := await self._outbox.take(self._may_begin)):
            task = asyncio.create_task(self._bring_to_an_end(post), name=f"post {post.key}")
            task.add_done_callback(lambda _: self.ring())
            self._under_way[_place(post)] = task
        return bool(self._under_way)

    def _may_begin(self, post: Announcement) -> bool:
        return self._ours(post) and _place(post) not in self._under_way

    async def _bring_to_an_end(self, post: Announcement) -> None:
        if post.platform in self._adapters:
            await self._poster.bring_to_an_end(post)
        else:
            await self._outbox.release(post.key, delay=ABSENT_SECONDS, counts=False)

    async def _end(self) -> None:
        """What is under way goes back."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        self._under_way.clear()

    async def _show(self, way: OnItsWay[Announcement]) -> None:
        """What has a reference is complete, unless somebody waits for it: more of that may be to be posted, or it may
        say something else now."""
        if isinstance(way.item, Share | Adding):
            await self._waited_for(way.item, way)
        elif not way.item.reference:
            adapter = self._adapters[way.item.platform]
            await adapter.post(await self._whole(way.item, adapter), way)
        await self._outbox.done(way.item.key)

    async def _waited_for(self, post: Share | Adding, receipt: Receipt) -> None:
        adapter = self._adapters[post.platform]
        if isinstance(post, Share):
            await self._share(post, adapter, receipt)
        else:
            await adapter.post(post, receipt)

    async def _share(self, share: Share, adapter: PlatformAdapter, receipt: Receipt) -> None:
        """If everyone there may see it. Whoever replies to what is posted is answered with it in mind."""
        answer = await self._desk.answer(share.answer_id, await adapter.readers(PlaceId.parse(share.to)))
        if answer is None:
            raise NotTaken(Words(share.language)(wording.NOT_SHARED))
        conversations = await adapter.post(replace(share, answer=answer), receipt)
        await self._outbox.shared(share.answer_id, conversations)

    async def _whole(self, post: Notice | Digest | Spent | SourceNotice, adapter: PlatformAdapter) -> Announcement:
        match post:
            case Notice():
                return await self._notice(post, adapter)
            case SourceNotice():
                place = await self._desk.places.of(PlaceId.parse(post.to).chain)
                language = speaking(place.language).language
                return replace(post, language=language, days=place.index_days or 0)
        return await self._report(post, adapter)

    async def _notice(self, notice: Notice, adapter: PlatformAdapter) -> Notice:
        """In the language of whoever asked; with what was found, as far as those who are asked may see it."""
        words = await self._desk.words(notice.handoff.asker, text=notice.handoff.question)
        found = None
        if notice.about is About.ASKED:
            readers = await adapter.readers(notice.handoff.target)
            found = await self._desk.answer(notice.handoff.answer_id, readers)
        return replace(notice, language=words.language, found=found)

    async def _report(self, report: Digest | Spent, adapter: PlatformAdapter) -> Announcement:
        """In the language of the person or of the channel, with what all who read it may see."""
        where = known.platforms().whom(report.to)
        readers = await adapter.readers(where)
        if readers.external:
            raise Refused(f"guests or people of other organisations read {report.to}")
        if isinstance(where, PersonId):
            words = await self._desk.words(str(where))
        else:
            words = speaking((await self._desk.places.of(where.chain)).language)
        if isinstance(report, Spent):
            allowed = (await self._desk.places.of(report.place.chain)).auto_per_hour or 0
            return replace(report, language=words.language, per_hour=allowed)
        seen = await self._desk.insights_for(readers, DAYS)
        return replace(report, language=words.language, seen=seen)


def _place(post: Announcement) -> str:
    """Where it is posted."""
    where = post.where if isinstance(post, Notice) else post.to
    return where.where if isinstance(where, ConversationId) else str(where)


def _why(post: Announcement, error: Exception) -> str:
    """Whoever waits for it is told that, whatever went wrong: never an error's own words."""
    if isinstance(post, Share | Adding):
        return str(error) if isinstance(error, NotTaken) else Words(post.language)(wording.TRY_AGAIN)
    return reason(error)


async def _nothing_said(way: OnItsWay[Announcement]) -> str:
    """Whom it concerns is told by the store, with a notice of its own."""
    return ""
