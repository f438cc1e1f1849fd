"""`citewell run` with both platforms in one process; one that cannot log in leaves the other alone."""

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
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.driver import Said
from tests.contracts.slack_driver import SlackDriver
from tests.contracts.waiting import until
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN

QUESTION = "How many vacation days do employees get?"


@asynccontextmanager
async def running(
    slack: SlackDriver, discord: DiscordDriver, token: str, folder: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    environment = {
        "PATH": os.environ["PATH"],
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "SLACK_APP_TOKEN": APP_TOKEN,
        "SLACK_API_URL": slack.slack.api_url,
        "DISCORD_TOKEN": token,
        "DISCORD_API_URL": discord.discord.api_url,
        "CITEWELL_DATA": str(folder),
        "CITEWELL_EMBEDDER": "none",
        "CITEWELL_MODEL": "extractive",
    }
    command = (sys.executable, "-m", "bot", "run")
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=PIPE, stderr=PIPE)
    try:
        await slack.slack.connected.wait()
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("discord_works", [True, False])
async def test_both_platforms_run_in_one_process(discord_works: bool, documents: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    settings = Settings(_env_file=None, data=folder, model="extractive", embedder="none")  # type: ignore[call-arg]
    async with open_citewell(settings) as citewell:
        await citewell.index([documents])
    slack, discord = SlackDriver(tmp_path / "unused"), DiscordDriver(tmp_path / "unused too")
    token = discord.discord.token if discord_works else "not-the-token"
    async with slack.double(), discord.discord, running(slack, discord, token, folder) as process:
        asked = await slack.mention("ann", QUESTION)
        await until(lambda: any("25 vacation days" in shown.text for shown in slack.replies(asked)), seconds=30)
        if discord_works:
            await discord.discord.gateway.connected()
            asker = discord.discord.someone("ann", discord.guild)
            said = Said("ann", await discord.discord.say(asker, discord.channel, f"@Citewell {QUESTION}"))
            await until(lambda: any("25 vacation days" in shown.text for shown in discord.replies(said)), seconds=30)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10):
            told, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        assert ("discord is left out" in told.decode()) is not discord_works
        assert "Traceback" not in told.decode() + errors.decode()
