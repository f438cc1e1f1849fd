"""Two `citewell run` on one PostgreSQL database: they share the work, and one goes on where the other was killed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.slack_driver import SlackDriver, user
from tests.contracts.waiting import until
from tests.doubles.llm.faults import Text
from tests.doubles.llm.server import LlmServer
from tests.doubles.postgres import Server
from tests.journeys.process import answered, indexed, running, stopped, told, written_by

QUESTION = "How many vacation days do employees get?"


@pytest.fixture
async def url(documents: Path, tmp_path: Path, postgres: Server) -> str:
    """The address of a database that holds the documents."""
    url = postgres.empty()
    await indexed(tmp_path / "data", documents, url)
    return url


@pytest.mark.slow
async def test_two_processes_answer_each_question_once_and_one_alone_when_the_other_is_killed(
    tmp_path: Path, url: str
) -> None:
    team = SlackDriver(tmp_path / "unused")
    async with (
        team.double(),
        running(tmp_path / "data", team, CITEWELL_DATABASE=url) as one,
        running(tmp_path / "other", team, CITEWELL_DATABASE=url) as other,
    ):
        await until(lambda: len(team.slack.sockets) == 4)
        asked = [await team.mention("ann", QUESTION) for _ in range(4)]
        await asyncio.gather(*(answered(team, said, "25 vacation days") for said in asked))
        asked += [await team.mention("bob", QUESTION) for _ in range(4)]
        other.kill()
        await other.wait()
        asked += [await team.mention("ann", QUESTION) for _ in range(4)]
        await asyncio.gather(*(answered(team, said, "25 vacation days") for said in asked))
        assert [len(team.replies(said)) for said in asked] == [1] * 12
        await stopped(one)


@pytest.mark.slow
async def test_one_process_takes_in_what_another_answers(tmp_path: Path, url: str) -> None:
    team = SlackDriver(tmp_path / "unused")
    async with (
        team.double(),
        running(tmp_path / "data", team, only="slack", CITEWELL_DATABASE=url) as taking,
        running(tmp_path / "other", only="worker", CITEWELL_DATABASE=url, **team.environment) as answering,
    ):
        mention = await team.mention("ann", QUESTION)
        await answered(team, mention, "25 vacation days", "confidence")
        private = await team.ask("ann", QUESTION)
        await answered(team, private, "25 vacation days")
        assert any("25 vacation days" in shown.text for shown in await team.passages(mention, "ann"))
        assert len(team.slack.sockets) == 2
        assert "Another citewell run answers them" in await stopped(taking)
        assert "This process connects to no platform" in await stopped(answering)


@pytest.mark.slow
async def test_an_answer_is_stopped_by_a_button_that_another_process_hears(tmp_path: Path, url: str) -> None:
    team = SlackDriver(tmp_path / "unused")
    endless = Text(
        f"Employees get 25 vacation days a year [1]. {'Contractors get none [1]. ' * 3}", held=asyncio.Event()
    )
    async with (
        team.double(),
        LlmServer([endless]).running() as server,
        running(tmp_path / "data", team, only="slack", CITEWELL_DATABASE=url),
        running(
            tmp_path / "other",
            only="worker",
            CITEWELL_DATABASE=url,
            **team.environment,
            **written_by(server, seconds="15"),
        ),
    ):
        said = await team.mention("ann", QUESTION)
        await until(lambda: "25 vacation days" in told(team, said))
        await team.people.stop(said.handle.channel, said.handle.ts, user("ann"))
        assert "Stopped, as you asked." in await answered(team, said, "Stopped")
        assert len(team.replies(said)) == 1


@pytest.mark.slow
async def test_another_process_connects_to_discord_when_the_one_that_was_is_killed(tmp_path: Path, url: str) -> None:
    team = DiscordDriver(tmp_path / "unused")
    async with team.double(), running(tmp_path / "data", team, CITEWELL_DATABASE=url) as first:
        await answered(team, await team.mention("ann", QUESTION), "25 vacation days")
        async with running(tmp_path / "other", CITEWELL_DATABASE=url, **team.environment):
            await answered(team, before := await team.mention("ann", QUESTION), "25 vacation days")
            first.kill()
            await first.wait()
            await team.gone()
            await team.arrived()
            await answered(team, after := await team.mention("bob", QUESTION), "25 vacation days")
            assert [len(team.replies(said)) for said in (before, after)] == [1, 1]
