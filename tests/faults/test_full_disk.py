"""On a full disk a command says so in its own words, and leaves nothing half made."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from storage.open import open_storage
from tests.doubles.samples import chunks, document


async def run(data: Path, *words: str, largest: int) -> tuple[int | None, str]:
    """A command that can write no file beyond `largest` bytes: its exit status, and what it says on standard error."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words, "--data", str(data)),
        env={**os.environ, "CITEWELL_EMBEDDER": "none"},
        stdout=PIPE,
        stderr=PIPE,
        preexec_fn=limit,
    )
    _, said = await process.communicate()
    return process.returncode, said.decode()


@pytest.mark.slow
@pytest.mark.parametrize("largest", [0, 20_000])
async def test_a_database_that_the_disk_has_no_room_for_is_not_begun(tmp_path: Path, largest: int) -> None:
    (tmp_path / "leave.md").write_text("# Leave\n\nEmployees get 25 vacation days a year.\n")
    status, said = await run(tmp_path / "data", "index", str(tmp_path / "leave.md"), largest=largest)
    assert status == 2
    assert f"{tmp_path / 'data' / 'citewell.db'} cannot be written" in said
    assert "the disk is full" in said
    assert "Free some space there" in said
    assert [file.name for file in (tmp_path / "data").glob("*citewell.db*")] == []


@pytest.mark.slow
async def test_a_question_on_a_full_disk_says_so(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "data") as storage:
        await storage.library.put(document("d"), chunks("d", ["Employees get 25 vacation days a year."]), None, "")
    status, said = await run(tmp_path / "data", "ask", "How many vacation days?", largest=0)
    assert status == 2
    assert "the disk is full" in said
    assert "Traceback" not in said
