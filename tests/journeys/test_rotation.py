"""`citewell run` goes on with new tokens, and what was asked while the old ones did not count is answered."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.slack_driver import SlackDriver
from tests.contracts.waiting import until
from tests.journeys.process import answered, running, told


def known(folder: Path) -> int:
    """In how many places it is written down up to when everything is known."""
    with closing(sqlite3.connect(folder / "citewell.db")) as database:
        (count,) = database.execute("SELECT count(*) FROM seen").fetchone()
        return int(count)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", [DiscordDriver])
async def test_a_question_asked_between_two_tokens_is_answered_once(
    kind: type[SlackDriver] | type[DiscordDriver], indexed_data: Path, tmp_path: Path
) -> None:
    team = kind(tmp_path / "unused")
    async with team.double():
        async with running(indexed_data, team) as process:
            before = await team.mention("ann", "How many vacation days do employees get?")
            await answered(team, before, "25 vacation days")
            await until(lambda: known(indexed_data), seconds=60)
            await (team.slack if isinstance(team, SlackDriver) else team.discord).replace_tokens()
            between = await team.mention("ann", "When do unused vacation days expire?")
            said, _ = await process.communicate()
            assert "is left out" in said.decode()
        async with running(indexed_data, team):
            await until(lambda: "31 March" in told(team, between), seconds=90)
            after = await team.mention("bob", "What is the limit for a hotel?")
            await answered(team, after, "140 euros")
            assert [len(team.replies(said)) for said in (before, between, after)] == [1, 1, 1]
