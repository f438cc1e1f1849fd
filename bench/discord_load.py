"""`python -m bench.discord_load [MESSAGES]`: the whole bot on a loopback Discord, without a model.

Prints milliseconds from the gateway event to the posted reply, one question at a time and in bursts, and the bot's
resident memory over MESSAGES (default 10,000) questions."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psutil

from tests.doubles.discord.server import FakeDiscord
from tests.doubles.discord.world import Payload

ROOT = Path(__file__).parent.parent
QUESTIONS = (
    "How many vacation days do contractors get?",
    "How do I report a security incident?",
    "What is the daily travel rate for Berlin?",
    "Can I work remotely from abroad?",
    "When is the office closed in 2026?",
)
WARM, ALONE, BURST = 20, 200, 20


class Load:
    def __init__(self, discord: FakeDiscord) -> None:
        self.discord = discord
        guild = discord.world.guild()
        self.channels = [discord.world.channel(guild, f"c{number}") for number in range(20)]
        self.people = [discord.someone(f"p{number}", guild) for number in range(50)]
        self.asked = 0
        self.posted: dict[str, float] = {}
        put = discord.messages.put

        async def noticed(channel_id: str, author: Payload, payload: Payload, **more: object) -> Payload:
            if author["id"] == discord.world.bot["id"] and "message_reference" in payload:
                self.posted[str(payload["message_reference"]["message_id"])] = time.perf_counter()
            return await put(channel_id, author, payload, **more)

        discord.messages.put = noticed  # type: ignore[method-assign]

    async def ask(self, count: int) -> list[float]:
        """Ask `count` questions at once and wait for all replies; milliseconds of each."""
        begun = {}
        for _ in range(count):
            number = self.asked = self.asked + 1
            text = f"@Citewell {QUESTIONS[number % len(QUESTIONS)]}"
            at = time.perf_counter()
            message = await self.discord.say(self.people[number % 50], self.channels[number % 20], text)
            begun[message["id"]] = at
        await self.discord.until(lambda: begun.keys() <= self.posted.keys(), seconds=120)
        return [1000 * (self.posted.pop(message_id) - at) for message_id, at in begun.items()]

    def forget(self) -> None:
        """The double keeps no more than it must."""
        for channel in self.channels:
            self.discord.world.channels[channel].messages.clear()
        self.discord.messages.answers.clear()
        self.discord.world.nonces.clear()
        for session in self.discord.gateway.sessions.values():
            session.forget()


async def measure(messages: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        environment = {
            **os.environ,
            "CITEWELL_DATA": str(data),
            "CITEWELL_MODEL": "extractive",
            "DISCORD_TOKEN": "token",
        }
        async with FakeDiscord() as discord:
            load = Load(discord)
            environment["DISCORD_API_URL"] = discord.api_url
            index = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "index", str(ROOT / "examples" / "handbook"), env=environment, cwd=ROOT,
                stdout=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            await index.wait()
            bot = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "run", env=environment, cwd=ROOT,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            try:
                await discord.gateway.connected()
                await _run(load, psutil.Process(bot.pid), messages)
            finally:
                bot.terminate()
                await bot.wait()


async def _run(load: Load, bot: psutil.Process, messages: int) -> None:
    for _ in range(WARM):
        await load.ask(1)
    alone = [(await load.ask(1))[0] for _ in range(ALONE)]
    print(f"one at a time, {ALONE} questions: {spread(alone)}")
    burst = [one for _ in range(10) for one in await load.ask(BURST)]
    print(f"{BURST} at a time, {len(burst)} questions: {spread(burst)}")
    memory = [bot.memory_info().rss / 2**20]
    while load.asked < messages:
        await load.ask(BURST)
        load.forget()
        if load.asked % 1000 < BURST:
            memory.append(bot.memory_info().rss / 2**20)
            print(f"{load.asked} questions: {memory[-1]:.0f} MB", flush=True)


def spread(times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=20)
    return f"p50 {cuts[9]:.0f} ms, p95 {cuts[18]:.0f} ms, max {max(times):.0f} ms"


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
