"""`python -m bench.load [MESSAGES]`: `citewell run` on Slack's double and on Discord's, without a model.

Prints one table: milliseconds from the event to the posted reply, for one question at a time and of the last of 50 at
once; answers a second and processor time of each while 50 are always under way; and the bot's resident memory after
MESSAGES (default 2,000). What is measured in rounds comes as their median with the standard deviation."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from bench.figures import percentiles, spread
from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.discord.server import FakeDiscord
from tests.doubles.discord.world import Payload
from tests.doubles.slack.people import People
from tests.doubles.slack.rules import EVENTS, Json
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN, SlackServer

ROOT = Path(__file__).parent.parent
QUESTIONS = (
    "How many vacation days do contractors get?",
    "How do I report a security incident?",
    "What is the daily travel rate for Berlin?",
    "Can I work remotely from abroad?",
    "When is the office closed in 2026?",
)
WARM, ALONE, AT_ONCE, ROUNDS, STEADY = 20, 200, 50, 5, 200


class Platform:
    """People who ask, and when the bot's reply to each question came."""

    environment: Mapping[str, str]

    def __init__(self) -> None:
        self.asked = 0
        self.posted: dict[object, asyncio.Future[float]] = {}

    async def ask(self) -> float:
        """Ask one question and wait for the reply; milliseconds."""
        number = self.asked = self.asked + 1
        at = time.perf_counter()
        key = await self.say(number, QUESTIONS[number % len(QUESTIONS)])
        async with asyncio.timeout(900):
            moment = await self.reply(key)
        del self.posted[key]
        return 1000 * (moment - at)

    def reply(self, key: object) -> asyncio.Future[float]:
        """When the reply was there; also asked for before anybody waits for it."""
        return self.posted.setdefault(key, asyncio.get_running_loop().create_future())

    def replied_to(self, key: object) -> None:
        if not self.reply(key).done():
            self.reply(key).set_result(time.perf_counter())

    @abstractmethod
    async def say(self, number: int, text: str) -> object:
        """Say it to the bot; what its reply will name."""

    @abstractmethod
    async def connected(self) -> None: ...

    @abstractmethod
    def forget(self) -> None:
        """Keep no more than is needed."""


class OnDiscord(Platform):
    def __init__(self, discord: FakeDiscord) -> None:
        super().__init__()
        self.discord = discord
        self.environment = {"DISCORD_TOKEN": discord.token, "DISCORD_API_URL": discord.api_url}
        guild = discord.world.guild()
        self.channels = [discord.world.channel(guild, f"c{number}") for number in range(20)]
        self.people = [discord.someone(f"p{number}", guild) for number in range(50)]
        put = discord.messages.put

        async def noticed(channel_id: str, author: Payload, payload: Payload, **more: object) -> Payload:
            if author["id"] == discord.world.bot["id"] and "message_reference" in payload:
                self.replied_to(str(payload["message_reference"]["message_id"]))
            return await put(channel_id, author, payload, **more)

        discord.messages.put = noticed  # type: ignore[method-assign]

    async def say(self, number: int, text: str) -> object:
        message = await self.discord.say(self.people[number % 50], self.channels[number % 20], f"@Citewell {text}")
        return str(message["id"])

    async def connected(self) -> None:
        await self.discord.gateway.connected()

    def forget(self) -> None:
        for channel in self.channels:
            self.discord.world.channels[channel].messages.clear()
        self.discord.messages.answers.clear()
        self.discord.world.nonces.clear()
        for session in self.discord.gateway.sessions.values():
            session.forget()


