"""A channel of many messages taken in from Slack's double, and its threads searched beside as many passages of files.

`python -m bench.channels [MESSAGES]` (100,000). The double hands out pages as Slack does; Slack's own pace
follows from its calls."""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from adapters.slack.adapter import SlackAdapter
from adapters.slack.settings import SlackSettings
from adapters.slack.web_client import SlackClientTimings
from bench.filling import fill
from bench.synthetic import Corpus
from bot.config.read import read_settings
from bot.run.channel_indexing import ChannelIndexer
from bot.wiring import open_citewell
from pipeline.errors import Refused
from pipeline.values import Audience, PlaceId, PlaceSettings, SearchPlan
from tests.contracts.slack_driver import CHANNEL, granted
from tests.contracts.waiting import eventually
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.doubles.slack.workspace import TEAM

PLACE = PlaceId(platform="slack", space=TEAM, channel=CHANNEL)
A_MINUTE = 40
"""Calls of one method, which `SlackClientTimings.reading` comes to."""
QUESTIONS = 200
HOURS = 4 * 3600.0


def read(folder: str, api_url: str, messages: int) -> None:
    """In a process of its own: take the channel in, until every thread is a document."""
    asyncio.run(_read(Path(folder), api_url, messages))


async def _read(folder: Path, api_url: str, messages: int) -> None:
    settings = read_settings(
        data=folder, places={PLACE: PlaceSettings(index=True)}, slack={"index": "own-app-under-slack-api-terms"}
    )
    async with open_citewell(settings, exclusive=True) as citewell:
        pace = SlackClientTimings(history_interval=0.0)
        reached = SlackSettings(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=api_url)
        adapter = SlackAdapter(reached, echo=print, services=citewell.services, timings=pace)
        storage = citewell.storage
        reader = ChannelIndexer(
            storage.channel_messages,
            storage.outbox,
            citewell.services.places,
            citewell.indexer,
            {"slack": adapter},
            every=0.1,
        )
        began, running = time.monotonic(), asyncio.create_task(reader.run())

        async def read() -> bool:
            look = (await storage.channel_messages.reading_states()).get(PLACE)
            return look is not None and look.complete is not None

        async def made() -> bool:
            return not await storage.channel_messages.due_threads(1)

        await eventually(read, HOURS)
        said, took = (await storage.channel_messages.count(PLACE))[0], time.monotonic() - began
        print(f"{said:,} messages read in {took:.0f} s; {_memory()} MB at most")
        await eventually(made, HOURS)
        documents, took = await storage.library.count(), time.monotonic() - began
        print(f"{documents:,} documents after {took:.0f} s; {_memory()} MB at most")
        running.cancel()
        await adapter.close()


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


async def searched(folder: Path, what: str, questions: list[str]) -> float:
    """Milliseconds that the middle question takes."""
    async with open_citewell(read_settings(data=folder), exclusive=True) as citewell:
        audience = Audience(collections=frozenset(await citewell.storage.library.list_collections()))
        took = []
        for question in questions:
            begun = time.perf_counter()
            await citewell.retriever.retrieve(SearchPlan(question=question), audience)
            took.append((time.perf_counter() - begun) * 1000)
    middle, late = statistics.median(took), statistics.quantiles(took, n=20)[-1]
    print(f"{what}: {middle:.1f} ms, p95 {late:.1f} ms, of {len(took)} questions")
    return middle


async def main(messages: int) -> None:
    corpus = Corpus(messages // 2)
    with tempfile.TemporaryDirectory() as talked, tempfile.TemporaryDirectory() as filed:
        async with SlackServer(granted()) as slack:
            slack.workspace.add(CHANNEL, name="team")
            passages = (chunk for _, chunks, _ in corpus.documents() for chunk in chunks)
            for number, chunk in enumerate(passages):
                root = slack.workspace.put(CHANNEL, f"U{number % 50}", chunk.text_at(0))
                slack.workspace.put(CHANNEL, f"U{number % 49}", chunk.text_at(1), thread_ts=root.ts)
            process = multiprocessing.get_context("spawn").Process(target=read, args=(talked, slack.api_url, messages))
            process.start()
            await asyncio.to_thread(process.join)
            if process.exitcode:
                raise Refused("the channel was not taken in")
            calls = Counter(method for method, _ in slack.calls)
            slowest = max(calls["conversations.history"], calls["conversations.replies"])
            print(f"at Slack's pace: {slowest / A_MINUTE / 60:.1f} hours ({dict(calls)})")
        await fill(corpus, Path(filed))
        questions = corpus.questions(QUESTIONS)
        files = await searched(Path(filed), f"{messages // 2:,} passages of files", questions)
        threads = await searched(Path(talked), f"{messages // 2:,} threads", questions)
        print(f"threads take {threads / files:.2f} times as long")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
