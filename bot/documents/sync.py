"""Sources are brought up to date; how that ended is kept, and one that goes wrong stops no other."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path

import structlog

from bot.config.tables import FolderTable, SourceTable
from bot.documents.indexing import Indexer, is_path
from bot.log import failures_logged
from pipeline.errors import CitewellError, Refused
from pipeline.ingest.ingest import Event, Summary
from pipeline.ports import DocumentSource
from pipeline.values import replace
from storage.documents.sources import SourceLook, SQLSourceLooks, SQLSourceMemory
from storage.folder import Lock
from storage.open import Storage

# --- A sync ---------------------------------------------------------------------------------------

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Sync:
    default_collection: str
    storage: Storage
    indexer: Indexer
    keep_days: int = 30
    """For so long the documents of a source are kept that lets us read nothing any more."""

    async def table(
        self, table: SourceTable, on_event: Callable[[Event], None] = lambda _: None, *, losing: bool = False
    ) -> Summary:
        """Bring the source of a table up to date. Without `losing`, it is not emptied and does not lose most of its
        documents: the summary names what was kept.

        Raises Refused while another process does the same or when there is no such folder, Misconfigured without its
        secret, and Unavailable when the library or the service is."""
        collection = table.collection or self.default_collection

        async def work() -> Summary:
            if isinstance(table, FolderTable):
                return await self.indexer.look_again(Path(table.source), collection, on_event, losing=losing)
            async with self._open(table) as source:
                return await self.indexer.take_in(source, collection, on_event, losing=losing)

        return await self._kept(table.source, work)

    async def check(self, table: SourceTable) -> None:
        """Raises Misconfigured where the source of a table, that is no folder, has not the secret that it needs."""
        async with self._open(table):
            pass

    async def path(self, place: Path) -> Summary:
        """Bring a file or folder up to date that is in no table. Raises as `table`."""
        return await self._kept(place.as_posix(), lambda: self.indexer.look_again(place))

    async def unwatched(self, source: str, work: Callable[[], Awaitable[Summary]]) -> None:
        """Sync while nobody watches: whatever happens is logged."""
        with failures_logged(log, "not_synced", source=source):
            summary = await work()
            look = _look(summary)
            log.info("synced", source=source, **look.model_dump(exclude={"kept", "problem"}))
            for label, forms in summary.keys:
                log.warning("keys_in_document", source=source, document=label, forms=", ".join(forms))
            if look.problem:
                log.warning("not_all_synced", source=source, reason=look.problem)
            if look.kept:
                how = f"index {source}" if is_path(source) else f"sources sync {source.partition(':')[2]} --yes"
                log.warning(
                    "documents_kept",
                    source=source,
                    documents=look.kept,
                    what_to_do=f"They are gone from the source. To forget them: citewell {how}",
                )

    async def let_go(self, table: SourceTable, summary: Summary) -> Summary:
        """Forget what a sync has kept; the summary as it is then."""
        removed = await self.storage.library.remove(summary.kept)
        after = replace(summary, kept=(), removed=removed)
        await SQLSourceLooks(self.storage.database).ended(table.source, _look(after))
        return after

    async def forget(self, source: str) -> int:
        """Forget a source and all of its documents; returns how many there were. Raises Refused while it is synced."""
        with self._alone(source):
            removed = await self.storage.library.remove((await self.storage.library.versions(source)).keys())
            await self.storage.library.release([source])
            await SQLSourceLooks(self.storage.database).forget(source)
            shutil.rmtree(self._clone(source), ignore_errors=True)
        return removed

    async def _kept(self, source: str, work: Callable[[], Awaitable[Summary]]) -> Summary:
        looks = SQLSourceLooks(self.storage.database)
        with self._alone(source):
            try:
                summary = await work()
            except CitewellError as error:
                await looks.ended(
                    source, SourceLook(problem=str(error), denied=await self._denied(source, looks, Summary()))
                )
                raise
            denied = await self._denied(source, looks, summary)
            if denied and datetime.now(UTC) - denied > timedelta(days=self.keep_days):
                removed = await self.storage.library.remove((await self.storage.library.versions(source)).keys())
                summary = replace(summary, removed=removed)
            await looks.ended(source, replace(_look(summary), denied=denied))
        return summary

    async def _denied(self, source: str, looks: SQLSourceLooks, summary: Summary) -> datetime | None:
        """Since when the source lets us read nothing; a look that failed otherwise does not begin that anew."""
        _, before = (await looks.last()).get(source, (None, SourceLook()))
        if summary.denied:
            return before.denied or datetime.now(UTC)
        return before.denied if await self.storage.library.withheld(source) else None

    @contextmanager
    def _alone(self, source: str) -> Iterator[None]:
        lock = Lock(self._clone(source).with_suffix(".lock"))
        if not lock.acquire():
            raise Refused(f"{source} is being synced already", what_to_do="Wait until that has ended.")
        try:
            yield
        finally:
            lock.release()

    def _open(self, table: SourceTable) -> AbstractAsyncContextManager[DocumentSource]:
        """The source of a table that is no folder. Raises as `open_source`."""
        from bot.documents.sources import open_source

        memory = SQLSourceMemory(self.storage.database, table.source)
        return open_source(table, memory, self.indexer.reader, self._clone(table.source))

    def _clone(self, source: str) -> Path:
        """A folder for what the source keeps in files; it need not be there."""
        folder = self.storage.folder / "sources"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder / sha256(source.encode()).hexdigest()[:16]


def _look(summary: Summary) -> SourceLook:
    return SourceLook(
        added=summary.added,
        changed=summary.changed,
        removed=summary.removed,
        failed=len(summary.failed) - bool(summary.unreached),
        kept=len(summary.kept),
        problem=summary.unreached,
    )


# --- Each source at its own pace, while `citewell run` is up --------------------------------------

SETTLING = 60.0
"""Seconds before the first look: answering comes first, and a crash loop does not do it again and again."""
EVERY = 60.0
"""Seconds between two looks at what is due."""


def due_at(table: SourceTable, last: datetime | None, every_minutes: int) -> datetime | None:
    """When a source is due that was last looked at then: at once where it never was; None: never by itself."""
    every = every_minutes if table.every_minutes is None else table.every_minutes
    if not every:
        return None
    return last + timedelta(minutes=every) if last else datetime.min.replace(tzinfo=UTC)


@asynccontextmanager
async def kept_fresh(
    sync: Sync,
    tables: Callable[[], Sequence[SourceTable]],
    every_minutes: int,
    *,
    settling: float = SETTLING,
    every: float = EVERY,
) -> AsyncIterator[None]:
    """Sync what is due while the block is open. `tables` are read anew each time: what is added or removed meanwhile
    counts without a restart."""
    task = asyncio.create_task(_keep_fresh(sync, tables, every_minutes, settling, every), name="sources")
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _keep_fresh(
    sync: Sync, tables: Callable[[], Sequence[SourceTable]], every_minutes: int, settling: float, every: float
) -> None:
    running: dict[str, asyncio.Task[None]] = {}
    await asyncio.sleep(settling)
    async with asyncio.TaskGroup() as group:
        while True:
            # before what is due is read: one that ends while it is being read is not taken for due again
            running = {source: task for source, task in running.items() if not task.done()}
            due: list[SourceTable] = []
            with failures_logged(log, "sources_not_read"):  # what cannot be read now is read the next time
                due = await _due(sync, tables(), every_minutes)
            for table in due:
                if table.source not in running:
                    work = sync.unwatched(table.source, partial(sync.table, table))
                    running[table.source] = group.create_task(work)
            await asyncio.sleep(every)


async def _due(sync: Sync, tables: Sequence[SourceTable], every_minutes: int) -> list[SourceTable]:
    last = await SQLSourceLooks(sync.storage.database).last()
    now = datetime.now(UTC)
    due = []
    for table in tables:
        looked = last.get(table.source, (None,))[0]
        moment = due_at(table, looked, every_minutes)
        if moment and (moment <= now or (looked and looked > now)):  # in the future: by a clock that was wrong
            due.append(table)
    return due
