"""`kill -9` of several processes that answer from one database, and of the database: nothing lost, nothing twice.

`CHAOS_KILLS=500` is the long run (`make chaos`)."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import psycopg
import pytest

from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.postgres import Server
from tests.doubles.slack.rules import Json
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import Message
from tests.faults.nursery import Nursery
from tests.faults.slack_people import LOST_RESPONSES, complete, unreliable

KILLS = int(os.environ.get("CHAOS_KILLS", "6"))
PROCESSES = 4
QUESTIONS = 4
"""Asked before each kill."""
BACKLOG = 8
RESTARTS = 5
"""So many kills of processes come before one of the database."""
PATIENCE = 120
KILLING = 0.1


class Team:
    """Asks; when a call to Slack begins or ends, now and then a process ends, that one or another."""

    def __init__(self, slack: SlackServer, processes: list[Nursery]) -> None:
        self.dice = random.Random(KILLS)
        self.slack = slack
        self.processes = processes
        self.people = unreliable(slack, self.dice, (0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8))
        self.asked: list[Message] = []
        self.telling: set[asyncio.Task[object]] = set()
        self.aimed = False
        self.shot: Counter[str] = Counter()
        slack.hook = self.hook

    async def hook(self, method: str, arguments: Json, when: str) -> str | None:
        if not method.startswith("chat."):
            return None
        if self.aimed and self.dice.random() < KILLING:
            self.aimed = False
            self.dice.choice(self.processes).shoot()
            self.shot[f"{when} {method}"] += 1
        if when == "after" and self.dice.random() < LOST_RESPONSES:
            return "drop"
        return None

    def ask(self) -> None:
        number = len(self.asked)
        text = f"{'slow' if number % 2 else 'quick'} question {number}"
        message = self.people.write(f"U{number % 30}", f"C{number % 20}", f"<@U0BOT> {text}")
        self.asked.append(message)
        for event in self.people.told(message):
            task = asyncio.create_task(self.people.event(event))
            self.telling.add(task)
            task.add_done_callback(self.telling.discard)

    async def one_is_killed(self) -> None:
        """Ask until one of them is."""
        self.aimed = True
        while self.aimed:
            for _ in range(QUESTIONS):
                self.ask()
            await until(lambda: not self.aimed or len(self.unanswered()) <= BACKLOG, seconds=PATIENCE)

    def unanswered(self) -> list[str]:
        return [asked.text for asked in self.asked if not any(map(complete, self.replies(asked)))]

    def replies(self, asked: Message) -> list[Message]:
        return self.slack.workspace.replies(asked)


@asynccontextmanager
async def nurseries() -> AsyncIterator[list[Nursery]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Nursery("tests.faults.slack_bot")) for _ in range(PROCESSES)]


@pytest.mark.slow
@pytest.mark.timeout(PATIENCE + 60 + KILLS * 10)
async def test_no_question_is_lost_or_answered_twice_by_several_processes(postgres: Server, tmp_path: Path) -> None:
    url = postgres.empty()
    async with SlackServer(granted()) as slack, nurseries() as processes:
        team = Team(slack, processes)

        async def start_the_dead() -> None:
            for process in processes:
                if not process.living:
                    await process.start(tmp_path / "data", slack.api_url, url)

        await start_the_dead()
        await slack.connected.wait()
        for number in range(KILLS):
            await team.one_is_killed()
            if number % RESTARTS == RESTARTS - 1:
                postgres.stop()
                postgres.start()
            await start_the_dead()
        try:
            await until(lambda: not team.unanswered(), seconds=PATIENCE)
        except TimeoutError:
            raise AssertionError((team.unanswered(), rows(url))) from None
        await until(lambda: not team.telling)
        print(f"\n{len(team.asked)} questions, {team.shot.total()} kills: {dict(team.shot)}")  # noqa: T201
        assert [asked.text for asked in team.asked if len(team.replies(asked)) != 1] == []


def rows(url: str) -> list[tuple[object, ...]]:
    query = "SELECT key, attempt, holder, leased_until, not_before, ends, reference FROM message WHERE state = 'open'"
    with psycopg.connect(url) as raw:
        return raw.execute(query).fetchall()
