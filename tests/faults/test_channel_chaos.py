"""`kill -9` while a channel's history is read and while people write, edit and delete: nothing lost, nothing twice.

Each event is told until the bot has it: a life is shorter than Slack's pauses."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from storage.documents.channel_messages import thread_document_id
from storage.open import open_storage
from tests.contracts.slack_driver import CHANNEL, granted
from tests.contracts.waiting import until
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import TEAM, Message
from tests.faults.nursery import Nursery
from tests.faults.slack_people import unreliable
from tests.trials import Count, trials

KILLS = trials(8)
BEFORE = 40
"""Threads that were there before, a half more for each kill."""
PLACE = f"slack:{TEAM}:{CHANNEL}"


class Talk:
    """What people say, and what of it has to be in which document."""

    def __init__(self, slack: SlackServer) -> None:
        self.dice = random.Random(KILLS)
        self.slack = slack
        self.people = unreliable(slack, self.dice, (0.0, 0.2, *[0.5] * 400))
        self.messages: list[Message] = []
        self.telling: set[asyncio.Task[object]] = set()
        for _ in range(BEFORE + KILLS // 2):
            self.say(told=False)

    def say(self, *, told: bool = True) -> None:
        below = self.dice.choice(self.messages) if self.messages and self.dice.random() < 0.5 else None
        thread = (below.thread_ts or below.ts) if below else ""
        text = f"Fact {len(self.messages)}: the code of box {len(self.messages)} is {self.dice.random()}."
        message = self.people.write(f"U{self.dice.randrange(9)}", CHANNEL, text, thread=thread)
        self.messages.append(message)
        if told:
            for event in self.people.told(message):
                self._begin(self.people.event(event))

    def change(self) -> None:
        """Edit or delete something that is no thread's beginning."""
        replies = [one for one in self.messages if one.thread_ts]
        if replies and self.dice.random() < 0.5:
            gone = self.dice.choice(replies)
            self.messages.remove(gone)
            self._begin(self.people.delete(gone))
        elif replies:
            edited = self.dice.choice(replies)
            self._begin(self.people.edit(edited, f"{edited.text} As of now it is {self.dice.random()}."))

    def _begin(self, telling: object) -> None:
        task = asyncio.ensure_future(telling)  # type: ignore[arg-type]
        self.telling.add(task)
        task.add_done_callback(self.telling.discard)

    def expected(self) -> dict[str, list[str]]:
        """By document, what stands in it."""
        found: dict[str, list[str]] = {}
        for one in self.messages:
            found.setdefault(thread_document_id(PLACE, one.thread_ts or one.ts), []).append(one.text)
        return {name: sorted(texts) for name, texts in found.items()}


async def in_library(folder: Path) -> dict[str, list[str]]:
    """The same as the bot has it."""
    async with open_storage(folder) as storage:
        found = {}
        for one in await storage.library.list_documents():
            excerpt = await storage.library.excerpt(one.id, 0, 99)
            lines = "\n".join(chunk.text for chunk in excerpt.chunks).splitlines() if excerpt else ()
            found[one.id] = sorted(line for line in lines if line.startswith("Fact"))
        return found


@pytest.mark.slow
async def test_whatever_moment_it_is_killed_at_every_message_is_in_one_document_once(
    tmp_path: Path, record_property: Count
) -> None:
    moments: Counter[str] = Counter()
    async with SlackServer(granted()) as slack, Nursery("tests.faults.channel_bot") as nursery:
        slack.workspace.add(CHANNEL, name="team")
        talk = Talk(slack)
        for number in range(KILLS):
            await nursery.start(tmp_path / "data", slack.api_url, PLACE)
            await slack.connected.wait()
            for _ in range(talk.dice.randrange(6)):
                talk.say()
            talk.change()
            await asyncio.sleep(talk.dice.random() * 0.3)
            moments["early" if number < KILLS // 2 else "late"] += 1
            await nursery.kill()
            await until(lambda: not slack.sockets)
        await nursery.start(tmp_path / "data", slack.api_url, PLACE)
        await slack.connected.wait()
        await until(lambda: not talk.telling, seconds=120)
        expected: dict[str, list[str]] = talk.expected()
        found: dict[str, list[str]] = {}
        for _ in range(300):
            found = await in_library(tmp_path / "data")
            if found == expected:
                break
            await asyncio.sleep(0.1)
        assert found == expected
    record_property("kills", KILLS)
    assert sum(moments.values()) == KILLS
