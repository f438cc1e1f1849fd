"""`make bench-scale`: `citewell run` over a made-up library, on SQLite and on PostgreSQL with several processes.

Slack's double asks over Socket Mode and hands each event to one of the processes. Prints for each size one table, the
medians of SCALE_ROUNDS (3) rounds in which all setups take turns with the standard deviation of each, and how an answer
grows with the size. SCALE_SIZES=10000,100000 and SCALE_PROCESSES=1,2,4 choose what is run; with SCALE_DATA=folder what
was filled stays there and is used again, and SCALE_FILL=1 only fills it."""

from __future__ import annotations

import asyncio
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.figures import spread
from bench.filling import fill
from bench.run import MEMORY
from bench.run import measured as alone
from bench.searches import show_searches
from bench.several import EVENTS_PER_SECOND, Measured, Setup, measured
from bench.synthetic import Corpus
from tests.doubles.postgres import Server, postgres_server

SIZES = [int(size) for size in os.environ.get("SCALE_SIZES", "10000,100000").split(",")]
PROCESSES = [int(count) for count in os.environ.get("SCALE_PROCESSES", "1,2,4").split(",")]
ROUNDS = int(os.environ.get("SCALE_ROUNDS", "3"))
FILL_ONLY = bool(os.environ.get("SCALE_FILL"))
QUESTIONS = 1000
LARGE = 100_000_000
"""Passages to which the lines are drawn."""
SERVER = {"shared_buffers": "2GB", "max_connections": "100", "max_wal_size": "4GB"}
COLUMNS = (
    "p50 / p95, ms",
    "answers/s",
    "processor: ours + database's, ms each",
    "memory of each, MB",
    "of all cores busy, %",
    "of the server's work waits for locks / the disk, %",
    f"ack p99 at {EVENTS_PER_SECOND}/s, ms",
)


async def filled(corpus: Corpus, folder: Path, database: str = "") -> None:
    began = time.perf_counter()
    if await fill(corpus, folder, database):
        where = "PostgreSQL" if database else "SQLite"
        print(f"{corpus.chunks:,} passages put into {where}: {time.perf_counter() - began:.0f} s", flush=True)


async def setups(size: int, server: Server, folder: Path) -> list[Setup]:
    """Each filled with `size` passages."""
    corpus, shared, database = Corpus(size), folder / f"{size}-shared", server.kept(f"scale_{size}")
    await filled(corpus, folder / f"{size}")
    await filled(corpus, shared, database)
    environment = {"CITEWELL_DATA": str(shared), "CITEWELL_DATABASE": database}
    return [
        Setup("SQLite, 1 process", 1, {"CITEWELL_DATA": str(folder / f"{size}")}),
        *(
            Setup(f"PostgreSQL, {count} process{'' if count == 1 else 'es'}", count, environment, database, server.pid)
            for count in PROCESSES
        ),
    ]


def show(size: int, measured: Mapping[str, Sequence[Measured]]) -> None:
    print(f"\n| {size:,} passages | {' | '.join(COLUMNS)} |\n|{' --- |' * (1 + len(COLUMNS))}")
    for name, rows in measured.items():
        cells = (
            f"{rounds(rows, 'p50')} / {rounds(rows, 'p95')}",
            rounds(rows, "per_second"),
            f"{rounds(rows, 'processor')} + {rounds(rows, 'served')}",
            rounds(rows, "megabytes"),
            rounds(rows, "busy", 100),
            f"{rounds(rows, 'locked', 100)} / {rounds(rows, 'disk', 100)}",
            rounds(rows, "acknowledged"),
        )
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def rounds(rows: Sequence[Measured], what: str, times: float = 1) -> str:
    return spread([times * float(getattr(row, what)) for row in rows])


def show_answers(size: int, *setups: Setup) -> None:
    """What a whole answer takes without a platform, one at a time, once Chroma is filled, however long that takes."""
    for setup in setups:
        found = alone(size, Path(setup.environment["CITEWELL_DATA"]), setup.database)
        where = "PostgreSQL" if setup.database else "SQLite"
        told = f"{found['total']} ms, p50 / p95, in {found[MEMORY]} MB"
        print(f"a whole answer in one process on {where}: {told}", flush=True)


COSTS: Mapping[str, Callable[[Measured], float]] = {
    "p50": lambda one: one.p50,
    "processor": lambda one: one.processor + one.served,
}


def growth(tables: Mapping[int, Mapping[str, Sequence[Measured]]]) -> None:
    """The line through the logarithms of size and cost, by least squares: cost = a * passages^b, and the largest part
    by which a measured cost differs from it."""
    for name in next(iter(tables.values())):
        for what, cost in COSTS.items():
            line, off = fitted({size: statistics.median(map(cost, table[name])) for size, table in tables.items()})
            at = math.exp(line.intercept + line.slope * math.log(LARGE))
            print(
                f"{name}, {what}: {math.exp(line.intercept):.2g} ms * passages^{line.slope:.3f}, at most {off:.0%} off;"
                f" {at:.0f} ms at {LARGE:,}"
            )


def fitted(costs: Mapping[int, float]) -> tuple[statistics.LinearRegression, float]:
    sizes, logs = [math.log(size) for size in costs], [math.log(cost) for cost in costs.values()]
    line = statistics.linear_regression(sizes, logs)
    off = [abs(math.expm1(log - line.intercept - line.slope * size)) for size, log in zip(sizes, logs, strict=True)]
    return line, max(off)


async def in_turn(chosen: Sequence[Setup], questions: Sequence[str]) -> dict[str, list[Measured]]:
    rows: dict[str, list[Measured]] = {setup.name: [] for setup in chosen}
    for _ in range(ROUNDS):
        for setup in chosen:
            rows[setup.name].append(await measured(setup, questions))
    return rows


async def main() -> None:
    with ExitStack() as stack:
        keep = os.environ.get("SCALE_DATA")
        made = keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="citewell-scale-"))
        folder = Path(made)
        server = stack.enter_context(postgres_server(SERVER, keep=folder / "postgres" if keep else None))
        tables = {}
        for size in SIZES:
            chosen = await setups(size, server, folder)
            if not FILL_ONLY:
                questions = Corpus(size).questions(QUESTIONS)
                tables[size] = await in_turn(chosen, questions)
                show(size, tables[size])
                show_answers(size, chosen[0], chosen[-1])
                await show_searches(Corpus(size), folder / f"{size}-shared", chosen[-1].database)
        if len(tables) > 1:
            growth(tables)


if __name__ == "__main__":
    asyncio.run(main())
