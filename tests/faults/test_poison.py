"""A question that ends the process, again and again: its asker is told once, and nobody else pays for it."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.discord import eyes
from tests.doubles.discord.server import FakeDiscord
from tests.doubles.slack.people import People
from tests.doubles.slack.rules import EVENTS, Json
from tests.doubles.slack.server import SlackServer
from tests.faults.discord_bot import noted
from tests.faults.nursery import Nursery

APOLOGY = "Something went wrong on my side, and this question was not answered."
OTHERS = 6


class Scene:
    """A platform, and a supervisor that starts a bot whenever there is none."""

    def __init__(self, nursery: Nursery, folder: Path) -> None:
        self.nursery = nursery
        self.folder = folder
        self.ends = 0

    @abstractmethod
    async def ask(self, channel: int, text: str) -> Any:
        """A question in a channel of its own."""

    @abstractmethod
    def replies(self, question: Any) -> Sequence[str]:
        """What people see under it."""

    @abstractmethod
    async def start(self) -> None: ...

    @abstractmethod
    async def ready(self) -> None:
        """Wait until the bot misses nothing any more."""

    async def supervise(self) -> None:
        while True:
            await self.start()
            await until(lambda: not self.nursery.living, seconds=120)
            self.ends += 1


class OnSlack(Scene):
    def __init__(self, nursery: Nursery, folder: Path, slack: SlackServer) -> None:
        super().__init__(nursery, folder)
        self.slack = slack
        slack.hook = self.hook
        self.people = People(slack, list(EVENTS))
        for number in range(OTHERS + 1):
            slack.workspace.add(f"C{number}")

    async def hook(self, method: str, arguments: Json, when: str) -> str | None:
        """Posting an answer about what is deadly ends the process."""
        if method.startswith("chat.") and when == "before" and "deadly" in str(arguments):
            self.nursery.shoot()
            return "drop"
        return None

    async def ask(self, channel: int, text: str) -> Any:
        message = self.people.write(f"U{channel}", f"C{channel}", f"<@U0BOT> {text}")
        await asyncio.gather(*(self.people.event(event) for event in self.people.told(message)))
        return message

    def replies(self, question: Any) -> Sequence[str]:
        return [reply.shown for reply in self.slack.workspace.replies(question)]

    async def start(self) -> None:
        await self.nursery.start(self.folder, self.slack.api_url)

    async def ready(self) -> None:
        await self.slack.connected.wait()


class OnDiscord(Scene):
    def __init__(self, nursery: Nursery, folder: Path, discord: FakeDiscord) -> None:
        super().__init__(nursery, folder)
        self.discord = discord
        guild = discord.world.guild()
        self.channels = [discord.world.channel(guild, f"c{number}") for number in range(OTHERS + 1)]
        self.person = discord.someone("person", guild)

    async def ask(self, channel: int, text: str) -> Any:
        return await self.discord.say(self.person, self.channels[channel], f"@Citewell {text}")

    def replies(self, question: Any) -> Sequence[str]:
        return ["\n".join(eyes.texts(reply)) for reply in self.discord.answers.get(question["id"], [])]

    async def start(self) -> None:
        await self.nursery.start(self.folder, self.discord.api_url, "replies")

    async def ready(self) -> None:
        await self.discord.gateway.connected()
        await until(lambda: noted(self.folder), seconds=30)


@pytest.fixture
async def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Scene]:
    async with opened(request.param, tmp_path / "data") as made:
        supervisor = asyncio.create_task(made.supervise())
        await made.ready()
        yield made
        supervisor.cancel()


@asynccontextmanager
async def opened(platform: str, folder: Path) -> AsyncIterator[Scene]:
    async with Nursery(f"tests.faults.{platform}_bot") as nursery:
        if platform == "slack":
            async with SlackServer(granted()) as slack:
                yield OnSlack(nursery, folder, slack)
                await nursery.kill()
        else:
            async with FakeDiscord() as discord:
                yield OnDiscord(nursery, folder, discord)
                await nursery.kill()


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("scene", "question"),
    [("discord", "poison"), ("slack", "a deadly question")],
    indirect=["scene"],
    ids=["discord, while thinking", "slack, while posting"],
)
async def test_who_asked_what_ends_the_process_is_told_once_and_the_others_are_answered(
    scene: Scene, question: str
) -> None:
    deadly = await scene.ask(0, question)
    others = [await scene.ask(number + 1, f"slow question {number}") for number in range(OTHERS)]
    await until(lambda: all(any("Last" in text for text in scene.replies(other)) for other in others), seconds=60)
    await until(lambda: any(APOLOGY in text for text in scene.replies(deadly)), seconds=120)
    (told,) = scene.replies(deadly)
    assert told.split(APOLOGY)[1].strip()
    assert [len(scene.replies(other)) for other in others] == [1] * OTHERS
    assert scene.ends <= 8
