"""`python -m bench.language_model`: what Citewell adds to a language model's own time, over 10,000 passages.

The model is the loopback double in a process of its own: it takes a given time and quotes what it is given.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil

from bench.figures import percentiles
from bench.filling import fill
from bench.synthetic import Corpus
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.wiring import open_citewell
from pipeline.values import Answer, AnswerRequest, Audience, SentenceEvent

PASSAGES = int(os.environ.get("BENCH_PASSAGES", "10000"))
QUESTIONS = 100
AT_ONCE = 100
ROOT = Path(__file__).parent.parent
MODEL_SECONDS = 2.0


@contextlib.contextmanager
def double(seconds: float) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.doubles.llm", str(seconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def served(url: str) -> list[float]:
    """Seconds the double took for each request, in order."""
    with urllib.request.urlopen(f"{url}/seconds") as response:
        seconds: list[float] = json.load(response)
    return seconds


@contextlib.asynccontextmanager
async def opened(data: Path, url: str) -> AsyncIterator[Citewell]:
    settings = Settings(  # type: ignore[call-arg] # pydantic-settings' own
        _env_file=None,
        data=data,
        model="openai:double",
        OPENAI_BASE_URL=f"{url}/v1",
        concurrency=AT_ONCE,
        daily_tokens_person=0,
        daily_tokens_space=0,
    )
    async with open_citewell(settings) as citewell:
        yield citewell


async def timed(citewell: Citewell, question: str, readers: Audience) -> tuple[float, float, Answer]:
    """Seconds to the first shown sentence and to the end. The model is asked, though made-up vectors fit nothing."""
    started, first = time.perf_counter(), 0.0
    stream = citewell.responder.respond(AnswerRequest(text=question, audience=readers, force_extract=True))
    async for event in stream:
        if isinstance(event, SentenceEvent) and not first:
            first = time.perf_counter() - started
    answer = await stream.answer()
    return first, time.perf_counter() - started, answer


async def overhead(data: Path, corpus: Corpus) -> list[str]:
    """A model that takes next to no time: what is left is ours, the SDK's and the connection's. Returns what it
    answered."""
    with double(0.0) as url:
        async with opened(data, url) as citewell:
            await citewell.storage.vectors.sync()
            readers = await citewell.all_collections()
            for question in corpus.questions(10):
                await timed(citewell, question, readers)
            busy = time.process_time()
            runs = [await timed(citewell, question, readers) for question in corpus.questions(QUESTIONS)]
            busy = time.process_time() - busy
        own = served(url)[-QUESTIONS:]
    written = [(first, whole, answer) for first, whole, answer in runs if answer.usage.writer != "extractive"]
    print(f"| first sentence, ms, p50 / p95 | {percentiles([1000 * first for first, _, _ in written])} |")
    print(f"| whole answer, ms, p50 / p95 | {percentiles([1000 * whole for _, whole, _ in written])} |")
    print(f"| the model's own time, ms, p50 / p95 | {percentiles([1000 * one for one in own])} |")
    for stage in ("plan", "retrieve", "read", "write", "validate", "assess", "compose"):
        taken = [answer.usage.milliseconds.get(stage, 0.0) for _, _, answer in written]
        print(f"| of which {stage} | {percentiles(taken)} |")
    print(f"| CPU of this process, ms an answer | {busy / QUESTIONS * 1000:.1f} |")
    print(f"| answers by the model | {len(written)} of {len(runs)} |")
    return [answer.question for _, _, answer in written]


async def at_once(data: Path, questions: list[str]) -> None:
    """Many answers at the same time on a model that takes two seconds each."""
    with double(MODEL_SECONDS) as url:
        async with opened(data, url) as citewell:
            await citewell.storage.vectors.sync()
            readers = await citewell.all_collections()
            await timed(citewell, questions[0], readers)
            idle = psutil.Process().memory_info().rss
            started, busy = time.perf_counter(), time.process_time()
            runs = await asyncio.gather(*(timed(citewell, question, readers) for question in questions))
            taken, busy = time.perf_counter() - started, time.process_time() - busy
            more = psutil.Process().memory_info().rss - idle
    by_model = sum(answer.usage.writer != "extractive" for _, _, answer in runs)
    print(f"| {AT_ONCE} at once on a model of {MODEL_SECONDS:g} s, all done after, s | {taken:.2f} |")
    print(f"| the same, CPU of this process, s | {busy:.2f} |")
    print(f"| the same, memory above idle, MB | {more / 1e6:.0f} |")
    print(f"| the same, answers by the model | {by_model} of {len(runs)} |")


async def main() -> None:
    print("| | |\n| --- | --- |")
    with tempfile.TemporaryDirectory(prefix="citewell-bench-") as name:
        data, corpus = Path(name) / "data", Corpus(PASSAGES)
        await fill(corpus, data)
        answerable = await overhead(data, corpus)
        await at_once(data, [answerable[number % len(answerable)] for number in range(AT_ONCE)])


if __name__ == "__main__":
    asyncio.run(main())
