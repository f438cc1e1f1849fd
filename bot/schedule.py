"""What happens by the clock while `citewell run` is up: sync, forgetting, checking the index, backups."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.citewell import Citewell
from bot.settings import Settings

GRACE_SECONDS = 3600
"""A job that could not start on time still starts within an hour; missed runs are made up for once."""

log = structlog.get_logger(__name__)


@asynccontextmanager
async def scheduled(settings: Settings, citewell: Citewell) -> AsyncIterator[None]:
    """Run the jobs while the block is open."""
    scheduler = AsyncIOScheduler(
        timezone="UTC", job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": GRACE_SECONDS}
    )

    def every(name: str, job: Callable[[], Awaitable[object]], **interval: int) -> None:
        scheduler.add_job(_guarded(name, job), "interval", id=name, jitter=30, **interval)

    if settings.sync_minutes:
        every("sync documents", citewell.sync, minutes=settings.sync_minutes)
    every("forget old turns", citewell.forget_old, hours=6)
    every("check the index", citewell.storage.index.reconcile, hours=24)
    if settings.backup_hours:
        every("back up", citewell.storage.back_up, hours=settings.backup_hours)
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)


def _guarded(name: str, job: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        try:
            await job()
        except Exception:  # a job that fails today runs again tomorrow
            log.exception("job_failed", job=name)

    return run
