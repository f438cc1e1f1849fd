"""Scheduled jobs of `citewell run`: sync, deletion, subscriptions, backups."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.log import log_failures
from bot.run.outbox_worker import queue_weekly_digest
from pipeline.errors import CitewellError
from storage.settings import JobRun, JobRuns

STARTUP_DELAY = timedelta(seconds=60)
"""Delay of jobs that are due at the start: answering comes first, and a crash loop does not run them again and again.
"""
JITTER_SECONDS = 30
WATCH_SECONDS = 60.0
CLOCK_SET_TOLERANCE = timedelta(hours=1)
"""Least difference between clock and elapsed time that counts as setting the clock: NTP moves it by less."""

log = structlog.get_logger(__name__)


class Job(NamedTuple):
    """Work that does no harm when it runs twice, or at the same time in two processes."""

    every: timedelta
    work: Callable[[], Awaitable[object]]
    purpose: str


def scheduled_jobs(settings: Settings, citewell: Citewell) -> dict[str, Job]:
    """Return the jobs, by name."""
    jobs = {
        "forget": Job(timedelta(hours=6), citewell.delete_expired, "erase what is older than its retention"),
        "tell": Job(
            timedelta(minutes=5),
            citewell.retry_subscriptions,
            "try again the questions that people wait for, if documents changed",
        ),
    }
    if settings.sync_minutes:
        every = timedelta(minutes=settings.sync_minutes)
        jobs["sync"] = Job(every, citewell.resync_paths, "sync files and folders that were indexed by path")
    if settings.backup_hours and not settings.database:
        jobs["backup"] = Job(timedelta(hours=settings.backup_hours), citewell.storage.back_up, "back up the database")
    if settings.digest:
        begin = partial(queue_weekly_digest, citewell.storage.outbox, settings.digest)
        jobs["digest"] = Job(timedelta(hours=6), begin, "post this week's digest of insights")
    return jobs


@asynccontextmanager
async def run_scheduler(
    jobs: Mapping[str, Job], runs: JobRuns, *, settling: timedelta = STARTUP_DELAY, watch: float = WATCH_SECONDS
) -> AsyncIterator[None]:
    """Run the jobs while the block is open.

    Each runs when its interval has passed since its last end, in whichever process; runs missed while no process ran,
    or this one could not, are made up for once.
    """
    now = datetime.now(UTC)
    first_runs = {
        name: first_run_at(_succeeded(await runs.last(name)), job.every, now, settling) for name, job in jobs.items()
    }
    plan = _Plan(jobs, runs)
    for name, at in first_runs.items():
        plan.put(name, at)
    watching = asyncio.create_task(plan.watch(watch), name="clock")
    try:
        yield
    finally:
        watching.cancel()
        plan.close()


class _Plan:
    """The next run of each job. Setting the clock makes none overdue: every job waits for its next interval."""

    def __init__(self, jobs: Mapping[str, Job], runs: JobRuns) -> None:
        self._jobs = jobs
        self._runs = runs
        defaults = {"misfire_grace_time": None, "max_instances": 2}  # two: a turn plans the next before it has ended
        self._scheduler = AsyncIOScheduler(timezone="UTC", job_defaults=defaults)
        self._scheduler.start()
        self._clock = datetime.now(UTC), _since_start()

    def put(self, name: str, at: datetime) -> None:
        spread = random.uniform(0, min(JITTER_SECONDS, self._jobs[name].every.total_seconds()))  # noqa: S311 - no secret
        at += timedelta(seconds=spread)
        self._scheduler.add_job(self._run_and_plan, "date", run_date=at, args=(name,), id=name, replace_existing=True)

    async def watch(self, every: float) -> None:
        """Check the clock: jobs planned for another year would never run, and those due while the machine slept would
        be as late as it slept."""
        while True:
            await asyncio.sleep(every)
            if not self._clock_was_set():
                self._scheduler.wakeup()

    def close(self) -> None:
        self._scheduler.shutdown(wait=False)

    async def _run_and_plan(self, name: str) -> None:
        if not self._clock_was_set():
            await _run(name, self._jobs[name], self._runs)
            self.put(name, datetime.now(UTC) + self._jobs[name].every)

    def _clock_was_set(self) -> bool:
        before, since = self._clock
        now, passed = self._clock = datetime.now(UTC), _since_start()
        shift = now - before - timedelta(seconds=passed - since)
        if abs(shift) <= CLOCK_SET_TOLERANCE:
            return False
        log.warning("clock_changed", by=str(shift))
        for name, job in self._jobs.items():
            self.put(name, now + job.every)
        return True


def _since_start() -> float:
    """Return seconds since this machine started, including sleep where the system counts it."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def first_run_at(last: datetime | None, every: timedelta, now: datetime, settling: timedelta) -> datetime:
    """Return when a job that last ended at `last` is due in a process that started at `now`."""
    soon = now + settling
    return soon if last is None else min(max(last + every, soon), now + every)


async def run_job(name: str, job: Job, runs: JobRuns) -> None:
    """Run a job now and record its end. Raises what it raises."""
    began, clock = datetime.now(UTC), time.monotonic()
    try:
        await job.work()
    except Exception as error:
        failure = str(error) if isinstance(error, CitewellError) else type(error).__name__
        await runs.record(name, began, seconds=time.monotonic() - clock, failure=failure)
        raise
    await runs.record(name, datetime.now(UTC), seconds=time.monotonic() - clock)


def next_due(last: JobRun | None, every: timedelta) -> datetime | None:
    """Return when a job is due; None: at once."""
    succeeded = _succeeded(last)
    return succeeded + every if succeeded else None


def _succeeded(last: JobRun | None) -> datetime | None:
    return last.succeeded if last else None


async def _run(name: str, job: Job, runs: JobRuns) -> None:
    with log_failures(log, "job_failed", job=name):  # also of keeping how it ended, where the disk is full
        await run_job(name, job, runs)
