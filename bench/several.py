"""A number of `citewell run` under the load of people who ask on Slack's double, and what each answer costs."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple

import psutil
import psycopg

from bench.load import ROOT, OnSlack, crowd, spent
from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.slack.server import SlackServer

WARM, ALONE, STEADY = 20, 100, 400
EVENTS_PER_SECOND, FLOOD_SECONDS = 200, 3
SETTLE_SECONDS = int(os.environ.get("SCALE_SETTLE", "600"))
"""How long a process may work at most, after its start, until it is asked: Chroma is filled then."""
IDLE = 20.0
"""Percent of a core that a process uses at most which waits for questions."""
SAMPLE_SECONDS = 0.05
WAITS = """
    SELECT count(*) FILTER (WHERE wait_event_type IN ('Lock', 'LWLock')),
        count(*) FILTER (WHERE wait_event_type = 'IO'), count(*)
    FROM pg_stat_activity WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid()
"""


@dataclass(frozen=True)
class Setup:
    """A database, and how many processes answer from it."""

    name: str
    processes: int
    environment: Mapping[str, str]
    database: str = ""
    """The address of PostgreSQL's."""
    server: int = 0
    """The number of its process."""


class Measured(NamedTuple):
    """Milliseconds, and shares of the whole."""

    p50: float
    p95: float
    per_second: float
    processor: float
    """Milliseconds of processor time for each answer, of all of ours."""
    served: float
    """The same of the database's server."""
    megabytes: float
    """Resident in each of ours, on average."""
    busy: float
    """Of all cores."""
    locked: float
    """Of the server's sessions at work, those that wait for a lock."""
    disk: float
    """Of the same, those that wait for the disk."""
    acknowledged: float
    """The 99th percentile under `EVENTS_PER_SECOND` events."""


class Load(OnSlack):
    """People who ask the made-up library."""

    def __init__(self, slack: SlackServer, questions: Sequence[str]) -> None:
        super().__init__(slack)
        self.questions = questions

    async def say(self, number: int, text: str) -> object:
        return await super().say(number, self.questions[number % len(self.questions)])

    async def flood(self) -> float:
        """Ask so often that nobody could answer; the 99th percentile of the acknowledgements, once all is answered."""
        self.people.latencies.clear()
        began, asking = time.perf_counter(), []
        for number in range(EVENTS_PER_SECOND * FLOOD_SECONDS):
            await asyncio.sleep(max(0.0, began + number / EVENTS_PER_SECOND - time.perf_counter()))
            asking.append(asyncio.create_task(self.ask()))
        await asyncio.gather(*asking)
        return 1000 * statistics.quantiles(self.people.latencies, n=100)[-1]


async def measured(setup: Setup, questions: Sequence[str]) -> Measured:
    async with SlackServer(granted()) as slack:
        load = Load(slack, questions)
        async with bots(load, setup) as running:
            return await _measured(load, running, setup)


async def _measured(load: Load, running: Sequence[psutil.Process], setup: Setup) -> Measured:
    for _ in range(WARM):
        await load.ask()
    alone = statistics.quantiles([await load.ask() for _ in range(ALONE)], n=20)
    psutil.cpu_percent()
    began, used, served = time.perf_counter(), sum(map(spent, running)), serving(setup)
    with waits(setup.database) as sampled:
        await crowd(load, STEADY)
    seconds = time.perf_counter() - began
    busy, each = psutil.cpu_percent(), 1000 / STEADY
    used, served = sum(map(spent, running)) - used, serving(setup) - served
    load.forget()
    acknowledged = await load.flood()
    locks, disk, active = map(sum, zip(*sampled, strict=True)) if sampled else (0, 0, 0)
    return Measured(
        p50=alone[9],
        p95=alone[18],
        per_second=STEADY / seconds,
        processor=used * each,
        served=served * each,
        megabytes=statistics.mean(process.memory_info().rss for process in running) / 1e6,
        busy=busy / 100,
        locked=locks / active if active else 0.0,
        disk=disk / active if active else 0.0,
        acknowledged=acknowledged,
    )


def serving(setup: Setup) -> float:
    """Seconds that the database's server has worked, sessions that have ended included."""
    if not setup.server:
        return 0.0
    server, total = psutil.Process(setup.server), 0.0
    for process in server.children():
        with suppress(psutil.NoSuchProcess):
            total += spent(process)
    return total + sum(server.cpu_times()[2:4])


@contextmanager
def waits(database: str) -> Iterator[list[tuple[int, int, int]]]:
    """What the server's sessions at work waited for, looked at again and again: for a lock, for the disk, and all."""
    sampled: list[tuple[int, int, int]] = []
    if not database:
        yield sampled
        return

    async def look() -> None:
        async with await psycopg.AsyncConnection.connect(database, autocommit=True) as watching:
            while True:
                row = await (await watching.execute(WAITS)).fetchone()
                assert row
                sampled.append((row[0], row[1], row[2]))
                await asyncio.sleep(SAMPLE_SECONDS)

    looking = asyncio.create_task(look())
    try:
        yield sampled
    finally:
        looking.cancel()


@asynccontextmanager
async def bots(load: Load, setup: Setup) -> AsyncIterator[list[psutil.Process]]:
    environment = {
        **os.environ,
        "CITEWELL_MODEL": "extractive",
        "CITEWELL_BACKUP_HOURS": "0",
        **load.environment,
        **setup.environment,
    }
    quiet = asyncio.subprocess.DEVNULL
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run"), env=environment, cwd=ROOT, stdout=quiet, stderr=quiet
        )
        for _ in range(setup.processes)
    ]
    try:
        await until(lambda: len(load.slack.sockets) == 2 * setup.processes, seconds=120)
        running = [psutil.Process(one.pid) for one in started]
        await settled(running)
        yield running
    finally:
        for one in started:
            one.terminate()
        await asyncio.gather(*(one.wait() for one in started))


async def settled(running: Sequence[psutil.Process]) -> None:
    """Wait until nothing is left to do, such as filling Chroma; says so where that takes longer than it may."""
    end = time.monotonic() + SETTLE_SECONDS
    for process in running:
        while await asyncio.to_thread(process.cpu_percent, 2.0) > IDLE:
            if time.monotonic() > end:
                print(f"still at work {SETTLE_SECONDS} s after its start")
                return
