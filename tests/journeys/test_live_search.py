"""Where the documents do not answer, Slack's own search may: cited by its link, and kept nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.slack_driver import SlackDriver, granted
from tests.doubles.slack.workspace import BOT
from tests.journeys.process import answered, running, stopped

SAID = "The quetzal conference room got a new projector that speaks wireless HDMI."
QUESTION = "Which room got a new projector?"
ELSEWHERE = "C0NEWS"


def written_in(folder: Path, word: str) -> list[str]:
    """The files that have a word in them."""
    return [file.name for file in folder.rglob("*") if file.is_file() and word.encode() in file.read_bytes()]


@pytest.mark.slow
async def test_what_somebody_said_answers_where_no_document_does_and_is_kept_nowhere(
    indexed_data: Path, tmp_path: Path
) -> None:
    team = SlackDriver(tmp_path / "unused")
    async with team.double():
        team.workspace.add(ELSEWHERE, name="news")
        team.people.write("U0BOB", ELSEWHERE, SAID)
        async with running(indexed_data, team) as process:
            said = await team.mention("ann", QUESTION)
            await answered(team, said, "wireless HDMI", "thread in #news")
            assert any("C0NEWS" in link for one in team.replies(said) for link in one.links)
            told = await stopped(process)
    assert "quetzal" not in told
    assert written_in(indexed_data, "quetzal") == []
    assert written_in(indexed_data, "C0NEWS/p") != []


@pytest.mark.slow
async def test_documents_come_first_and_closed_channels_guests_and_missing_scopes_find_nothing(
    indexed_data: Path, tmp_path: Path
) -> None:
    team = SlackDriver(tmp_path / "unused")
    async with team.double():
        team.workspace.add(ELSEWHERE, "private", name="board")
        team.people.write("U0BOB", ELSEWHERE, SAID)
        team.workspace.add("C0OPEN", name="open")
        team.people.write("U0BOB", "C0OPEN", "Employees get 40 vacation days, or so I heard.")
        async with running(indexed_data, team) as process:
            await answered(team, await team.mention("ann", "How many vacation days do employees get?"), "25 vacation")
            await answered(team, await team.mention("ann", QUESTION), "could not find")
            team.slack.scopes = granted() - {"search:read.public"}
            team.workspace.channels[ELSEWHERE].kind = "channel"
            await answered(team, await team.mention("ann", QUESTION), "could not find")
            await stopped(process)


@pytest.mark.slow
async def test_what_others_asked_is_no_answer(indexed_data: Path, tmp_path: Path) -> None:
    team, asked = SlackDriver(tmp_path / "unused"), "Who painted the quetzal statue?"
    async with team.double():
        team.workspace.add(ELSEWHERE, name="news")
        team.people.write("U0BOB", ELSEWHERE, f"<@{BOT}> {asked}")
        team.people.write("U0BOB", ELSEWHERE, asked)
        async with running(indexed_data, team) as process:
            await answered(team, await team.mention("ann", asked), "could not find")
            await stopped(process)
