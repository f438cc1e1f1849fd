"""`kill -9` at every step of a reply on Discord, under load, with lost responses and a history that lags: nothing
lost, nothing twice.

Half of it with answers in threads; each life gets eight or more new
questions."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.contracts.waiting import until
from tests.doubles.discord import eyes
from tests.doubles.discord.faults import Fault
from tests.doubles.discord.server import FakeDiscord
from tests.doubles.discord.world import Payload
from tests.faults.discord_bot import noted
from tests.faults.nursery import Nursery
from tests.trials import Count, trials

KILLS = trials(5)
POST, EDIT, THREAD = r"/channels/\d+/messages$", r"/channels/\d+/messages/\d+$", r"/messages/\d+/threads$"
INCOMING = "while it comes in"
STEPS = {
    INCOMING: ("", "", ""),
    "before a post": ("POST", POST, "before"),
    "after a post": ("POST", POST, "after"),
    "before an edit": ("PATCH", EDIT, "before"),
    "after an edit": ("PATCH", EDIT, "after"),
}
IN_THREADS = {
    "before a post": STEPS["before a post"],
    "after a post": STEPS["after a post"],
    "before a thread": ("POST", THREAD, "before"),
    "after a thread": ("POST", THREAD, "after"),
    "after an edit": STEPS["after an edit"],
}
BURST = 8
"""Questions asked at once, when all before are answered: being killed again and again, one waits ever longer."""
LOST_RESPONSES, LAG = 0.01, 0.3


class Chaos:
    """Asks, kills at a named step, starts again."""

    def __init__(self, discord: FakeDiscord, nursery: Nursery, folder: Path, *, threads: bool) -> None:
        self.dice = random.Random(KILLS)
        self.discord = discord
        self.nursery = nursery
        self.folder = folder
        self.threads = threads
        self.steps = IN_THREADS if threads else STEPS
        self.asked: list[Payload] = []
        self.open: list[Payload] = []
        self.kills: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.step = ""
        self.dead = asyncio.Event()
        discord.faults.hook = self.hook
        discord.world.lag = LAG
        guild = discord.world.guild()
        self.people = [discord.someone(f"person{number}", guild) for number in range(30)]
        self.channels = [discord.world.channel(guild, f"c{number}") for number in range(20)]
        self.directs = [discord.world.direct(person) for person in self.people[:5]]

    def hook(self, method: str, path: str, when: str) -> Fault | None:
        """Kill at the step that is meant; otherwise lose a response now and then."""
        if self.step and not self.dead.is_set():
            wanted, pattern, moment = self.steps[self.step]
            if (wanted, moment) == (method, when) and re.search(pattern, path):
                self.shoot()
                return Fault(drop=True)
        writes = method in ("POST", "PATCH") and "/messages" in path
        if when == "after" and writes and self.dice.random() < LOST_RESPONSES:
            self.lost[method] += 1
            return Fault(drop=True)
        return None

    def shoot(self) -> None:
        """`kill -9`, and every nonce is forgotten: only the history can tell what was posted."""
        self.nursery.shoot()
        self.discord.world.nonces.clear()
        self.kills[self.step] += 1
        self.dead.set()

    def shoot_at(self, step: str) -> None:
        if self.step == step and not self.dead.is_set():
            self.shoot()

    async def ask(self) -> None:
        """One more question somewhere."""
        number = len(self.asked)
        text = f"@Citewell {'slow' if number % 2 else 'quick'} question {number}"
        direct = not self.threads and number % 5 == 0
        channel = self.dice.choice(self.directs if direct else self.channels)
        person = self.people[self.directs.index(channel)] if direct else self.dice.choice(self.people)
        message = await self.discord.say(person, channel, text)
        self.asked.append(message)
        self.open.append(message)
        if self.step == INCOMING and not self.dead.is_set():
            asyncio.get_running_loop().call_later(self.dice.random() * 0.02, self.shoot_at, INCOMING)

    async def start(self) -> None:
        before = self.discord.gateway.identifies
        await self.nursery.start(self.folder, self.discord.api_url, "threads" if self.threads else "replies")
        await until(lambda: self.discord.gateway.identifies > before, 30)
        await self.discord.gateway.connected()

    async def acquaint(self) -> None:
        """The bot knows the direct channels that it was written to in before, and from when on it has to read."""
        await self.start()
        for person, channel in zip(self.people, self.directs, strict=False):
            self.open.append(await self.discord.say(person, channel, "quick hello"))
        await until(lambda: not self.unanswered(), 60)
        await until(lambda: noted(self.folder), 30)
        await self.nursery.kill()

    async def life(self, step: str) -> None:
        """One process, from its start to its death at `step`."""
        await self.start()
        await self.settled()
        self.step = step
        self.dead.clear()
        try:
            async with asyncio.timeout(30):
                while not self.dead.is_set():
                    for _ in range(BURST):
                        await self.ask()
                    try:
                        async with asyncio.timeout(1.0):
                            await self.dead.wait()
                    except TimeoutError:
                        continue
        except TimeoutError:
            raise AssertionError(f"nothing was killed {step}; {len(self.unanswered())} wait") from None
        finally:
            self.step = ""
            await self.nursery.kill()
            await until(lambda: not any(session.socket for session in self.discord.gateway.sessions.values()))

    async def settled(self) -> None:
        """Wait until everything has its answer."""
        try:
            await until(lambda: not self.unanswered(), 120)
        except TimeoutError:
            waiting = {m["content"]: [eyes.texts(reply) for reply in self.replies(m)] for m in self.open}
            raise AssertionError(f"after {sum(self.kills.values())} kills still waiting: {waiting}") from None

    def unanswered(self) -> list[Payload]:
        """What has no complete answer yet; what has one is not looked at again until the end."""
        self.open = [message for message in self.open if not any(complete(reply) for reply in self.replies(message))]
        return self.open

    def replies(self, message: Payload) -> list[Payload]:
        """Everything of ours under a question, in its thread and beside it."""
        under = self.discord.answers.get(message["id"], [])
        return [*under, *self.discord.replies(message["id"])]


def complete(reply: Payload) -> bool:
    text = "\n".join(eyes.texts(reply))
    return "Last" in text and bool(eyes.labels(reply))


@pytest.mark.slow
@pytest.mark.timeout(300 + KILLS * 20)
@pytest.mark.parametrize("threads", [False, True], ids=["replies", "threads"])
async def test_no_question_is_lost_or_answered_twice(tmp_path: Path, threads: bool, record_property: Count) -> None:
    async with FakeDiscord() as discord, Nursery("tests.faults.discord_bot") as nursery:
        chaos = Chaos(discord, nursery, tmp_path / "data", threads=threads)
        await chaos.acquaint()
        for number in range(KILLS):
            await chaos.life(list(chaos.steps)[number % len(chaos.steps)])
        await chaos.start()
        await chaos.settled()
        wrong = {message["content"]: len(chaos.replies(message)) for message in chaos.asked}
        wrong = {text: count for text, count in wrong.items() if count != 1}
        record_property("questions", len(chaos.asked))
        record_property("kills", KILLS)
        assert wrong == {}
        assert min(chaos.kills[step] for step in chaos.steps) >= KILLS // len(chaos.steps)
