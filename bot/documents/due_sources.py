"""The sources of `[[sources]]` are kept up to date while `citewell run` is up, each at its own pace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog

from bot.config.tables import SourceTable
from bot.documents.sync import Sync
from bot.log import failures_logged
from storage.documents.sources import SQLSourceLooks

SETTLING = 60.0
"""Seconds before the first look: answering comes first, and a crash loop does not do it again and again."""
EVERY = 60.0
"""Seconds between two looks at what is due."""

log = structlog.get_logger(__name__)


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
