"""`citewell run` with the tokens of a Slack app: asked in every way, answered from real documents, stopped cleanly."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.wiring import open_citewell
from pipeline.values import Reason
from tests.contracts.driver import Said
from tests.contracts.slack_driver import SlackDriver, SlackHTTPDriver, listening, user
from tests.contracts.waiting import until
from tests.doubles.slack import eyes
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN, SECRET


@asynccontextmanager
async def running(driver: SlackDriver, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """The command as an operator starts it, ready to be asked."""
    received = (
        {"SLACK_SIGNING_SECRET": SECRET, "CITEWELL_SLACK_PORT": str(driver.port)}
        if driver.http
        else {"SLACK_APP_TOKEN": APP_TOKEN}
    )
    environment = {
        "PATH": os.environ["PATH"],
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "SLACK_API_URL": driver.slack.api_url,
        "CITEWELL_DATA": str(folder),
        "CITEWELL_EMBEDDER": "none",
        "CITEWELL_MODEL": "extractive",
        **received,
    }
    command = (sys.executable, "-m", "bot", "run")
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=PIPE, stderr=PIPE)
    try:
        await (listening(driver.port) if driver.http else driver.slack.connected.wait())
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def answered(driver: SlackDriver, said: Said, word: str) -> None:
    await until(lambda: any(word in shown.text for shown in driver.replies(said)), seconds=30)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SlackDriver, SlackHTTPDriver])
async def test_a_team_asks_in_slack(kind: type[SlackDriver], documents: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    settings = Settings(_env_file=None, data=folder, model="extractive", embedder="none")  # type: ignore[call-arg]
    async with open_citewell(settings) as citewell:
        await citewell.index([documents])
    driver = kind(tmp_path / "unused")
    async with driver.double(), running(driver, folder) as process:
        mention = await driver.mention("ann", "How many vacation days do employees get?")
        await answered(driver, mention, "25 vacation days")
        (reply,) = driver.replies(mention)
        assert "[1]" in reply.text
        assert "Leave policy" in reply.text
        assert "confidence" in reply.text

        follow_up = await driver.follow_up("bob", "And contractors?", mention)
        await answered(driver, follow_up, "Contractors")
        direct = await driver.direct("ann", "What is the limit for a hotel?")
        await answered(driver, direct, "140 euros")
        private = await driver.ask("ann", "When do unused vacation days expire?")
        await answered(driver, private, "31 March")
        arrived = await driver.people.shortcut(user("ann"), direct.handle)
        await until(lambda: any("140 euros" in eyes.readable(message["blocks"]) for message in arrived))
        unknown = await driver.mention("ann", "Who won the chess world championship in 1972?")
        await until(lambda: driver.replies(unknown))

        assert any("25 vacation days" in shown.text for shown in await driver.passages(mention, "bob"))
        assert any("confidence" in shown.text for shown in await driver.why(mention, "bob"))
        await driver.rate(mention, "bob", helpful=False, reason=Reason.OUTDATED, comment="It is 26 now")
        await until(lambda: driver.workspace.modals)
        assert "How many vacation days" in await driver.export("ann")
        shared = await driver.share(private, "ann")
        assert any("31 March" in shown.text for shown in shared)

        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10):
            told, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        assert "I am @docs-answers in Acme" in told.decode() + errors.decode()