class OnSlack(Platform):
    """Many channels: Slack takes one message a second in each."""

    def __init__(self, slack: SlackServer) -> None:
        super().__init__()
        self.slack = slack
        self.environment = {
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
            "SLACK_API_URL": slack.api_url,
        }
        self.people = People(slack, list(EVENTS))
        self.people.ack_within = 3.0
        self.channels = [f"C{number}" for number in range(2000)]
        for channel in self.channels:
            slack.workspace.add(channel)
        slack.hook = self.hook

    async def hook(self, method: str, arguments: Json, when: str) -> str | None:
        if when == "after" and method in ("chat.postMessage", "chat.startStream"):
            self.replied_to((arguments["channel"], arguments.get("thread_ts")))
        return None

    async def say(self, number: int, text: str) -> object:
        message = self.people.write(f"U{number % 50}", self.channels[number % 2000], f"<@U0BOT> {text}")
        await self.people.event(self.people.told(message)[1])
        return message.channel, message.ts

    async def connected(self) -> None:
        await until(lambda: len(self.slack.sockets) == 2, seconds=30)

    def forget(self) -> None:
        self.slack.workspace.messages.clear()
        self.slack.calls.clear()
        self.people.latencies.clear()


@asynccontextmanager
async def bot(platform: Platform) -> AsyncIterator[psutil.Process]:
    """`citewell run` over the handbook of the examples."""
    with tempfile.TemporaryDirectory() as folder:
        data = {"CITEWELL_DATA": str(Path(folder) / "data"), "CITEWELL_MODEL": "extractive"}
        environment = {**os.environ, **data, **platform.environment}
        command = (sys.executable, "-m", "bot")
        quiet = asyncio.subprocess.DEVNULL
        handbook = str(ROOT / "examples" / "handbook")
        index = await asyncio.create_subprocess_exec(
            *command, "index", handbook, env=environment, cwd=ROOT, stdout=quiet, stderr=quiet
        )
        await index.wait()
        process = await asyncio.create_subprocess_exec(
            *command, "run", env=environment, cwd=ROOT, stdout=quiet, stderr=quiet
        )
        try:
            await platform.connected()
            yield psutil.Process(process.pid)
        finally:
            process.terminate()
            await process.wait()


async def measured(platform: Platform, messages: int) -> dict[str, str]:
    """The rows of the table."""
    async with bot(platform) as process:
        for _ in range(WARM):
            await platform.ask()
        alone = [await platform.ask() for _ in range(ALONE)]
        last = [max(await asyncio.gather(*(platform.ask() for _ in range(AT_ONCE)))) for _ in range(ROUNDS)]
        rates, costs = zip(*[await steady(platform, process) for _ in range(ROUNDS)], strict=True)
        while platform.asked < messages:
            await asyncio.gather(*(platform.ask() for _ in range(AT_ONCE)))
            platform.forget()
        return {
            "one at a time, p50 / p95, ms": percentiles(alone),
            f"{AT_ONCE} at once, the last, ms": spread(last),
            f"{AT_ONCE} always under way, answers/s": spread(rates),
            "processor of each of those, ms": spread(costs, 1),
            f"resident memory after {platform.asked:,} questions, MB": f"{process.memory_info().rss / 1e6:.0f}",
        }


async def steady(platform: Platform, process: psutil.Process) -> tuple[float, float]:
    """Answers a second to a `crowd`, and milliseconds of processor each."""
    began, used = time.perf_counter(), spent(process)
    await crowd(platform, STEADY)
    return STEADY / (time.perf_counter() - began), 1000 * (spent(process) - used) / STEADY


async def crowd(platform: Platform, count: int) -> None:
    """`AT_ONCE` people, each of whom asks again as soon as there is a reply, until `count` were asked."""

    async def person() -> None:
        for _ in range(count // AT_ONCE):
            await platform.ask()

    await asyncio.gather(*(person() for _ in range(AT_ONCE)))


def spent(process: psutil.Process) -> float:
    """Seconds of processor time, its own."""
    return float(sum(process.cpu_times()[:2]))


async def main(messages: int = 2_000) -> None:
    async with SlackServer(granted()) as server:
        slack = await measured(OnSlack(server), messages)
    async with FakeDiscord() as fake:
        discord = await measured(OnDiscord(fake), messages)
    print("\n| `citewell run`, without a model | Slack | Discord |\n| --- | --- | --- |")
    for name in slack:
        print(f"| {name} | {slack[name]} | {discord[name]} |")


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
