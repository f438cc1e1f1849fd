"""A bot that for a while may not write what it keeps: nothing is lost, nothing said twice, nobody restarts it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import pytest

from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.postgres import USER, Server, name_of
from tests.doubles.slack.people import People
from tests.doubles.slack.rules import EVENTS
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import Message
from tests.faults.nursery import Nursery
from tests.faults.slack_people import complete
from tests.trials import Count, trials

SPELLS = trials(1)
BOT = "tests.faults.unwritable_bot"
PAGE, SIZE = 4096, (16 << 20) + (SPELLS << 19)
ROOMS = (0, 1, 3, 8, 20, 40)
"""Pages that are left when the disk is full: for no write, for a mark, for a short question and not for a long one."""
LENGTHS = (1, 1, 5_000, 30_000)
GIVEN_UP = (0.0, 0.15, 0.75)
"""Slack's retries at once, after a minute and after five, in the time of the bot."""
REFUSED = "Failed to run a middleware function"
"""What Bolt says of an event that is not taken in, and not acknowledged."""
PATIENCE = 60
TABLES = ("message", "known", "answer", "seen", "setting", "waiting")
FULL = """
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$
"""


class Kept(Protocol):
    """Where a bot keeps what it knows."""

    nursery: Nursery
    arguments: tuple[object, ...]
    """Those of its life besides its folder, Slack and its log."""

    def close(self, dice: random.Random) -> None:
        """Let not everything be written, or nothing."""
        ...

    def open(self) -> None: ...


class Disk:
    """A file system of its own in `folder`, which the processes of the nursery see, and we through one of them."""

    arguments = ()

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.nursery = Nursery(
            BOT,
            *("unshare", "--map-root-user", "--mount", "sh", "-c"),
            f'mount -t tmpfs -o size={SIZE} none {folder} && exec "$@"',
            "sh",
        )

    def close(self, dice: random.Random) -> None:
        with contextlib.suppress(OSError), self._ballast.open("wb") as file:  # the bot writes, too
            os.posix_fallocate(file.fileno(), 0, self._free() - dice.choice(ROOMS) * PAGE)

    def open(self) -> None:
        self._ballast.unlink()

    def _free(self) -> int:
        now = os.statvfs(self._ballast.parent)
        return now.f_bavail * now.f_frsize

    @property
    def _ballast(self) -> Path:
        return Path(f"/proc/{self.nursery.pid}/root{self._folder}/ballast")


class Rights:
    """A database whose user loses a right to one table or to all, or whose disk is full for one table."""

    def __init__(self, server: Server, url: str) -> None:
        self.arguments = (url,)
        self.nursery = Nursery(BOT)
        self._server = server
        self._name = name_of(url)
        self._table = ""
        server.execute(FULL, self._name)

    def close(self, dice: random.Random) -> None:
        self._table = dice.choice(TABLES)
        where = dice.choice((self._table, "ALL TABLES IN SCHEMA public"))
        taken = f"REVOKE {dice.choice(('INSERT', 'SELECT', 'UPDATE', 'ALL'))} ON {where} FROM {USER}"
        full = f"CREATE TRIGGER full_disk BEFORE INSERT ON {self._table} EXECUTE FUNCTION full_disk()"
        self._server.execute(dice.choice((taken, taken, full)), self._name)

    def open(self) -> None:
        self._server.execute(f"DROP TRIGGER IF EXISTS full_disk ON {self._table}", self._name)
        self._server.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {USER}", self._name)


class Team:
    """Asks, whatever the bot may do."""

    def __init__(self, slack: SlackServer) -> None:
        self.slack = slack
        self.people = People(slack, list(EVENTS))
        self.people.ack_within, self.people.retry_after = 0.3, GIVEN_UP
        self.asked: list[Message] = []
        self.telling: set[asyncio.Task[object]] = set()

    def ask(self, dice: random.Random, channel: str) -> None:
        number = len(self.asked)
        text = f"{'slow' if number % 2 else 'quick'} question {number}: {'x' * dice.choice(LENGTHS)}"
        message = self.people.write(f"U{number % 30}", channel, f"<@U0BOT> {text}")
        self.asked.append(message)
        for event in self.people.told(message):
            task = asyncio.create_task(self.people.event(event))
            self.telling.add(task)
            task.add_done_callback(self.telling.discard)

    def unanswered(self) -> list[str]:
        return [message.text[:40] for message in self.asked if not any(map(complete, self.replies(message)))]

    def replies(self, message: Message) -> list[Message]:
        return self.slack.workspace.replies(message)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where something can be mounted."""
    made = tmp_path / "disk"
    made.mkdir()
    mounts = ("unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", str(made))
    if subprocess.run(mounts, capture_output=True, check=False).returncode:
        pytest.skip("needs mounts of its own (unshare --map-root-user --mount)")
    return made


@asynccontextmanager
async def answering(kept: Kept, folder: Path, log: Path) -> AsyncIterator[Team]:
    async with SlackServer(granted()) as slack, kept.nursery as nursery:
        slack.streams_per_minute = 1_000_000
        for channel in ("C0", "C1"):
            slack.workspace.add(channel)
        await nursery.start(folder / "data", slack.api_url, log, *kept.arguments)
        await slack.connected.wait()
        yield Team(slack)


async def spell(kept: Kept, team: Team, number: int) -> None:
    """Once; people ask before, meanwhile and afterwards, also where nobody asked before."""
    dice = random.Random(number)
    new = f"N{number}"
    team.slack.workspace.add(new)
    channels = ["C0", "C1", new]
    for _ in range(3):
        team.ask(dice, dice.choice(channels[:2]))
    await asyncio.sleep(dice.uniform(0.0, 0.2))
    await asyncio.to_thread(kept.close, dice)
    for _ in range(4):
        team.ask(dice, dice.choice(channels))
        await asyncio.sleep(dice.uniform(0.0, 0.2))
    await asyncio.sleep(dice.choice((0.1, 1.5)))
    await asyncio.to_thread(kept.open)
    for _ in range(2):
        team.ask(dice, dice.choice(channels))


async def outlasts(kept: Kept, folder: Path, record: Count) -> None:
    """The bot that was started goes on, and its log tells of no error that is not ours."""
    log = folder.with_name("log")
    async with answering(kept, folder, log) as team:
        for number in range(SPELLS):
            await spell(kept, team, number)
        await until(lambda: not team.telling)
        with contextlib.suppress(TimeoutError):
            await until(lambda: not team.unanswered(), seconds=PATIENCE)
        assert team.unanswered() == []
        assert kept.nursery.living
        assert [message.text[:40] for message in team.asked if len(team.replies(message)) != 1] == []
        record("spells", SPELLS)
        record("questions", len(team.asked))
        record("events that Slack gave up", len(team.people.unacked))
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {line["event"].partition(" (")[0] for line in lines if line["level"] == "error"} <= {REFUSED}


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_no_question_is_lost_or_answered_twice_while_the_disk_fills_and_empties(
    folder: Path, record_property: Count
) -> None:
    await outlasts(Disk(folder), folder, record_property)


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_no_question_is_lost_or_answered_twice_while_rights_are_taken_and_given_back(
    postgres: Server, tmp_path: Path, record_property: Count
) -> None:
    """Nor while PostgreSQL's disk is full."""
    with postgres.database() as url:
        await outlasts(Rights(postgres, url), tmp_path / "disk", record_property)
