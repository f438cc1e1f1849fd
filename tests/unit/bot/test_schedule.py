"""What is done by the clock is done however often the process is started anew."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from pathlib import Path

import apscheduler.schedulers.base
import pytest
from structlog.testing import capture_logs

from bot.run import schedule
from bot.run.schedule import Job, first_run_at, next_due, run_job, run_scheduler, scheduled_jobs
from bot.wiring import open_citewell
from pipeline.errors import Unavailable
from storage.settings import JobRuns
from storage.sqlite.database import SQLiteDatabase
from storage.sqlite.verify import read_contents
from tests.contracts.waiting import eventually, until
from tests.doubles.settings import extractive

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.fixture
async def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[JobRuns]:
    """Jobs begin at once, not within half a minute of each other."""
    monkeypatch.setattr(schedule, "JITTER_SECONDS", 0.01)
    database = await SQLiteDatabase.open(tmp_path / "citewell.db")
    yield JobRuns(database)
    await database.close()


@pytest.mark.parametrize(
    ("last", "due"),
    [
        (None, NOW + MINUTE),
        (NOW - 3 * DAY, NOW + MINUTE),
        (NOW - DAY, NOW + MINUTE),
        (NOW - timedelta(hours=20), NOW + timedelta(hours=4)),
        (NOW - timedelta(seconds=1), NOW + DAY - timedelta(seconds=1)),
        (NOW + 400 * DAY, NOW + DAY),
    ],
    ids=["never", "long ago", "a day ago", "not yet due", "just now", "the clock was wrong"],
)
def test_a_job_is_due_an_interval_after_its_last_end(last: datetime | None, due: datetime) -> None:
    assert first_run_at(last, DAY, NOW, MINUTE) == due


async def test_what_is_due_runs_at_the_start_and_not_at_the_next_one(runs: JobRuns) -> None:
    done: list[str] = []

    def jobs(*names: str) -> dict[str, Job]:
        async def work(name: str) -> None:
            done.append(name)

        return {name: Job(DAY, partial(work, name), "") for name in names}

    async def ended(*names: str) -> bool:
        now = datetime.now(UTC)
        return all([(last := await runs.last(name)) is not None and now - last.at < DAY for name in names])

    await runs.record("back up", datetime.now(UTC) - 2 * DAY)
    async with run_scheduler(jobs("back up", "forget"), runs, settling=timedelta()):
        await eventually(lambda: ended("back up", "forget"))
    assert sorted(done) == ["back up", "forget"]
    async with run_scheduler(jobs("back up", "forget", "new"), runs, settling=timedelta()):
        await eventually(lambda: ended("new"))
    assert sorted(done) == ["back up", "forget", "new"]


@pytest.mark.parametrize("jump", [timedelta(days=1), timedelta(days=365), -timedelta(days=1), -timedelta(days=365)])
async def test_a_clock_that_is_set_wrong_and_right_again_does_nothing_early_and_stops_no_job(
    runs: JobRuns, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    shift, seen = timedelta(), list[timedelta]()

    class Shifted(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + shift

    async def work() -> None:
        seen.append(shift)

    for module in (schedule, apscheduler.schedulers.base):
        monkeypatch.setattr(module, "datetime", Shifted)
    with capture_logs() as logs:
        jobs = {"forget": Job(timedelta(seconds=0.02), work, "")}
        async with run_scheduler(jobs, runs, settling=timedelta(), watch=0.02):
            for number, by in enumerate((timedelta(), jump, timedelta()), 1):
                shift = by
                del seen[:]
                await until(lambda: len(seen) > 2)
                assert len([log for log in logs if log["event"] == "clock_changed"]) == number - 1


async def test_what_was_due_while_the_machine_slept_is_done_when_it_wakes(
    runs: JobRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept, done, told = timedelta(), list[timedelta](), time.clock_gettime

    class Slept(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + slept

    async def work() -> None:
        done.append(slept)

    for module in (schedule, apscheduler.schedulers.base):
        monkeypatch.setattr(module, "datetime", Slept)
    monkeypatch.setattr(time, "clock_gettime", lambda clock: told(clock) + slept.total_seconds())
    await runs.record("back up", datetime.now(UTC))
    with capture_logs() as logs:
        async with run_scheduler({"back up": Job(DAY, work, "")}, runs, watch=0.02):
            slept = 2 * DAY
            await until(lambda: bool(done))
    assert [log["event"] for log in logs] == []


async def test_a_job_that_failed_says_why_and_is_due_at_the_next_start(runs: JobRuns) -> None:
    async def fail() -> None:
        raise OSError("no space left")

    async def failed() -> bool:
        last = await runs.last("back up")
        return last is not None and (last.failure, last.succeeded) == ("OSError", None)

    async with run_scheduler({"back up": Job(DAY, fail, "")}, runs, settling=timedelta()):
        await eventually(failed)
    assert next_due(await runs.last("back up"), DAY) is None


async def test_a_job_whose_end_could_not_be_kept_comes_again(runs: JobRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    ended = runs.record

    async def work() -> None:
        done.append("backed up")

    async def full(job: str, at: datetime, *, seconds: float = 0.0, failure: str = "") -> None:
        if len(done) < 3:
            raise Unavailable("storage", "the disk is full")
        await ended(job, at, seconds=seconds, failure=failure)

    async def kept() -> bool:
        return await runs.last("back up") is not None

    monkeypatch.setattr(runs, "record", full)
    async with run_scheduler({"back up": Job(timedelta(milliseconds=1), work, "")}, runs, settling=timedelta()):
        await eventually(kept)


async def test_a_failure_does_not_make_the_last_success_forgotten(runs: JobRuns) -> None:
    await runs.record("back up", NOW)
    await runs.record("back up", NOW + MINUTE, failure="the disk is full")
    last = await runs.last("back up")
    assert last
    assert (last.at, last.failure, last.succeeded) == (NOW + MINUTE, "the disk is full", NOW)
    assert next_due(last, DAY) == NOW + DAY


async def test_jobs_that_run_twice_at_once_and_in_two_processes_do_what_one_run_does(tmp_path: Path) -> None:
    settings = extractive(tmp_path / "data")
    (tmp_path / "leave.md").write_text("# Leave\n\nEmployees get 25 vacation days a year.\n")
    async with open_citewell(settings, exclusive=True) as one, open_citewell(settings) as other:
        await one.index([tmp_path / "leave.md"])
        (tmp_path / "leave.md").write_text("# Leave\n\nEmployees get 26 vacation days a year.\n")
        runs = JobRuns(one.storage.database)
        both = [(name, job) for citewell in (one, other) for name, job in scheduled_jobs(settings, citewell).items()]
        await asyncio.gather(*(run_job(name, job, runs) for name, job in both * 2))
        assert await one.storage.library.count() == 1
        assert "26" in (await other.answer("How many vacation days do employees get?")).body
        for name, _ in both:
            last = await runs.last(name)
            assert last
            assert not last.failure
    for copy in (tmp_path / "data" / "backups").glob("*.db"):
        assert read_contents(copy).documents == 1
