"""A disk that fills and empties again under a bot: nothing is lost, nothing said twice, nobody restarts it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.slack.people import People
from tests.doubles.slack.rules import EVENTS
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import Message
from tests.faults.nursery import Nursery
from tests.faults.slack_people import complete
from tests.trials import Count, trials

FILLED = trials(2)
PAGE, SIZE = 4096, 16 << 20
ROOMS = (0, 1, 3, 8, 20, 40)
"""Pages that are left when the disk is full: for no write, for a mark, for a short question and not for a long one."""
LENGTHS = (1, 1, 5_000, 30_000)
GIVEN_UP = (0.0, 0.15, 0.75)
"""Slack's retries at once, after a minute and after five, in the time of `filling_bot`."""
PATIENCE = 25


class Disk:
    """A file system of its own in `folder`, which the processes of the nursery see, and we through one of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.nursery = Nursery(
            "tests.faults.filling_bot",
            *("unshare", "--map-root-user", "--mount", "sh", "-c"),
            f'mount -t tmpfs -o size={SIZE} none {folder} && exec "$@"',
            "sh",
        )

    def fill(self, pages: int) -> None:
        """Leave so many."""
        with contextlib.suppress(OSError), self._ballast.open("wb") as file:  # the bot writes, too
            os.posix_fallocate(file.fileno(), 0, self._free() - pages * PAGE)

    def empty(self) -> None:
        self._ballast.unlink()

    def messages(self, beside: Path) -> list[tuple[object, ...]]:
        """What the inbox knows, read from a copy of the database `beside`: SQLite does not look into other mounts."""
        shutil.copytree(self._there / "data", beside)
        query = "SELECT key, state, why, attempt, reference, leased_until - unixepoch() FROM message"
        with contextlib.closing(sqlite3.connect(beside / "citewell.db")) as database:
            return database.execute(query).fetchall()

    def _free(self) -> int:
        now = os.statvfs(self._there)
        return now.f_bavail * now.f_frsize

    @property
    def _there(self) -> Path:
        return Path(f"/proc/{self.nursery.pid}/root{self._folder}")

    @property
    def _ballast(self) -> Path:
        return self._there / "ballast"


class Team:
    """Asks, whatever the disk does."""

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
        return [message.ts for message in self.asked if not any(map(complete, self.replies(message)))]

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
async def answering(folder: Path, log: Path) -> AsyncIterator[tuple[Disk, Team]]:
    disk = Disk(folder)
    async with SlackServer(granted()) as slack, disk.nursery as nursery:
        slack.streams_per_minute = 1_000_000
        await nursery.start(folder / "data", slack.api_url, log)
        await slack.connected.wait()
        yield disk, Team(slack)


async def fills_and_empties(disk: Disk, team: Team, number: int) -> None:
    """Once; people ask before, meanwhile and afterwards, also where nobody asked before."""
    dice = random.Random(number)
    new = f"N{number}"
    team.slack.workspace.add(new)
    channels = ["C0", "C1", new]
    for _ in range(3):
        team.ask(dice, dice.choice(channels[:2]))
    await asyncio.sleep(dice.uniform(0.0, 0.2))
    disk.fill(dice.choice(ROOMS))
    for _ in range(4):
        team.ask(dice, dice.choice(channels))
        await asyncio.sleep(dice.uniform(0.0, 0.2))
    await asyncio.sleep(dice.choice((0.1, 1.5)))
    disk.empty()
    for _ in range(2):
        team.ask(dice, dice.choice(channels))


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_no_question_is_lost_or_answered_twice_while_the_disk_fills_and_empties(
    folder: Path, tmp_path: Path, record_property: Count
) -> None:
    """The bot that was started goes on, and its log tells of no error that is not ours."""
    log = tmp_path / "log"
    async with answering(folder, log) as (disk, team):
        team.slack.workspace.add("C0")
        team.slack.workspace.add("C1")
        for number in range(FILLED):
            await fills_and_empties(disk, team, number)
        await until(lambda: not team.telling)
        try:
            await until(lambda: not team.unanswered(), seconds=PATIENCE)
        except TimeoutError:
            lost, known = team.unanswered(), disk.messages(tmp_path / "copy")
            raise AssertionError((lost, [row for row in known if str(row[0]).endswith(tuple(lost))])) from None
        assert disk.nursery.living
        assert [message.text[:40] for message in team.asked if len(team.replies(message)) != 1] == []
        record_property("fillings", FILLED)
        record_property("questions", len(team.asked))
        record_property("given up by Slack", len(team.people.unacked))
    assert "Traceback" not in log.read_text()
