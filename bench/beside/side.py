"""What both sides do alike: the core they run on, what they are asked, and how they tell what it took.

Imported by LlamaIndex's side too, in an environment of its own."""

from __future__ import annotations

import gc
import json
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

WARM = 20
COLLECTED_AFTER = 20_000
"""As `citewell run` has it: with Python's 700 one question in fifteen pays 3 to 12 ms for the garbage collector."""


class Passage(NamedTuple):
    """Of a made-up library, with its vector."""

    id: str
    text: str
    vector: list[float]


class Found(NamedTuple):
    """What the questions of one process took; milliseconds of processor time."""

    first: float
    """Seconds from the start of the process to the first passages."""
    p50: float
    p95: float
    megabytes: float
    hits: list[float]
    """Shares of the questions with a gold document first, and among the first five."""


def on_one_core() -> None:
    """The last of those that this process may use: others are more on the first."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]


async def timed(
    retrieve: Callable[[str], Awaitable[Sequence[str]]], questions: Path, settled: Callable[[], Awaitable[object]]
) -> Found:
    """`retrieve` gives the documents of the passages for a question, best first. After the first one, `settled` returns
    once all is as it is later on. What is loaded by then is no garbage, as in a service."""
    asked = [(str(row["question"]), row.get("gold_doc_ids")) for row in rows(questions)]
    await retrieve(asked[0][0])
    first = time.time() - psutil.Process().create_time()
    await settled()
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED_AFTER)
    took, places = [], []
    for question, gold in asked:
        began = time.process_time()
        found = await retrieve(question)
        took.append(1000 * (time.process_time() - began))
        if isinstance(gold, list) and gold:
            places.append([bool(set(gold).intersection(found[:most])) for most in (1, 5)])
    parts = statistics.quantiles(took[WARM:], n=20)
    hits = [sum(column) / len(places) for column in zip(*places, strict=True)]
    return Found(first, parts[9], parts[18], psutil.Process().memory_info().rss / 1e6, hits)


def tell(value: object) -> None:
    print(json.dumps(value), flush=True)
