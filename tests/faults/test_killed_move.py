"""`kill -9` while everything moves: the same command goes on, and the end is the same."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.commands.app import app
from pipeline.errors import Misconfigured
from storage.data_migration import open_endpoint
from tests.doubles.engines import Engine
from tests.doubles.everything import contents, fill
from tests.doubles.postgres import Server
from tests.doubles.processes import child

ROOT = Path(__file__).parents[2]
PASSWORD = "&password=hidden"


async def filled(place: str) -> None:
    async with open_endpoint(place, embedder=str, make=True) as end:
        await fill(end)


async def killed(source: str, target: str, batches: int) -> int:
    script = str(ROOT / "tests" / "faults" / "moving_process.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    async with child(sys.executable, script, source, target, str(batches), env=environment) as process:
        status = await process.wait()
    for place in (source, target):
        await released(place)
    return status


async def released(place: str) -> None:
    """Return once the server has noticed that who held it is gone."""
    while True:
        with suppress(Misconfigured):
            async with open_endpoint(place, embedder=str, make=False):
                return


async def held(*places: str) -> list[dict[str, list[tuple[object, ...]]]]:
    found = []
    for place in places:
        async with open_endpoint(place, embedder=str, make=False) as end:
            found.append(await contents(end))
    return found


@pytest.mark.slow
def test_a_move_that_is_killed_again_and_again_ends_with_everything(
    engine: Engine, postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    source, target = engine.url or postgres.empty(), f"sqlite:{tmp_path / 'data'}"
    if not engine.url:
        source, target = target, source
    asyncio.run(filled(source))
    for batches in (0, 12, 46):
        assert asyncio.run(killed(source, target, batches)) == -signal.SIGKILL
    command = ["migrate", *(place if place.startswith("sqlite") else place + PASSWORD for place in (source, target))]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0
    assert "known: 430\n" in done.output
    assert "Every table holds the same in both." in done.output
    assert "find the same first passage again" in done.output
    assert "hidden" not in done.output
    before, after = asyncio.run(held(source, target))
    assert set(after) == set(before)
    assert {name: len(rows) for name, rows in after.items()} == {name: len(rows) for name, rows in before.items()}
    assert after["revision"] == before["revision"]
