"""`citewell run` with both platforms in one process; one that cannot log in leaves the other alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.slack_driver import SlackDriver
from tests.journeys.process import answered, running, stopped

QUESTION = "How many vacation days do employees get?"


@pytest.mark.slow
async def test_both_platforms_run_in_one_process(indexed_data: Path, tmp_path: Path) -> None:
    slack, discord = SlackDriver(tmp_path / "unused"), DiscordDriver(tmp_path / "unused too")
    async with slack.double(), discord.double(), running(indexed_data, slack, discord) as process:
        for team in (slack, discord):
            await answered(team, await team.mention("ann", QUESTION), "25 vacation days")
        await stopped(process)


@pytest.mark.slow
async def test_a_platform_that_cannot_log_in_does_not_stop_the_other(indexed_data: Path, tmp_path: Path) -> None:
    slack, discord = SlackDriver(tmp_path / "unused"), DiscordDriver(tmp_path / "unused too")
    async with slack.double(), discord.double():
        wrong = discord.environment | {"DISCORD_TOKEN": "not-the-token"}
        async with running(indexed_data, slack, **wrong) as process:
            await answered(slack, await slack.mention("ann", QUESTION), "25 vacation days")
            assert "discord is left out" in await stopped(process)
