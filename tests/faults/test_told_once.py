"""`kill -9` before and after what somebody wanted to be told is posted: it is told, and once."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from bot.services.subscriptions import retry_subscriptions
from pipeline.values import AnswerSubscription, ConversationId
from pipeline.words import wording
from storage.open import open_storage
from tests.contracts.slack_driver import granted
from tests.contracts.waiting import eventually, until
from tests.doubles.discord import eyes
from tests.doubles.discord.faults import Fault
from tests.doubles.discord.server import FakeDiscord
from tests.doubles.slack.rules import Json
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import TEAM
from tests.faults.nursery import Nursery

POST = r"/channels/\d+/messages$"


async def wanted(folder: Path, origin: ConversationId, person: str, message: str = "") -> AnswerSubscription:
    """Somebody wants to be told, and the job has put that into the inbox."""
    wish = AnswerSubscription(
        id="c0ffee", answer_id="n0", person=person, question="quick question", origin=origin, message=message
    )
    async with open_storage(folder) as storage:
        await storage.subscriptions.save(wish, limit=1)
        await retry_subscriptions(storage.subscriptions, storage.inbox)
    return wish


async def is_over(folder: Path, wish: AnswerSubscription) -> None:
    """Wait until the store knows that it was told."""

    async def over() -> bool:
        async with open_storage(folder) as storage:
            await storage.subscriptions.due(1)
            return await storage.subscriptions.find_by_message(wish.key) is None

    await eventually(over)


@pytest.mark.slow
@pytest.mark.parametrize(("moment", "private"), [("before", True), ("after", False)])
async def test_on_slack(tmp_path: Path, moment: str, private: bool) -> None:
    async with SlackServer(granted()) as slack, Nursery("tests.faults.slack_bot") as nursery:
        dead = asyncio.Event()
        slack.workspace.add("C0")
        channel = slack.workspace.dm("U1").id if private else "C0"
        thread = "" if private else slack.workspace.put("C0", "U1", "quick question").ts

        async def hook(method: str, arguments: Json, when: str) -> str | None:
            if (method, when) != ("chat.postMessage", moment) or dead.is_set():
                return None
            nursery.shoot()
            dead.set()
            return "drop"

        slack.hook = hook
        origin = ConversationId(platform="slack", space=TEAM, channel=channel, thread=thread)
        wish = await wanted(tmp_path / "data", origin, f"slack:{TEAM}:U1")
        await nursery.start(tmp_path / "data", slack.api_url)
        await dead.wait()
        await nursery.kill()
        await nursery.start(tmp_path / "data", slack.api_url)
        await is_over(tmp_path / "data", wish)
        told = [one for one in slack.workspace.messages.values() if wording.SUBSCRIPTION_INTRO in one.text]
        assert len(told) == 1
        assert (told[0].channel, told[0].thread_ts) == (channel, thread)


@pytest.mark.slow
@pytest.mark.parametrize(("moment", "private"), [("before", False), ("after", True)])
async def test_on_discord(tmp_path: Path, moment: str, private: bool) -> None:
    async with FakeDiscord() as discord, Nursery("tests.faults.discord_bot") as nursery:
        dead = asyncio.Event()
        guild = discord.world.guild()
        person = discord.someone("ann", guild)
        channel = discord.world.direct(person) if private else discord.world.channel(guild, "team")
        question = await discord.say(person, channel, "said among people")

        def hook(method: str, path: str, when: str) -> Fault | None:
            if (method, when) != ("POST", moment) or not re.search(POST, path) or dead.is_set():
                return None
            nursery.shoot()
            discord.world.nonces.clear()
            dead.set()
            return Fault(drop=True)

        discord.faults.hook = hook
        origin = ConversationId(platform="discord", space="dm" if private else guild, channel=channel)
        about = "" if private else question["id"]
        wish = await wanted(tmp_path / "data", origin, f"discord:{person['id']}", about)
        await nursery.start(tmp_path / "data", discord.api_url, "replies")
        await dead.wait()
        await nursery.kill()
        await until(lambda: not any(session.socket for session in discord.gateway.sessions.values()))
        await nursery.start(tmp_path / "data", discord.api_url, "replies")
        await is_over(tmp_path / "data", wish)
        texts = ["\n".join(eyes.texts(message)) for message in discord.replies(channel)]
        assert len([text for text in texts if wording.SUBSCRIPTION_INTRO in text]) == 1
