"""On a full disk a command says so in its own words, and leaves nothing half made."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from storage.open import open_storage
from tests.doubles.samples import chunks, document, message
from tests.trials import Count, trials

ROOT = Path(__file__).parents[2]
PERSON = message().author
LARGEST = 420_000
"""More than the database of `folder` has bytes: with room for so much, nothing is in the way."""


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
        await storage.library.replace_document(
            document("d"), chunks("d", ["Employees get 25 vacation days a year."]), None, ""
        )
    status, said = await run(tmp_path / "data", "ask", "How many vacation days?", largest=0)
    assert status == 2
    assert "the disk is full" in said
    assert "Traceback" not in said


class Ended(NamedTuple):
    number: int
    room: int
    status: int
    said: str


async def walk(folder: Path, rooms: Sequence[int], commands: Sequence[Sequence[str]]) -> AsyncIterator[Ended]:
    """How each command ends with each of these rooms, and after each with all the room it wants."""
    script = str(ROOT / "tests" / "faults" / "full_disk.py")
    environment = {**os.environ, "CITEWELL_EMBEDDER": "none", "PYTHONPATH": str(ROOT)}
    words = (sys.executable, script, str(folder), json.dumps(rooms), json.dumps(commands))
    process = await asyncio.create_subprocess_exec(*words, env=environment, stdin=PIPE, stdout=PIPE)
    assert process.stdin
    assert process.stdout
    try:
        while line := await process.stdout.readline():
            yield Ended(**json.loads(line))
            process.stdin.write(b"\n")
            await process.stdin.drain()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A data folder in which something was asked and backed up, a backup elsewhere, and files to index."""
    made = tmp_path / "made"
    made.mkdir()
    (made / "more.md").write_text("# Travel\n\nTrains are booked by the office.\n")
    async with open_storage(made / "data") as storage:
        await storage.library.replace_document(
            document("leave"), chunks("leave", ["Everybody gets 25 vacation days."]), None, ""
        )
        await storage.inbox.accept(message())
        await storage.back_up()
        await storage.back_up(made / "away.db")
    return made


def documents(database: Path) -> set[str]:
    """Those that it holds, once it is known to be whole."""
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {name for (name,) in db.execute("SELECT filename FROM revision WHERE state = 'live'")}


COMMANDS = (
    ("ask", "How many vacation days does everybody get?", "--data", "{work}/data"),
    ("backup", "--data", "{work}/data"),
    ("backup", "{work}/copy.db", "--data", "{work}/data"),
    ("documents", "remove", "leave", "--yes", "--data", "{work}/data"),
    ("history", "forget", PERSON, "--yes", "--data", "{work}/data"),
    ("index", "{work}/more.md", "--data", "{work}/data"),
    ("index", "{work}/more.md", "--data", "{work}/new"),
    ("migrate", "sqlite:{work}/data", "sqlite:{work}/moved"),
    ("restore", "{work}/away.db", "--data", "{work}/data"),
)


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_wherever_room_runs_out_a_command_says_so_and_nothing_is_half_written(
    folder: Path, record_property: Count
) -> None:
    """And it does what it is for once there is room, unless that is done already."""
    n = trials(2)
    rooms = [LARGEST * place // n for place in range(n)]
    work, full, done = folder.with_name("made-work"), Counter[int](), False
    async for ended in walk(folder, rooms, COMMANDS):
        moved = done and ended.room < 0 and "the target is not empty" in ended.said
        done = ended.status == 0
        assert "Traceback" not in ended.said, ended
        if ended.status == 2 and not moved:
            full[ended.number] += 1
            assert "the disk is full" in ended.said, ended
            assert "Free some space" in ended.said, ended
            assert ".restoring" not in ended.said, ended
        found = {database: documents(database) for database in work.rglob("*.db")}
        assert found[work / "data" / "citewell.db"] <= {"leave.md", "more.md"}
        hidden = ended.status == 2 and "leave.md" not in found[work / "data" / "citewell.db"]
        assert hidden == ("shown to nobody any more" in ended.said), ended
        assert [file.name for file in work.rglob(".*")] == []
        if ended.room < 0:
            gone = COMMANDS[ended.number][0] == "documents" and "is not indexed" in ended.said
            assert ended.status == 0 or gone or moved, ended
            assert PERSON not in str(list(work.rglob("forget-*")))
    assert len(full) == len(COMMANDS)
    record_property("rooms", n * len(COMMANDS))
    record_property("times full", full.total())
