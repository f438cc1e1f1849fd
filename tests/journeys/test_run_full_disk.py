"""`citewell run` outlives a full disk: what is asked meanwhile is answered when there is room again."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.slack_driver import SlackHTTPDriver
from tests.journeys.process import answered, running, stopped, told

ALL = resource.RLIM_INFINITY


def room(process: int, size: int) -> None:
    """It can write no file beyond so many bytes."""
    resource.prlimit(process, resource.RLIMIT_FSIZE, (size, ALL))


@pytest.mark.slow
async def test_a_bot_on_a_full_disk_takes_in_nothing_and_goes_on_when_there_is_room(
    indexed_data: Path, tmp_path: Path
) -> None:
    """What Slack gave up sending meanwhile is read and answered at the next start."""
    team = SlackHTTPDriver(tmp_path / "unused")
    async with team.double():
        async with running(indexed_data, team) as process:
            first = await team.mention("ann", "How many vacation days do employees get?")
            await answered(team, first, "25 vacation days")
            room(process.pid, 0)
            missed = await team.mention("ann", "What is the limit for a hotel?")
            assert process.returncode is None
            room(process.pid, ALL)
            later = await team.mention("bob", "When do unused vacation days expire?")
            await answered(team, later, "31 March")
            assert told(team, missed) == ""
            logged = await stopped(process)
        async with running(indexed_data, team) as process:
            await answered(team, missed, "140 euros")
            assert len(team.replies(missed)) == 1
            await stopped(process)
    assert "the disk is full" in logged
    with closing(sqlite3.connect(indexed_data / "citewell.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
