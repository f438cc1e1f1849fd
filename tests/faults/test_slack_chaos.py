"""`kill -9` at every step of a reply, under load, with lost acks and lost responses: nothing lost, nothing twice.

Each life gets four or more new questions."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.slack.rules import Json
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import Message
from tests.faults.nursery import Nursery
from tests.faults.slack_people import LOST_RESPONSES, complete, unreliable
from tests.trials import Count, trials

KILLS = trials(10)
STEPS = {
    "before the ack": ("", ""),
    "after the ack": ("", ""),
    "before a post": ("chat.postMessage", "before"),
    "after a post": ("chat.postMessage", "after"),
    "before startStream": ("chat.startStream", "before"),
    "after startStream": ("chat.startStream", "after"),
    "between appends": ("chat.appendStream", "after"),
    "before stopStream": ("chat.stopStream", "before"),
    "after stopStream": ("chat.stopStream", "after"),
    "after an update": ("chat.update", "after"),
}
BACKLOG = 6
"""Questions that may still wait for an answer when the next kill is aimed: each one is killed only so often."""
PATIENCE = 120
"""Seconds that the answers to all questions may take; the test itself may take longer, so that it can tell of them."""


class Chaos:
    """Asks, kills at a named step, starts again."""

    def __init__(self, slack: SlackServer, nursery: Nursery, folder: Path) -> None:
        self.dice = random.Random(KILLS)
        self.slack = slack
        self.nursery = nursery
        self.folder = folder
        self.people = unreliable(slack, self.dice, (0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4))
        self.asked: list[Message] = []
        self.open: list[Message] = []
        self.telling: set[asyncio.Task[None]] = set()
        self.kills: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.step = ""
        self.dead = asyncio.Event()
        slack.hook = self.hook

    async def hook(self, method: str, arguments: Json, when: str) -> str | None:
        """Kill at the step that is meant; otherwise lose a response now and then."""
        if self.step and STEPS[self.step] == (method, when) and not self.dead.is_set():
            self.shoot()
            return "drop"
        if when == "after" and method.startswith("chat.") and self.dice.random() < LOST_RESPONSES:
            self.lost[method] += 1
            return "drop"
        return None

    def shoot(self) -> None:
        self.nursery.shoot()
        self.kills[self.step] += 1
        self.dead.set()

    def ask(self) -> None:
        """One more question somewhere, told to the bot until it has it."""
        number = len(self.asked)
        text = f"{'slow' if number % 2 else 'quick'} question {number}"
        message = self.people.write(f"U{number % 30}", f"C{number % 20}", f"<@U0BOT> {text}")
        self.asked.append(message)
        self.open.append(message)
        task = asyncio.create_task(self.tell(message))
        self.telling.add(task)
        task.add_done_callback(self.telling.discard)

    async def tell(self, message: Message) -> None:
        if self.step == "before the ack" and not self.dead.is_set():
            asyncio.get_running_loop().call_later(self.dice.random() * 0.004, self.shoot_at, "before the ack")
        await asyncio.gather(*(self.people.event(event) for event in self.people.told(message)))
        if self.step == "after the ack":
            self.shoot_at("after the ack")

    def shoot_at(self, step: str) -> None:
        if self.step == step and not self.dead.is_set():
            self.shoot()

    async def life(self, step: str) -> None:
        """One process, from its start to its death at `step`."""
        await self.nursery.start(self.folder, self.slack.api_url)
        await self.slack.connected.wait()
        await self.answered(but=BACKLOG)
        self.step = step
        self.dead.clear()
        try:
            async with asyncio.timeout(30):
                while not self.dead.is_set():
                    for _ in range(4):
                        self.ask()
                    try:
                        async with asyncio.timeout(1.0):
                            await self.dead.wait()
                    except TimeoutError:
                        continue
        except TimeoutError:
            late = Counter(name for name, _ in self.slack.calls[-100:])
            raise AssertionError(f"nothing was killed {step}; {len(self.unanswered())} wait; {late}") from None
        finally:
            self.step = ""
            await self.nursery.kill()
            await until(lambda: not self.slack.sockets)

    async def answered(self, *, but: int = 0) -> None:
        """Wait until all questions but a few have their answer."""
        try:
            await until(lambda: len(self.unanswered()) <= but, seconds=PATIENCE)
        except TimeoutError:
            with closing(sqlite3.connect(self.folder / "citewell.db")) as database:
                rows = database.execute(
                    "SELECT key, state, why, attempt, reference, not_before - unixepoch() FROM message"
                ).fetchall()
            keys = tuple(message.ts for message in self.open)
            raise AssertionError([row for row in rows if row[0].endswith(keys)]) from None

    def unanswered(self) -> list[Message]:
        """What has no complete answer yet; what has one is not looked at again until the end."""
        self.open = [message for message in self.open if not any(complete(reply) for reply in self.replies(message))]
        return self.open

    def replies(self, message: Message) -> list[Message]:
        return self.slack.workspace.replies(message)


@pytest.mark.slow
@pytest.mark.timeout(PATIENCE + 60 + KILLS * 5)
async def test_no_question_is_lost_or_answered_twice(tmp_path: Path, record_property: Count) -> None:
    async with SlackServer(granted()) as slack, Nursery("tests.faults.slack_bot") as nursery:
        chaos = Chaos(slack, nursery, tmp_path / "data")
        for number in range(KILLS):
            await chaos.life(list(STEPS)[number % len(STEPS)])
        await nursery.start(chaos.folder, slack.api_url)
        await chaos.answered()
        await until(lambda: not chaos.telling)
        twice = [message.text for message in chaos.asked if len(chaos.replies(message)) != 1]
        record_property("questions", len(chaos.asked))
        record_property("kills", KILLS)
        assert twice == []
        assert min(chaos.kills[step] for step in STEPS) >= KILLS // len(STEPS)
