"""`citewell run` outlives a full disk: what is asked meanwhile is answered when there is room again."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.slack_driver import SlackDriver, SlackHTTPDriver
from tests.journeys.process import answered, running, stopped, told

ALL = resource.RLIM_INFINITY
QUESTIONS = (
    ("When do unused vacation days expire?", "31 March"),
    ("What is the limit for a hotel?", "140 euros"),
    ("How do I claim expenses?", "Attach the receipt"),
)


def room(process: int, size: int) -> None:
    """It can write no file beyond so many bytes."""
    resource.prlimit(process, resource.RLIMIT_FSIZE, (size, ALL))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SlackDriver, SlackHTTPDriver, DiscordDriver])
async def test_what_is_asked_while_the_disk_is_full_is_answered_once_there_is_room(
    kind: type[SlackDriver] | type[DiscordDriver], indexed_data: Path, tmp_path: Path
) -> None:
    team = kind(tmp_path / "unused")
    async with team.double(), running(indexed_data, team) as process:
        await answered(team, await team.mention("ann", "How many vacation days do employees get?"), "25 vacation days")
        room(process.pid, 0)
        asked = [(await team.direct("ann", question), word) for question, word in QUESTIONS]
        assert process.returncode is None
        assert not any(word in told(team, said) for said, word in asked)
        room(process.pid, ALL)
        for said, word in asked:
            assert (await answered(team, said, word)).count(word) == 1
        logged = await stopped(process)
    assert "the disk is full" in logged
    with closing(sqlite3.connect(indexed_data / "citewell.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
