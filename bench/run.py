"""`make bench`: one table of timings from this machine. Sizes: BENCH_SIZES=1000,10000 leaves out the largest."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import psutil

from bench.synthetic import Corpus
from bot.settings import Settings
from bot.wiring import open_citewell
from pipeline.response.respond import Request

QUESTIONS = 200
WARM = 20
WORDS = 60_000
STAGES = ("plan", "retrieve", "write", "validate", "assess", "compose", "total")
ROOT = Path(__file__).parent.parent


def settings(data: Path) -> Settings:
    return Settings(_env_file=None, data=data, model="extractive")  # type: ignore[call-arg] # pydantic-settings' own


async def answering(size: int, data: Path) -> dict[str, str]:
    """p50 / p95 in milliseconds of each stage, and resident memory."""
    corpus = Corpus(size)
    async with open_citewell(settings(data)) as citewell:
        assert citewell.embedder
        await corpus.fill(citewell.storage.library, citewell.embedder.name)
        await citewell.storage.index.rebuild()
    async with open_citewell(settings(data)) as citewell:
        everything = await citewell.everything()
        taken: dict[str, list[float]] = defaultdict(list)
        for number, question in enumerate(corpus.questions(QUESTIONS + WARM)):
            answer = await citewell.respond(Request(text=question, audience=everything, always=True))
            for stage, value in answer.usage.milliseconds.items():
                if number >= WARM:
                    taken[stage].append(value)
        memory = psutil.Process().memory_info().rss / 1e6
    rows = {stage: percentiles(taken[stage]) for stage in STAGES if taken[stage]}
    return rows | {"resident memory, MB": f"{memory:.0f}"}


def percentiles(values: list[float]) -> str:
    return f"{statistics.median(values):.1f} / {statistics.quantiles(values, n=20)[-1]:.1f}"


async def indexing(folder: Path) -> dict[str, str]:
    """Words and passages a second, parsing, embedding and storing included."""
    source = (ROOT / "README.md").read_text() + (ROOT / "docs" / "architecture.md").read_text()
    sentences = [line.strip() for line in source.replace("\n\n", "\n").split(". ") if line.strip()]
    documents = folder / "documents"
    documents.mkdir()
    written = number = 0
    while written < WORDS:
        text = ". ".join(f"{sentence} (case {number}-{i})" for i, sentence in enumerate(sentences))
        (documents / f"{number}.txt").write_text(text)
        written += len(text.split())
        number += 1
    async with open_citewell(settings(folder / "data")) as citewell:
        started = time.perf_counter()
        summary = await citewell.index([documents])
        seconds = time.perf_counter() - started
    return {"words/s": f"{summary.words / seconds:,.0f}", "passages/s": f"{summary.chunks / seconds:,.0f}"}


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


def child(size: int, data: Path) -> dict[str, str]:
    """`answering` in a process of its own, so that its memory is its own."""
    code = (
        f"import asyncio, json; from pathlib import Path; from bench.run import answering;"
        f"print(json.dumps(asyncio.run(answering({size}, Path({str(data)!r})))))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    sizes = [int(size) for size in os.environ.get("BENCH_SIZES", "1000,10000,100000").split(",")]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {machine}\n")
    with tempfile.TemporaryDirectory(prefix="citewell-bench-") as name:
        folder = Path(name)
        columns = {size: child(size, folder / str(size)) for size in sizes}
        print("| milliseconds, p50 / p95 | " + " | ".join(f"{size:,} passages" for size in sizes) + " |")
        print("| --- |" + " --- |" * len(sizes))
        for stage in (*STAGES, "resident memory, MB"):
            print(f"| {stage} | " + " | ".join(columns[size].get(stage, "") for size in sizes) + " |")
        print("\n| | |\n| --- | --- |")
        for name, value in asyncio.run(indexing(folder)).items():
            print(f"| indexing, {name} | {value} |")
        print(f"| `citewell ask` cold, whole process, s | {cold(folder / str(sizes[0]))} |")
        print(f"| installed, with development tools, MB | {installed()} |")


if __name__ == "__main__":
    main()
