"""What happens by the clock while `citewell run` is up: sync, forgetting, checking the index, backups."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.citewell import Citewell
from bot.settings import Settings
from storage.runs import JobRuns

SETTLING = timedelta(seconds=60)
"""What is due at the start waits so long: answering comes first, and a crash loop does not do it again and again."""
JITTER_SECONDS = 30

log = structlog.get_logger(__name__)


class Job(NamedTuple):
    every: timedelta
    work: Callable[[], Awaitable[object]]


def jobs_of(settings: Settings, citewell: Citewell) -> dict[str, Job]:
    """What is to be done how often, by name."""
    jobs = {
        "forget old turns": Job(timedelta(hours=6), citewell.forget_old),
    }
    if settings.sync_minutes:
        jobs["sync documents"] = Job(timedelta(minutes=settings.sync_minutes), citewell.sync)
    if settings.backup_hours:
        jobs["back up"] = Job(timedelta(hours=settings.backup_hours), citewell.storage.back_up)
    return jobs


@asynccontextmanager
async def scheduled(jobs: Mapping[str, Job], runs: JobRuns, *, settling: timedelta = SETTLING) -> AsyncIterator[None]:
    """Run the jobs while the block is open.

    Each runs when its interval has passed since it last came to an end, in whichever process; what was missed while
    none ran, or while this one could not, is made up for once."""
    scheduler = AsyncIOScheduler(
        timezone="UTC", job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    )
    for name, job in jobs.items():
        scheduler.add_job(
            _guarded(name, job, runs),
            "interval",
            id=name,
            seconds=job.every.total_seconds(),
            jitter=JITTER_SECONDS,
            next_run_time=first_run(await runs.last(name), job.every, datetime.now(UTC), settling),
        )
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)


def first_run(last: datetime | None, every: timedelta, now: datetime, settling: timedelta) -> datetime:
    """When a job that last ended at `last` is due in a process that started `now`."""
    soon = now + settling
    return soon if last is None else min(max(last + every, soon), now + every)


def _guarded(name: str, job: Job, runs: JobRuns) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        try:
            await job.work()
            await runs.ended(name, datetime.now(UTC))
        except Exception:  # a job that fails today runs again tomorrow
            log.exception("job_failed", job=name)

    return run
