"""`make bench-scale`: `citewell run` over a made-up library, on SQLite and on PostgreSQL with several processes.

Slack's double asks over Socket Mode and hands each event to one of the processes. Prints for each size one table, and
how the time of an answer grows with the size. SCALE_SIZES=10000,100000 and SCALE_PROCESSES=1,2,4 choose what is run."""

from __future__ import annotations

import asyncio
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil
import psycopg

from adapters.models.minilm.embedder import MiniLM
from bench.load import AT_ONCE, ROOT, OnSlack
from bench.synthetic import Corpus
from storage.open import open_storage
from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.postgres import Server, postgres_server
from tests.doubles.slack.server import SlackServer

SIZES = [int(size) for size in os.environ.get("SCALE_SIZES", "10000,100000").split(",")]
PROCESSES = [int(count) for count in os.environ.get("SCALE_PROCESSES", "1,2,4").split(",")]
WARM, ALONE, STEADY = 20, 100, 400
EVENTS_PER_SECOND, FLOOD_SECONDS = 200, 3
SERVER = {"shared_buffers": "1GB", "max_connections": "100", "maintenance_work_mem": "1GB"}
SAMPLE_SECONDS = 0.05
ACKNOWLEDGED = f"ack p99 at {EVENTS_PER_SECOND}/s, ms"
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


class Measured(NamedTuple):
    """Milliseconds, and shares of the whole."""

    p50: float
    p95: float
    per_second: float
    processor: float
    """Milliseconds of processor time for each answer, of all processes."""
    busy: float
    """Of all cores."""
    locked: str
    """Of the server's sessions at work, those that wait for a lock / for the disk."""
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


async def measure(load: Load, running: Sequence[psutil.Process], setup: Setup) -> Measured:
    for _ in range(WARM):
        await load.ask()
    alone = statistics.quantiles([await load.ask() for _ in range(ALONE)], n=20)
    psutil.cpu_percent()
    began, used = time.perf_counter(), sum(map(spent, running))
    with waits(setup.database) as sampled:
        await asyncio.gather(*(repeatedly(load) for _ in range(AT_ONCE)))
    seconds = time.perf_counter() - began
    busy, processor = psutil.cpu_percent(), sum(map(spent, running)) - used
    load.forget()
    acknowledged = await load.flood()
    locks, disk, active = map(sum, zip(*sampled, strict=True)) if sampled else (0, 0, 0)
    locked = f"{locks / active:.0%} / {disk / active:.0%}" if active else "-"
    return Measured(alone[9], alone[18], STEADY / seconds, 1000 * processor / STEADY, busy / 100, locked, acknowledged)


async def repeatedly(load: Load) -> None:
    for _ in range(STEADY // AT_ONCE):
        await load.ask()


def spent(process: psutil.Process) -> float:
    return float(sum(process.cpu_times()[:2]))


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
    environment = {**os.environ, "CITEWELL_MODEL": "extractive", **load.environment, **setup.environment}
    quiet = asyncio.subprocess.DEVNULL
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run"), env=environment, cwd=ROOT, stdout=quiet, stderr=quiet
        )
        for _ in range(setup.processes)
    ]
    try:
        await until(lambda: len(load.slack.sockets) == 2 * setup.processes, seconds=120)
        yield [psutil.Process(one.pid) for one in started]
    finally:
        for one in started:
            one.terminate()
        await asyncio.gather(*(one.wait() for one in started))


async def fill(size: int, folder: Path, database: str = "") -> list[str]:
    corpus = Corpus(size)
    began = time.perf_counter()
    async with open_storage(folder, database=database) as storage:
        await corpus.fill(storage.library, MiniLM.name)
    print(f"{size:,} passages put into {'PostgreSQL' if database else 'SQLite'}: {time.perf_counter() - began:.0f} s")
    return corpus.questions(1000)


async def sized(size: int, server: Server, folder: Path) -> dict[str, Measured]:
    with server.database() as database:
        embedded = {"CITEWELL_DATA": str(folder / f"{size}")}
        setups = [Setup("SQLite, 1 process", 1, embedded)]
        for count in PROCESSES:
            shared = {"CITEWELL_DATA": str(folder / f"{size}-shared"), "CITEWELL_DATABASE": database}
            plural = "" if count == 1 else "es"
            setups.append(Setup(f"PostgreSQL, {count} process{plural}", count, shared, database))
        questions = await fill(size, folder / f"{size}")
        await fill(size, folder / f"{size}-shared", database)
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("ANALYZE")
        measured = {}
        for setup in setups:
            async with AsyncExitStack() as stack:
                load = Load(await stack.enter_async_context(SlackServer(granted())), questions)
                running = await stack.enter_async_context(bots(load, setup))
                measured[setup.name] = await measure(load, running, setup)
        return measured


def show(size: int, measured: Mapping[str, Measured]) -> None:
    columns = "p50 / p95, ms", "answers/s", "processor, ms each", "cores busy", "lock / disk waits", ACKNOWLEDGED
    print(f"\n| {size:,} passages | {' | '.join(columns)} |\n|{' --- |' * 7}")
    for name, row in measured.items():
        print(
            f"| {name} | {row.p50:.0f} / {row.p95:.0f} | {row.per_second:.0f} | {row.processor:.0f} | {row.busy:.0%} |"
            f" {row.locked} | {row.acknowledged:.0f} |"
        )


def growth(tables: Mapping[int, Mapping[str, Measured]]) -> None:
    """The exponent b of time = a * passages^b for each setup, by least squares over the logarithms."""
    sizes = [math.log(size) for size in tables]
    for name in next(iter(tables.values())):
        line = statistics.linear_regression(sizes, [math.log(table[name].p50) for table in tables.values()])
        print(f"{name}: the median answer grows with the passages to the power of {line.slope:.2f}")


async def main() -> None:
    with postgres_server(SERVER) as server, tempfile.TemporaryDirectory(prefix="citewell-scale-") as folder:
        tables = {}
        for size in SIZES:
            tables[size] = await sized(size, server, Path(folder))
            show(size, tables[size])
        if len(tables) > 1:
            growth(tables)


if __name__ == "__main__":
    asyncio.run(main())
