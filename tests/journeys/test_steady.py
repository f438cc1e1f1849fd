"""`citewell run` on Slack while people ask five questions a second and documents are indexed beside: nothing grows.

`TRIALS=1440` is two hours of it."""

from __future__ import annotations

import asyncio
import statistics
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from bench.load import OnSlack, bot
from tests.contracts.slack_driver import granted
from tests.doubles.slack.server import SlackServer
from tests.trials import Count, trials

SECONDS, RATE = trials(5), 5
INDEX_EVERY = 5.0
MEMORY, GROWN = 400, 64
"""Megabytes: at most, and more at the end than after the first quarter, which caches take."""
FILES = 10
"""Files and connections more than after the first quarter, of those that come and go."""


class Held(NamedTuple):
    memory: int
    """MB"""
    files: int
    """Open files and connections."""


def held(process: psutil.Process) -> Held:
    return Held(process.memory_info().rss >> 20, process.num_fds())


async def index_on(process: psutil.Process, folder: Path) -> None:
    """Index a document that changes, again and again, into what `process` answers from."""
    for number in range(10**9):
        (folder / "news.md").write_text(f"# News\n\nNews {number}: the canteen has dish {number} today.\n")
        command = (sys.executable, "-m", "bot", "index", str(folder))
        indexing = await asyncio.create_subprocess_exec(*command, env=process.environ(), stdout=DEVNULL)
        try:
            assert await indexing.wait() == 0
        except asyncio.CancelledError:
            indexing.kill()
            await indexing.wait()
            raise
        await asyncio.sleep(INDEX_EVERY)


@pytest.mark.slow
@pytest.mark.timeout(2 * SECONDS + 120)
async def test_memory_files_and_connections_stay_flat_while_people_ask(tmp_path: Path, record_property: Count) -> None:
    seen: list[Held] = []
    async with SlackServer(granted()) as slack, asyncio.TaskGroup() as group:
        platform = OnSlack(slack)
        async with bot(platform) as process:
            indexing = group.create_task(index_on(process, tmp_path))
            asking: list[asyncio.Task[float]] = []
            for second in range(SECONDS):
                asking += [group.create_task(platform.ask()) for _ in range(RATE)]
                await asyncio.sleep(1)
                seen.append(held(process))
                if second % 100 == 99 and all(one.done() for one in asking[: -3 * RATE]):
                    slack.calls.clear()
            await asyncio.gather(*asking)
            indexing.cancel()
            await asyncio.wait({indexing})
    record_property("questions", len(asking))
    record_property("MB grown", round(grown([one.memory for one in seen])))
    assert max(one.memory for one in seen) < MEMORY
    assert grown([one.memory for one in seen]) < GROWN
    assert grown([one.files for one in seen]) < FILES


def grown(values: Sequence[int]) -> float:
    """How much more the middle value of the last quarter is than that of the second one."""
    quarter = max(1, len(values) // 4)
    return statistics.median(values[-quarter:]) - statistics.median(values[quarter : 2 * quarter])
