"""Syncs sources and records the outcomes; a failure of one stops no other."""

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
from bot.documents.indexing import Indexer, is_path_source
from bot.log import log_failures
from pipeline.errors import CitewellError, Refused
from pipeline.ingest.ingest import IngestEvent, IngestSummary
from pipeline.ports import DocumentSource
from pipeline.values import replace
from storage.documents.source_state import SQLSourceMemory, SQLSyncOutcomes, SyncOutcome
from storage.folder import FolderLock
from storage.open import Storage

# --- A sync ---------------------------------------------------------------------------------------

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class SourceSync:
    default_collection: str
    storage: Storage
    indexer: Indexer
    denied_keep_days: int = 30
    """Days that the documents of a source are kept after it denies all access."""

    async def sync_table(
        self, table: SourceTable, on_event: Callable[[IngestEvent], None] = lambda _: None, *, losing: bool = False
    ) -> IngestSummary:
        """Sync the source of a table. Without `losing`, most of its documents are kept if they are gone, and the
        summary names them.

        Raises Refused while another process syncs it or when the folder is missing, Misconfigured without its secret,
        and Unavailable when the library or the service is.
        """
        collection = table.collection or self.default_collection

        async def work() -> IngestSummary:
            if isinstance(table, FolderTable):
                return await self.indexer.resync(Path(table.source_id), collection, on_event, losing=losing)
            async with self._open(table) as source:
                return await self.indexer.sync_source(source, collection, on_event, losing=losing)

        return await self._run_and_record(table.source_id, work)

    async def check_token(self, table: SourceTable) -> None:
        """Raise Misconfigured when the source of a table, other than a folder, lacks the secret it needs."""
        async with self._open(table):
            pass

    async def sync_path(self, place: Path) -> IngestSummary:
        """Sync a file or folder that is in no table. Raises as `sync_table`."""
        return await self._run_and_record(place.as_posix(), lambda: self.indexer.resync(place))

    async def sync_unattended(self, source: str, work: Callable[[], Awaitable[IngestSummary]]) -> None:
        """Sync in the background: the outcome and failures are logged."""
        with log_failures(log, "sync_failed", source=source):
            summary = await work()
            outcome = _make_outcome(summary)
            log.info("source_synced", source=source, **outcome.model_dump(exclude={"kept", "problem"}))
            for label, forms in summary.keys:
                log.warning("keys_in_document", source=source, document=label, forms=", ".join(forms))
            if outcome.problem:
                log.warning("sync_incomplete", source=source, reason=outcome.problem)
            if outcome.kept:
                how = f"index {source}" if is_path_source(source) else f"sources sync {source.partition(':')[2]} --yes"
                log.warning(
                    "documents_not_removed",
                    source=source,
                    documents=outcome.kept,
                    what_to_do=f"They are gone from the source. To forget them: citewell {how}",
                )

    async def delete_retained(self, table: SourceTable, summary: IngestSummary) -> IngestSummary:
        """Delete the documents that a sync has kept. Return the new summary."""
        removed = await self.storage.library.remove_documents(summary.kept)
        after = replace(summary, kept=(), removed=removed)
        await SQLSyncOutcomes(self.storage.database).record(table.source_id, _make_outcome(after))
        return after

    async def forget(self, source: str) -> int:
        """Delete a source and all of its documents; returns how many there were. Raises Refused while it is synced."""
        with self._locked(source):
            removed = await self.storage.library.remove_documents((await self.storage.library.versions(source)).keys())
            await self.storage.library.forget_sources([source])
            await SQLSyncOutcomes(self.storage.database).forget(source)
            shutil.rmtree(self._source_folder(source), ignore_errors=True)
        return removed

    async def _run_and_record(self, source: str, work: Callable[[], Awaitable[IngestSummary]]) -> IngestSummary:
        outcomes = SQLSyncOutcomes(self.storage.database)
        with self._locked(source):
            try:
                summary = await work()
            except CitewellError as error:
                await outcomes.record(
                    source,
                    SyncOutcome(problem=str(error), denied=await self._denied_since(source, outcomes, IngestSummary())),
                )
                raise
            denied = await self._denied_since(source, outcomes, summary)
            if denied and datetime.now(UTC) - denied > timedelta(days=self.denied_keep_days):
                removed = await self.storage.library.remove_documents(
                    (await self.storage.library.versions(source)).keys()
                )
                summary = replace(summary, removed=removed)
            await outcomes.record(source, replace(_make_outcome(summary), denied=denied))
        return summary

    async def _denied_since(self, source: str, outcomes: SQLSyncOutcomes, summary: IngestSummary) -> datetime | None:
        """Return the time since which the source denies all access; a sync that failed for another reason does not
        reset it."""
        _, previous = (await outcomes.last()).get(source, (None, SyncOutcome()))
        if summary.denied:
            return previous.denied or datetime.now(UTC)
        return previous.denied if await self.storage.library.is_withheld(source) else None

    @contextmanager
    def _locked(self, source: str) -> Iterator[None]:
        lock = FolderLock(self._source_folder(source).with_suffix(".lock"))
        if not lock.acquire():
            raise Refused(f"{source} is being synced already", what_to_do="Wait until that has ended.")
        try:
            yield
        finally:
            lock.release()

    def _open(self, table: SourceTable) -> AbstractAsyncContextManager[DocumentSource]:
        """Open the source of a table that is no folder. Raises as `open_source`."""
        from bot.documents.sources import open_source

        memory = SQLSourceMemory(self.storage.database, table.source_id)
        return open_source(table, memory, self.indexer.reader, self._source_folder(table.source_id))

    def _source_folder(self, source: str) -> Path:
        """Return the folder for the source's files; it may be missing."""
        folder = self.storage.folder / "sources"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder / sha256(source.encode()).hexdigest()[:16]


