"""A channel as a source: named at the terminal, read by `citewell run`, asked about, and forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.slack_driver import SlackDriver
from tests.contracts.waiting import eventually
from tests.journeys.process import answered, citewell, running, stopped

SAID = "The staging password is rotated every Monday by the platform team."
QUESTION = "How often is the staging password rotated?"
AGREED = {"CITEWELL_SLACK_INDEX": "own-app-under-slack-api-terms"}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "agreed"), [(SlackDriver, AGREED), (DiscordDriver, {})])
async def test_a_channel_is_named_read_asked_about_and_forgotten(
    kind: type[SlackDriver | DiscordDriver], agreed: dict[str, str], indexed_data: Path, tmp_path: Path
) -> None:
    team = kind(tmp_path / "unused")
    async with team.double():
        settings = team.environment | agreed
        name = f"{team.place.platform}:#team"
        await team.before("bob", SAID)
        assert "is a source now" in await citewell(indexed_data, "sources", "add", name, **settings)
        async with running(indexed_data, team, **agreed) as process:

            async def read() -> bool:
                listed = await citewell(indexed_data, "sources", "list", **settings)
                return "as it is said" in listed and "to come" not in listed

            await eventually(read)
            await answered(team, await team.mention("ann", QUESTION), "every Monday", "thread in #team")
            await stopped(process)
        told = await citewell(indexed_data, "sources", "remove", name, "--yes", **settings)
        assert "no source any more, 1 message removed" in told
        assert "#team" not in await citewell(indexed_data, "sources", "list", **settings)


@pytest.mark.slow
async def test_slacks_terms_come_before_a_channel_of_it(indexed_data: Path, tmp_path: Path) -> None:
    team = SlackDriver(tmp_path / "unused")
    async with team.double():
        told = await citewell(indexed_data, "sources", "add", "slack:#team", **team.environment)
        assert "Slack's API Terms" in told
        assert "CITEWELL_SLACK_INDEX=own-app-under-slack-api-terms" in told
        told = await citewell(indexed_data, "sources", "add", "slack:#elsewhere", **team.environment, **AGREED)
        assert "the bot is in no channel #elsewhere" in told
