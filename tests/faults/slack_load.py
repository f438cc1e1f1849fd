"""Figures under load: `python -m tests.faults.slack_load acks 200 60`, `... replies 300`, `... memory 10000`.

The bot is the one of the crash runs: everything real but the thinking, in a process of its own."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.slack.people import People
from tests.doubles.slack.rules import EVENTS
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import Message
from tests.faults.nursery import Nursery

CHANNELS, PEOPLE = 500, 300


@asynccontextmanager
async def bot() -> AsyncIterator[tuple[People, psutil.Process]]:
    """People in a workspace of many channels, and the process that answers them."""
    with tempfile.TemporaryDirectory() as folder:
        async with SlackServer(granted()) as slack, Nursery("tests.faults.slack_bot") as nursery:
            for number in range(CHANNELS):
                slack.workspace.add(f"C{number}")
            await nursery.start(Path(folder) / "data", slack.api_url)
            await until(lambda: len(slack.sockets) == 2)
            people = People(slack, list(EVENTS))
            people.ack_within = 3.0
            yield people, psutil.Process(nursery.pid)


def ask(people: People, number: int) -> Message:
    return people.write(f"U{number % PEOPLE}", f"C{number % CHANNELS}", f"<@U0BOT> quick question {number}")


async def acks(rate: float, seconds: float) -> None:
    """Open loop: `rate` events a second whatever happens; each question is told by one of its two events."""
    async with bot() as (people, _):
        telling: list[asyncio.Task[bool]] = []
        started = time.perf_counter()
        while (passed := time.perf_counter() - started) < seconds:
            while len(telling) < passed * rate:
                number = len(telling)
                event = people.told(ask(people, number))[number % 2]
                telling.append(asyncio.create_task(people.event(event)))
            await asyncio.sleep(0.001)
        await asyncio.gather(*telling)
        say(f"ack of {len(telling)} events at {rate:.0f}/s", people.latencies)
        print(f"not acknowledged: {len(people.unacked)}")  # noqa: T201


async def replies(count: int) -> None:
    """One question after another, from the event to the reply being there."""
    async with bot() as (people, _):
        waits: list[float] = []
        for number in range(count):
            message = ask(people, number)
            started = time.perf_counter()
            telling = asyncio.create_task(people.event(people.told(message)[1]))
            while not people.workspace.replies(message):  # noqa: ASYNC110 - the double does not know of us
                await asyncio.sleep(0.0005)
            waits.append(time.perf_counter() - started)
            await telling
        say(f"event to reply, {count} questions", waits)


async def memory(count: int) -> None:
    """Resident memory after each tenth of `count` answered questions."""
    async with bot() as (people, process):
        sizes: list[int] = []
        for tenth in range(10):
            asked = [ask(people, tenth * count // 10 + number) for number in range(count // 10)]
            for start in range(0, len(asked), 50):
                batch = asked[start : start + 50]
                await asyncio.gather(*(people.event(people.told(message)[1]) for message in batch))
                await until(lambda batch=batch: all(map(people.workspace.replies, batch)), seconds=60)
            sizes.append(process.memory_info().rss >> 20)
        print(f"resident MB after each {count // 10} of {count}: {sizes}")  # noqa: T201


def say(what: str, waits: Sequence[float]) -> None:
    ranked = sorted(wait * 1000 for wait in waits)
    marks = {
        name: ranked[int((len(ranked) - 1) * share)] for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    }
    shown = ", ".join(f"{name} {value:.1f}" for name, value in marks.items())
    print(f"{what}: {shown}, max {ranked[-1]:.1f} ms")  # noqa: T201


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["acks", rate, seconds]:
            asyncio.run(acks(float(rate), float(seconds)))
        case ["replies", count]:
            asyncio.run(replies(int(count)))
        case ["memory", count]:
            asyncio.run(memory(int(count)))
