"""The weekly digest: begun by the clock, posted once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import structlog

from bot.desk import CitewellDesk
from bot.waits import GRACE_SECONDS, grace_left, pause_after
from pipeline.errors import CitewellError, Misconfigured, Refused, Unavailable
from pipeline.language import speaking
from pipeline.ports import PlatformAdapter
from pipeline.translations import Words
from pipeline.values import PersonId, PlaceId
from pipeline.values.digest import Digest
from storage.digests import SQLDigests

DAYS = 7
IDLE_SECONDS = 30.0
"""How often is looked whether one is due."""
ABSENT_SECONDS = 600.0
"""How long one waits for a platform that is not set up."""

log = structlog.get_logger(__name__)


async def begin_digest(digests: SQLDigests, to: str) -> None:
    """This week's, unless it was begun before."""
    year, week, _ = datetime.now(UTC).isocalendar()
    await digests.begin(f"{year}-W{week:02}", to)


class DigestPoster:
    """The only one of what is `ours`: a digest is looked for on the platform, not locked."""

    def __init__(
        self,
        digests: SQLDigests,
        desk: CitewellDesk,
        adapters: Mapping[str, PlatformAdapter],
        ours: Callable[[Digest], bool] = lambda _: True,
        *,
        grace_seconds: float = GRACE_SECONDS,
        retry_seconds: float = 1.0,
    ) -> None:
        self._digests = digests
        self._desk = desk
        self._adapters = adapters
        self._ours = ours
        self._grace = grace_seconds
        self._retry = retry_seconds

    async def run(self) -> None:
        """Post what is due until cancelled."""
        while True:
            try:
                await self.post_due()
            except CitewellError as error:
                log.warning("digests_unavailable", reason=str(error))
            await asyncio.sleep(IDLE_SECONDS)

    async def post_due(self) -> None:
        """Post it, or put it off. Raises only what the store raises."""
        digest = await self._digests.due()
        if digest is None or not self._ours(digest):
            return
        adapter = self._adapters.get(digest.platform)
        if adapter is None:
            await self._digests.postpone(digest, ABSENT_SECONDS)
            return
        try:
            await self._post(digest, adapter)
        except (Unavailable, Misconfigured) as error:
            log.warning("digest_not_posted_yet", week=digest.week, reason=str(error))
            await self._digests.postpone(digest, pause_after(error, self._retry))
        except Exception:  # a digest that cannot be posted stops nothing else
            again = await self._digests.refused(digest, self._retry * 2.0 ** (digest.attempt + 1))
            log.exception("digest_refused" if again else "digest_given_up", week=digest.week)

    async def _post(self, digest: Digest, adapter: PlatformAdapter) -> None:
        if digest.posting_since:
            if (wait := grace_left(digest.posting_since, self._grace)) > 0:
                await self._digests.postpone(digest, wait)
                return
            if found := await adapter.find_digest(digest):
                await self._digests.posted(digest, found)
                return
        readers = await adapter.digest_readers(digest)
        if readers.external:
            raise Refused(f"guests or people of other organisations read {digest.to}")
        seen = await self._desk.insights_for(readers, DAYS)
        await adapter.post_digest(digest, seen, await self._words(digest), _Receipt(self._digests, digest))

    async def _words(self, digest: Digest) -> Words:
        """In the language of the person or of the channel."""
        if digest.personal:
            space = digest.space if digest.platform == "slack" else ""
            return await self._desk.words(str(PersonId(platform=digest.platform, space=space, user=digest.target)))
        return speaking((await self._desk.places.of(PlaceId.parse(digest.to).chain)).language)


class _Receipt:
    def __init__(self, digests: SQLDigests, digest: Digest) -> None:
        self._digests = digests
        self._digest = digest

    async def posting(self) -> None:
        await self._digests.posting(self._digest)

    async def posted(self, reference: str) -> None:
        await self._digests.posted(self._digest, reference)


@asynccontextmanager
async def digests_posted(poster: DigestPoster) -> AsyncIterator[None]:
    """Post digests while the block is open."""
    posting = asyncio.create_task(poster.run(), name="digests")
    try:
        yield
    finally:
        posting.cancel()
        await asyncio.gather(posting, return_exceptions=True)
