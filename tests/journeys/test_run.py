"""`citewell run` on each platform: asked in every way, answered from real documents, killed, started again, stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.values import RatingReason
from pipeline.words import wording
from tests.contracts.discord_driver import DiscordDriver, DiscordThreadsDriver
from tests.contracts.slack_driver import SlackDriver, SlackHTTPDriver
from tests.contracts.waiting import eventually
from tests.doubles.postgres import Server
from tests.journeys.process import answered, indexed, running, stopped

PLATFORMS = [SlackHTTPDriver, DiscordThreadsDriver]
"""With the embedded database; Slack over its socket goes on with PostgreSQL."""
BELOW = "confidence"
"""Stands below an answer, with its sources and its buttons."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", PLATFORMS)
async def test_a_team_asks_and_goes_on_after_the_process_was_killed(
    kind: type[SlackDriver] | type[DiscordDriver], indexed_data: Path, tmp_path: Path
) -> None:
    await goes_on(kind(tmp_path / "unused"), indexed_data)


@pytest.mark.slow
async def test_a_team_asks_and_goes_on_with_postgresql(documents: Path, tmp_path: Path, postgres: Server) -> None:
    database = postgres.empty()
    await indexed(tmp_path / "data", documents, database)
    await goes_on(SlackDriver(tmp_path / "unused"), tmp_path / "data", database)


async def goes_on(team: SlackDriver | DiscordDriver, folder: Path, database: str = "") -> None:
    async with team.double():
        async with running(folder, team, CITEWELL_DATABASE=database):
            mention = await team.mention("ann", "How many vacation days do employees get?")
            await answered(team, mention, "25 vacation days", "[1]", "Leave policy", BELOW)
            follow_up = await team.follow_up("bob", "When do unused vacation days expire?", mention)
            await answered(team, follow_up, "31 March")
            direct = await team.direct("ann", "What is the limit for a hotel?")
            await answered(team, direct, "140 euros", BELOW)
            private = await team.ask("ann", "When do unused vacation days expire?")
            await answered(team, private, "31 March", BELOW)
            menu = await team.answer_this("bob", await team.aside("ann", "How do I claim expenses?"))
            await answered(team, menu, "Attach the receipt")
            unknown = await team.mention("ann", "Who won the chess world championship in 1972?")
            await answered(team, unknown, wording.ANSWER_NOT_FOUND.rstrip("."))
            replies = len(team.replies(mention))
        async with running(folder, team, CITEWELL_DATABASE=database) as process:
            assert any("140 euros" in shown.text for shown in await team.passages(direct, "ann"))
            assert any("confidence" in shown.text for shown in await team.why(mention, "bob"))
            assert any("31 March" in shown.text for shown in await team.share(private, "ann"))
            await team.rate(mention, "bob", helpful=False, reason=RatingReason.OUTDATED, comment="It is 26 now")

            async def kept() -> bool:
                return "It is 26 now" in await team.export("bob")

            await eventually(kept)
            assert len(team.replies(mention)) == replies
            later = await team.follow_up("ann", "How do I claim expenses?", mention)
            await answered(team, later, "Attach the receipt")
            said = await stopped(process)
        assert ("I am @docs-answers in Acme" if isinstance(team, SlackDriver) else "I am Citewell") in said
