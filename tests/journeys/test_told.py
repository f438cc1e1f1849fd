"""Told when fixed, with `citewell run` on each platform: asked in vain, a document written, the job run, told."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config.settings import Settings
from bot.wiring import open_citewell
from pipeline.words import wording
from tests.contracts.discord_driver import DiscordDriver, DiscordThreadsDriver
from tests.contracts.slack_driver import SlackDriver
from tests.contracts.waiting import until
from tests.journeys.process import answered, running

PLATFORMS = [SlackDriver, DiscordThreadsDriver]
PARKING = "# Parking\n\nVisitors park in the yard behind the building. A permit for visitors costs 4 euros a day.\n"


@pytest.mark.slow
@pytest.mark.parametrize("kind", PLATFORMS)
async def test_who_asked_in_vain_is_told_once_a_document_answers_it(
    kind: type[SlackDriver] | type[DiscordDriver],
    settings: Settings,
    documents: Path,
    indexed_data: Path,
    tmp_path: Path,
) -> None:
    team = kind(tmp_path / "unused")
    async with team.double(), running(indexed_data, team):
        asked = await team.mention("ann", "What does a permit for visitors cost?")
        await answered(team, asked, wording.RELATED_PASSAGES)
        alone = await team.ask("bob", "Where do visitors park?")
        await answered(team, alone, wording.RELATED_PASSAGES)
        assert await team.tell_me(asked, "ann") == wording.SUBSCRIBED
        assert await team.tell_me(alone, "bob") == wording.SUBSCRIBED_PRIVATELY
        (documents / "parking.md").write_text(PARKING)
        async with open_citewell(settings) as citewell:
            await citewell.index([documents])
            await citewell.retry_subscriptions()
        await until(lambda: team.told(asked) and team.told(alone), seconds=30)
        (among,), (private,) = team.told(asked), team.told(alone)
        assert "4 euros" in among.text
        assert "Parking" in among.text
        assert "yard" in private.text
        async with open_citewell(settings) as citewell:
            (documents / "more.md").write_text("# More\n\nThere is more to read elsewhere.\n")
            await citewell.index([documents])
            await citewell.retry_subscriptions()
            assert (await citewell.storage.subscriptions.due(9)).subscriptions == ()
        assert len(team.told(asked)) == len(team.told(alone)) == 1
