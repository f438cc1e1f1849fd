"""What is done by the clock is done however often the process is started anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from bot.schedule import Job, first_run, scheduled
from storage.database import Database
from storage.runs import JobRuns
from tests.contracts.waiting import eventually

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.fixture
async def runs(tmp_path: Path) -> AsyncIterator[JobRuns]:
    database = await Database.open(tmp_path / "citewell.db")
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
    assert first_run(last, DAY, NOW, MINUTE) == due


async def test_what_is_due_runs_at_the_start_and_not_at_the_next_one(runs: JobRuns) -> None:
    done: list[str] = []

    def jobs(*names: str) -> dict[str, Job]:
        async def work(name: str) -> None:
            done.append(name)

        return {name: Job(DAY, partial(work, name)) for name in names}

    async def ended(*names: str) -> bool:
        now = datetime.now(UTC)
        return all([(last := await runs.last(name)) is not None and now - last < DAY for name in names])

    await runs.ended("back up", datetime.now(UTC) - 2 * DAY)
    async with scheduled(jobs("back up", "forget"), runs, settling=timedelta()):
        await eventually(lambda: ended("back up", "forget"))
    assert sorted(done) == ["back up", "forget"]
    async with scheduled(jobs("back up", "forget", "new"), runs, settling=timedelta()):
        await eventually(lambda: ended("new"))
    assert sorted(done) == ["back up", "forget", "new"]


async def test_a_job_that_failed_is_due_at_the_next_start(runs: JobRuns) -> None:
    tried = asyncio.Event()

    async def fail() -> None:
        tried.set()
        raise OSError("no space left")

    async with asyncio.timeout(10):
        async with scheduled({"back up": Job(DAY, fail)}, runs, settling=timedelta()):
            await tried.wait()
    assert await runs.last("back up") is None
