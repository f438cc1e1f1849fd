"""`citewell run` and `citewell ask` with a model: sentences as they come, what is shown when it fails, its tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.words import wording
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.driver import Said
from tests.contracts.slack_driver import SlackDriver
from tests.contracts.waiting import until
from tests.doubles.llm.faults import Act, Cut, Hang, Status, Text
from tests.doubles.llm.server import LlmServer
from tests.journeys.process import Platform, asked, running, told, written_by

QUESTION = "How many vacation days do employees get?"
FIRST, SECOND, LAST = "Employees get 25 vacation days a year", "Contractors get no paid vacation days", "on 31 March"
WHOLE = Text(f"{FIRST} [1]. {SECOND} [1]. Unused days expire {LAST} of the following year [1].", size=4, pause=0.05)
FAILS: dict[str, Act] = {"down": Status(500), "silent": Hang(), "cut before a sentence": Cut("Employees get")}
FELL_BACK = "The language model did not answer."
COST = "Written by openai:double; tokens: 120 read, 30 written."


def slack_streamed(slack: SlackDriver) -> bool:
    calls = [len(slack.slack.called(f"chat.{name}Stream")) for name in ("start", "append", "stop")]
    return calls[0] == calls[2] == 1 and calls[1] >= 1


def discord_edited(discord: DiscordDriver) -> bool:
    return len(discord.discord.messages.edits) >= 2


async def grown(team: Platform, said: Said, last: str, shown: asyncio.Event) -> list[str]:
    """Everything the reply said, one state after another, until it is complete; `shown` once the first sentence is."""
    states = [""]

    def complete() -> bool:
        now = told(team, said)
        if now != states[-1]:
            states.append(now)
        if FIRST in now:
            shown.set()
        return last in now and not team.at_work(said)

    await until(complete, seconds=90)
    return states


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "streamed"), [(SlackDriver, slack_streamed), (DiscordDriver, discord_edited)], ids=["slack", "discord"]
)
async def test_a_model_writes_what_a_team_reads(
    kind: type[SlackDriver] | type[DiscordDriver],
    streamed: Callable[[object], bool],
    indexed_data: Path,
    tmp_path: Path,
) -> None:
    team = kind(tmp_path / "unused")
    shown = asyncio.Event()
    async with (
        team.double(),
        LlmServer([replace(WHOLE, held=shown)]).running() as server,
        running(indexed_data, team, **written_by(server, seconds="15")),
    ):
        said = await team.mention("ann", QUESTION)
        *before, complete = await grown(team, said, "Leave policy", shown)
        assert any(FIRST in state and LAST not in state for state in before)
        assert all(sentence in complete for sentence in (FIRST, SECOND, LAST, "[1]"))
        assert FELL_BACK not in complete
        assert len(team.replies(said)) == 1
        assert streamed(team)
        assert COST in await why(team, said)
        assert "openai:double" in await team.export("ann")

        server.script = [Cut(f"{FIRST} [1]. {SECOND}")]
        said = await team.mention("ann", QUESTION)
        *_, complete = await grown(team, said, "Leave policy", shown)
        assert FIRST in complete
        assert wording.PARTIAL_CUT in complete
        assert LAST not in complete


@pytest.mark.slow
async def test_where_a_model_fails_a_team_reads_the_extract(indexed_data: Path, tmp_path: Path) -> None:
    team = SlackDriver(tmp_path / "unused")
    async with (
        team.double(),
        LlmServer().running() as server,
        running(indexed_data, team, **written_by(server, seconds="2")),
    ):
        for name, act in FAILS.items():
            server.otherwise = lambda _, act=act: act  # type: ignore[misc]
            said = await team.mention("ann", QUESTION)
            *_, complete = await grown(team, said, "Leave policy", asyncio.Event())
            assert FELL_BACK in complete, name
            assert "25 vacation days" in complete, name
            assert "without a language model" in await why(team, said), name


async def why(team: Platform, said: Said) -> str:
    return "\n".join(shown.text for shown in await team.why(said, "bob"))


@pytest.mark.slow
async def test_a_model_writes_what_a_person_at_a_terminal_reads(indexed_data: Path) -> None:
    async with LlmServer([WHOLE, Cut(f"{FIRST} [1]. {SECOND}")], otherwise=lambda _: Status(500)).running() as server:
        *before, complete = await asked(indexed_data, QUESTION, **written_by(server, seconds="30"))
        assert any(FIRST in state and LAST not in state for state in before)
        assert all(text in complete for text in (FIRST, SECOND, LAST, "[1]", "Leave policy", COST))
        assert complete.count(FIRST) == 1
        *_, complete = await asked(indexed_data, QUESTION, **written_by(server, seconds="30"))
        assert FIRST in complete
        assert wording.PARTIAL_CUT in complete
        *_, complete = await asked(indexed_data, QUESTION, **written_by(server, seconds="30"))
        assert FELL_BACK in complete
        assert "25 vacation days" in complete
        assert "model not used" in complete
        assert not any(line in complete for line in wording.PROGRESS.values())
