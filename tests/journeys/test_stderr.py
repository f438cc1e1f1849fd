"""What real commands write to standard error: nothing unasked, and of a service one JSON object a line."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.slack_driver import SlackDriver, SlackHTTPDriver
from tests.doubles.ports import free_port
from tests.journeys.process import answered, running

QUESTION = "How many vacation days do employees get?"


async def errors(folder: Path, *words: str) -> str:
    """What a command that does well says on standard error."""
    environment = {"PATH": os.environ["PATH"], "CITEWELL_DATA": str(folder / "data"), "CITEWELL_MODEL": "extractive"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "dev", "-W", "default", "-m", "bot", *words), env=environment, stdout=PIPE, stderr=PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == 0, said
    return said.decode()


@pytest.mark.slow
async def test_no_command_says_anything_unasked(indexed_data: Path, tmp_path: Path) -> None:
    commands = (("ask", QUESTION), ("documents",), ("schedule", "run", "sync"), ("backup",), ("history", "ratings"))
    assert [await errors(tmp_path, *words) for words in commands] == [""] * len(commands)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SlackDriver, SlackHTTPDriver, DiscordDriver])
async def test_a_service_logs_json_lines_and_names_the_question_in_what_it_logs_of_its_answer(
    kind: type[SlackDriver] | type[DiscordDriver], indexed_data: Path, tmp_path: Path
) -> None:
    team = kind(tmp_path / "unused")
    no_model = {
        "CITEWELL_MODEL": "openai:none",
        "OPENAI_API_KEY": "sk-nobody",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{free_port()}/v1",
    }
    async with team.double(), running(indexed_data, team, **no_model) as process:
        said = await team.mention("ann", QUESTION)
        await answered(team, said, "25 vacation days")
        process.send_signal(signal.SIGTERM)
        _, written = await process.communicate()
    lines = [json.loads(line) for line in written.decode().splitlines()]
    assert all({"event", "level", "timestamp"} <= set(line) for line in lines)
    about = [line for line in lines if "model" in line["event"] or "draft" in line["event"] or "judge" in line["event"]]
    assert about
    assert len({line["key"] for line in about}) == 1
