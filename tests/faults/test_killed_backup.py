"""`kill -9` while a backup is made or a person is erased from the backups: no copy escapes erasing and ageing."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from storage.open import Storage, open_storage
from storage.sqlite import backup as module
from storage.sqlite.backup import copy_database, delete_partial_backups
from tests.doubles.processes import child
from tests.doubles.samples import message

ROOT = Path(__file__).parents[2]
PERSON = "slack:T1:UQUETZAL"


async def killed(data: Path, *thing: str) -> bool:
    script = str(ROOT / "tests" / "faults" / "dying_process.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    async with child(sys.executable, script, str(data), *thing, env=environment) as process:
        return await process.wait() == -signal.SIGKILL


def holding(data: Path) -> list[str]:
    """The files that know the person, by content or by name."""
    files = [file for file in data.rglob("*") if file.is_file()]
    return [file.name for file in files if "UQUETZAL" in file.name or b"UQUETZAL" in file.read_bytes()]


def copies(data: Path) -> list[Path]:
    return [file for file in (data / "backups").iterdir() if file.suffix != ".db"]


async def ask(storage: Storage) -> None:
    await storage.inbox.accept(message(author="UQUETZAL", text="How many days?"))


@pytest.mark.slow
async def test_a_copy_that_a_killed_process_left_is_dropped_with_the_next_backup(tmp_path: Path) -> None:
    async with open_storage(tmp_path) as storage:
        await ask(storage)
    assert await killed(tmp_path, "back up")
    assert len(copies(tmp_path)) == 1
    async with open_storage(tmp_path) as storage:
        backup = await storage.back_up()
    assert list((tmp_path / "backups").iterdir()) == [backup]


@pytest.mark.slow
async def test_a_copy_that_a_killed_process_left_does_not_keep_who_is_forgotten(tmp_path: Path) -> None:
    async with open_storage(tmp_path) as storage:
        await ask(storage)
    assert await killed(tmp_path, "back up")
    async with open_storage(tmp_path) as storage:
        assert await storage.personal_data.forget(PERSON) == 1
        assert holding(tmp_path) == []


@pytest.mark.slow
async def test_who_was_half_forgotten_is_forgotten_everywhere_at_the_next_start(tmp_path: Path) -> None:
    async with open_storage(tmp_path) as storage:
        await ask(storage)
        await storage.back_up()
    assert await killed(tmp_path, "forget", PERSON)
    assert holding(tmp_path)
    async with open_storage(tmp_path, exclusive=True):
        assert holding(tmp_path) == []
        assert copies(tmp_path) == []


def test_a_copy_that_is_dropped_while_it_is_made_is_made_anew_from_what_is_there_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "backups" / "c.db"
    sync, dropped = module._sync, []
    with closing(sqlite3.connect(tmp_path / "source.sqlite", isolation_level=None)) as source:
        source.execute("CREATE TABLE word AS SELECT 'erased' AS word")

        def drop_once(path: Path) -> None:
            if not dropped:
                source.execute("DELETE FROM word")
                delete_partial_backups(target.parent)
                dropped.append(path)
            sync(path)

        monkeypatch.setattr(module, "_sync", drop_once)
        copy_database(source, target)
    assert dropped
    assert list(target.parent.iterdir()) == [target]
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("SELECT * FROM word").fetchall() == []


def test_a_copy_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "source.sqlite")) as source:
        (tmp_path / "source.sqlite").write_bytes(b"not a database " * 1000)
        with pytest.raises(sqlite3.DatabaseError):
            copy_database(source, tmp_path / "backups" / "c.db")
    assert list((tmp_path / "backups").iterdir()) == []