def _make_outcome(summary: IngestSummary) -> SyncOutcome:
    return SyncOutcome(
        added=summary.added,
        changed=summary.changed,
        removed=summary.removed,
        failed=len(summary.failed) - bool(summary.unreached),
        kept=len(summary.kept),
        problem=summary.unreached,
    )


# --- Each source at its own pace, while `citewell run` is up --------------------------------------

SYNC_DELAY_SECONDS = 60.0
"""Seconds before the first sync: answering comes first, and a crash loop does not sync again and again."""
DUE_CHECK_SECONDS = 60.0
"""Seconds between two checks for due sources."""


def next_sync_at(table: SourceTable, last: datetime | None, every_minutes: int) -> datetime | None:
    """Return when a source is due after its last sync: at once if there was none; None: never by itself."""
    every = every_minutes if table.every_minutes is None else table.every_minutes
    if not every:
        return None
    return last + timedelta(minutes=every) if last else datetime.min.replace(tzinfo=UTC)


@asynccontextmanager
async def sync_periodically(
    sync: SourceSync,
    tables: Callable[[], Sequence[SourceTable]],
    every_minutes: int,
    *,
    settling: float = SYNC_DELAY_SECONDS,
    every: float = DUE_CHECK_SECONDS,
) -> AsyncIterator[None]:
    """Sync due sources while the block is open.

    `tables` is called anew each time, so changes count without a restart.
    """
    task = asyncio.create_task(_keep_fresh(sync, tables, every_minutes, settling, every), name="sources")
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _keep_fresh(
    sync: SourceSync, tables: Callable[[], Sequence[SourceTable]], every_minutes: int, settling: float, every: float
) -> None:
    running: dict[str, asyncio.Task[None]] = {}
    await asyncio.sleep(settling)
    async with asyncio.TaskGroup() as group:
        while True:
            # before what is due is read: one that ends while it is being read is not taken for due again
            running = {source: task for source, task in running.items() if not task.done()}
            due: list[SourceTable] = []
            with log_failures(log, "sources_not_read"):  # what cannot be read now is read the next time
                due = await _due(sync, tables(), every_minutes)
            for table in due:
                if table.source_id not in running:
                    work = sync.sync_unattended(table.source_id, partial(sync.sync_table, table))
                    running[table.source_id] = group.create_task(work)
            await asyncio.sleep(every)


async def _due(sync: SourceSync, tables: Sequence[SourceTable], every_minutes: int) -> list[SourceTable]:
    last = await SQLSyncOutcomes(sync.storage.database).last()
    now = datetime.now(UTC)
    due = []
    for table in tables:
        last_sync = last.get(table.source_id, (None,))[0]
        moment = next_sync_at(table, last_sync, every_minutes)
        if moment and (moment <= now or (last_sync and last_sync > now)):  # in the future: by a clock that was wrong
            due.append(table)
    return due
