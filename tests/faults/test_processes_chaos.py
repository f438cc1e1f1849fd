"""`kill -9` of several processes that answer from one database, of the database, in whose place a standby comes, and of
the network between them: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import psycopg
import pytest

from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.postgres import SHARED, SUPERUSER, Server, postgres_server
from tests.doubles.relay import Relay
from tests.doubles.slack.rules import Json
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import Message
from tests.doubles.standby import Replicated, replicated
from tests.faults.nursery import Nursery
from tests.faults.slack_people import LOST_RESPONSES, complete, unreliable
from tests.trials import Count, trials

KILLS = trials(6)
PROCESSES = 4
QUESTIONS = 4
"""Asked before each kill."""
BACKLOG = 8
PATIENCE = 120
KILLING = 0.1
FAULTS = ("promoted", "black", "cut", "restarted", "gone")
"""What happens to the database or the network in turn, after each two kills of processes."""
NOTICED = 7.0
"""After so long a process has noticed that it hears nothing any more."""
BRIEF = 2.0


class Team:
    """Asks; when a call to Slack begins or ends, now and then a process ends, that one or another."""

    def __init__(self, slack: SlackServer, processes: list[Nursery]) -> None:
        self.dice = random.Random(KILLS)
        self.slack = slack
        self.processes = processes
        self.people = unreliable(slack, self.dice, (0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8))
        self.asked: list[Message] = []
        self.waiting: list[Message] = []
        """Those that had no answer yet when somebody looked."""
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

    async def meanwhile(self, seconds: float) -> None:
        """People go on asking."""
        until = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < until:
            if len(self.unanswered()) < BACKLOG:
                self.ask()
            await asyncio.sleep(0.1)

    def ask(self) -> None:
        number = len(self.asked)
        text = f"{'slow' if number % 2 else 'quick'} question {number}"
        message = self.people.write(f"U{number % 30}", f"C{number % 20}", f"<@U0BOT> {text}")
        self.asked.append(message)
        self.waiting.append(message)
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
        self.waiting = [asked for asked in self.waiting if not any(map(complete, self.replies(asked)))]
        return [asked.text for asked in self.waiting]

    def replies(self, asked: Message) -> list[Message]:
        return self.slack.workspace.replies(asked)


class Ground:
    """What the processes stand on: the database and each one's network."""

    def __init__(self, pair: Replicated, relays: list[Relay], team: Team) -> None:
        self.pair = pair
        self.relays = relays
        self.team = team
        self.met: Counter[str] = Counter()

    async def meet(self, fault: str) -> None:
        self.met[fault] += 1
        affected = self.team.dice.sample(self.relays, 2)
        match fault:
            case "restarted":
                await asyncio.to_thread(self.pair.primary.stop)
                await asyncio.to_thread(self.pair.primary.start)
            case "promoted":
                await self._promoted(affected)
            case "cut":
                for relay in affected:
                    relay.cut()
            case "black":
                await self._black(affected, BRIEF)
            case "gone":
                await self._black(affected, NOTICED)

    async def _promoted(self, affected: list[Relay]) -> None:
        """Some notice at once that the server is gone, the others hear nothing."""
        for relay in affected:
            relay.blacken()
        await asyncio.to_thread(self.pair.fail_over)
        for relay in self.relays:
            relay.to = self.pair.primary.folder
        await self.team.meanwhile(NOTICED)
        for relay in affected:
            relay.lighten()
        await asyncio.to_thread(self.pair.add_standby)

    async def _black(self, affected: list[Relay], seconds: float) -> None:
        for relay in affected:
            relay.blacken()
        await self.team.meanwhile(seconds)
        for relay in affected:
            if seconds >= NOTICED:
                relay.give_up()
        await self.team.meanwhile(BRIEF)
        for relay in affected:
            relay.lighten()


@asynccontextmanager
async def nurseries() -> AsyncIterator[list[Nursery]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Nursery("tests.faults.slack_bot")) for _ in range(PROCESSES)]


@pytest.fixture
def pair(postgres: Server) -> Iterator[Replicated]:
    """Servers of this test alone."""
    with postgres_server() as server, replicated(server) as pair:
        yield pair


@asynccontextmanager
async def networks(pair: Replicated) -> AsyncIterator[list[Relay]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Relay(pair.primary.folder)) for _ in range(PROCESSES)]


@pytest.mark.slow
@pytest.mark.timeout(PATIENCE + 60 + KILLS * 15)
async def test_no_question_is_lost_or_answered_twice_by_several_processes(
    pair: Replicated, tmp_path: Path, record_property: Count
) -> None:
    async with SlackServer(granted()) as slack, networks(pair) as relays, nurseries() as processes:
        team = Team(slack, processes)
        ground = Ground(pair, relays, team)

        async def start_the_dead() -> None:
            for process, relay in zip(processes, relays, strict=True):
                if not process.living:
                    await process.start(tmp_path / "data", slack.api_url, relay.url(SHARED))

        await start_the_dead()
        await slack.connected.wait()
        for number in range(KILLS):
            await team.one_is_killed()
            if number % 2:
                await ground.meet(FAULTS[number // 2 % len(FAULTS)])
            await start_the_dead()
        try:
            await until(lambda: not team.unanswered(), seconds=PATIENCE)
        except TimeoutError:
            raise AssertionError((team.unanswered(), rows(pair.primary.url(SHARED)))) from None
        await until(lambda: not team.telling)
        record_property("questions", len(team.asked))
        record_property("kills", KILLS)
        assert [asked.text for asked in team.asked if len(team.replies(asked)) != 1] == []


def rows(url: str) -> list[tuple[object, ...]]:
    query = "SELECT key, attempt, holder, leased_until, not_before, ends, reference FROM message WHERE state = 'open'"
    with psycopg.connect(url, user=SUPERUSER) as raw:
        return raw.execute(query).fetchall()
