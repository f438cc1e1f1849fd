"""`make bench`: one table of timings from this machine. Sizes: BENCH_SIZES=1000,10000 leaves out the largest."""

from __future__ import annotations

import asyncio
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import psutil

from bench.figures import percentiles
from bench.filling import fill as fill_folder
from bench.prose import documents
from bench.synthetic import Corpus
from bot.config.settings import Settings
from bot.run.operations.metrics import Metrics
from bot.wiring import open_citewell
from pipeline.values import AnswerRequest
from storage.messages.levels import read_levels

T = TypeVar("T")
QUESTIONS = 200
WARM = 20
WORDS = 60_000
ROWS, ITEMS = 100_000, ("dock", "phone", "cable", "switch", "screen")
OBSERVED, PAGE = "observed for /metrics", "`/metrics`"
STAGES = ("plan", "retrieve", "read", "write", "validate", "assess", "compose", "total", OBSERVED, PAGE)
MEMORY = "resident memory, MB"
ROOT = Path(__file__).parent.parent


def settings(data: Path, database: str = "") -> Settings:
    return Settings(_env_file=None, data=data, database=database or None, model="extractive")  # type: ignore[call-arg] # pydantic-settings' own


async def fill(size: int, data: Path, database: str) -> list[str]:
    """Make a library of `size` passages where it is not there; returns questions about it."""
    corpus = Corpus(size)
    await fill_folder(corpus, data, database)
    return corpus.questions(QUESTIONS + WARM)


async def answering(data: Path, questions: Sequence[str], database: str = "") -> dict[str, str]:
    """p50 / p95 in milliseconds of each stage, and resident memory."""
    async with open_citewell(settings(data, database)) as citewell:
        await citewell.storage.vectors.sync()  # what `citewell run` searches answers
        everything = await citewell.all_collections()
        taken: dict[str, list[float]] = defaultdict(list)
        metrics = Metrics(["slack", "discord"], ["openai:small"], price_input=1.0, price_output=1.0)
        for number, question in enumerate(questions):
            answer = await citewell.respond(AnswerRequest(text=question, audience=everything, force_extract=True))
            started = time.perf_counter()
            metrics.observe("slack", answer)
            observed = time.perf_counter()
            metrics.update_gauges(
                await read_levels(citewell.storage.database),
                await citewell.storage.feedback.counts(),
                {},
                {},
                now=time.time(),
                healthy=True,
            )
            metrics.render()
            operations = {OBSERVED: observed - started, PAGE: time.perf_counter() - observed}
            spent = {name: seconds * 1000 for name, seconds in operations.items()}
            for stage, value in (answer.usage.milliseconds | spent).items():
                if number >= WARM:
                    taken[stage].append(value)
        memory = psutil.Process().memory_info().rss / 1e6
    rows = {stage: percentiles(taken[stage]) for stage in STAGES if taken[stage]}
    return rows | {MEMORY: f"{memory:.0f}"}


async def indexing(folder: Path) -> dict[str, str]:
    """Words, files and passages a second, with parsing, embedding and storing; passages without their overlap."""
    source = folder / "documents"
    source.mkdir()
    words = files = 0
    for number, text in enumerate(documents(ROOT / "examples" / "handbook", WORDS)):
        files += 1
        (source / f"{number}.md").write_text(text, encoding="utf-8")
        words += len(text.split())
    async with open_citewell(settings(folder / "data")) as citewell:
        started, worked = time.perf_counter(), time.process_time()
        summary = await citewell.index([source])
        seconds, worked = time.perf_counter() - started, time.process_time() - worked
    return {
        "words/s": f"{words / seconds:,.0f}",
        f"files/s, of {words / files:,.0f} words": f"{files / seconds:,.1f}",
        "passages/s": f"{summary.chunks / seconds:,.0f}",
        "words for each second of processor time": f"{words / worked:,.0f}",
    }


def table(folder: Path) -> dict[str, str]:
    """`citewell index` of a CSV, the whole process."""
    source = folder / "table.csv"
    rows = (f"{row},{ITEMS[row % len(ITEMS)]} {row},R{row % 97},{row * 7919 % 1000}\n" for row in range(ROWS))
    source.write_text("id,item,room,price\n" + "".join(rows), encoding="utf-8")
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "index", str(source), "--data", str(folder / "table")],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    name = f"a CSV of {ROWS:,} rows, `citewell index`"
    return {f"{name}, s": f"{time.perf_counter() - started:.0f}", f"{name}, memory, MB": f"{used.ru_maxrss / 1e3:.0f}"}


def cold(data: Path) -> str:
    """Median seconds of a whole `citewell ask` process over 1,000 passages."""
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "bot", "ask", "What is there?", "--data", str(data)], cwd=ROOT, capture_output=True
        )
        taken.append(time.perf_counter() - started)
    return f"{statistics.median(taken):.2f}"


def installed() -> str:
    """Megabytes of everything that is installed, development tools included."""
    return f"{sum(f.stat().st_size for f in Path(sys.prefix).rglob('*') if f.is_file()) / 1e6:.0f}"


def measured(size: int, data: Path, database: str = "") -> dict[str, str]:
    """`answering` in a process of its own, so that its memory is its own."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as process:
        questions = process.submit(run, fill, size, data, database).result()
        return process.submit(run, answering, data, questions, database).result()


def run(work: Callable[..., Coroutine[None, None, T]], *arguments: object) -> T:
    return asyncio.run(work(*arguments))


def main() -> None:
    sizes = [int(size) for size in os.environ.get("BENCH_SIZES", "1000,10000,100000").split(",")]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {machine}\n")
    with tempfile.TemporaryDirectory(prefix="citewell-bench-") as name:
        folder = Path(name)
        columns = {size: measured(size, folder / str(size)) for size in sizes}
        print("| milliseconds, p50 / p95 | " + " | ".join(f"{size:,} passages" for size in sizes) + " |")
        print("| --- |" + " --- |" * len(sizes))
        for stage in (*STAGES, MEMORY):
            print(f"| {stage} | " + " | ".join(columns[size].get(stage, "") for size in sizes) + " |")
        print("\n| | |\n| --- | --- |")
        for name, value in asyncio.run(indexing(folder)).items():
            print(f"| indexing, {name} | {value} |")
        for name, value in table(folder).items():
            print(f"| {name} | {value} |", flush=True)
        print(f"| `citewell ask` cold, whole process, s | {cold(folder / str(sizes[0]))} |")
        print(f"| installed, with development tools, MB | {installed()} |")


if __name__ == "__main__":
    main()
