"""The database is durable, shared safely, migrated with a backup, and says what is wrong in our own errors."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from pipeline.errors import Misconfigured, Unavailable
from pipeline.values import Audience
from storage.open import open_storage
from storage.sqlite import connection as module
from storage.sqlite.backup import copy_database, delete_old_backups
from storage.sqlite.database import SQLiteDatabase
from tests.doubles.samples import chunks, document, matrices, message, rows


async def test_only_its_owner_can_read_the_folder(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "data") as storage:
        await storage.inbox.accept(message())
        await storage.back_up()
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode) & 0o077
            for path in (storage.folder, *storage.folder.rglob("*"))
            if path.is_dir() or path.suffix in (".db", ".lock")
        }
    assert set(modes.values()) == {0}


async def test_a_second_process_cannot_answer_from_the_same_folder_but_may_use_it(tmp_path: Path) -> None:
    async with open_storage(tmp_path, exclusive=True) as first:
        with pytest.raises(Misconfigured, match="another `citewell run`"):
            async with open_storage(tmp_path, exclusive=True):
                pass
        async with open_storage(tmp_path) as second:
            await second.inbox.accept(message())
        assert await first.inbox.lease()
    async with open_storage(tmp_path, exclusive=True) as again:
        assert await again.inbox.lease()


async def test_a_folder_that_cannot_be_made_is_named_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Misconfigured, match="data folder"):
        async with open_storage(tmp_path / "file" / "data"):
            pass


async def test_writers_in_two_processes_wait_for_each_other(tmp_path: Path) -> None:
    one, two = await SQLiteDatabase.open(tmp_path / "c.db"), await SQLiteDatabase.open(tmp_path / "c.db")

    def add(db: sqlite3.Connection) -> None:
        (count,) = db.execute("SELECT count(*) FROM told").fetchone()
        db.execute("INSERT INTO told VALUES ($1, 0)", (str(count),))

    try:
        await asyncio.gather(*(database.write(add) for _ in range(100) for database in (one, two)))
        assert await one.read(lambda db: db.execute("SELECT count(*) FROM told").fetchone()[0]) == 200
    finally:
        await one.close()
        await two.close()


async def test_a_lock_held_too_long_a_full_disk_and_garbage_are_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    database = await SQLiteDatabase.open(tmp_path / "c.db")
    try:
        with closing(sqlite3.connect(tmp_path / "c.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(Unavailable, match="locked"):
                await database.write(lambda db: None)
            other.execute("ROLLBACK")
        pages = await database.write(lambda db: db.execute("PRAGMA page_count").fetchone()[0])

        def fill(db: sqlite3.Connection) -> None:
            db.execute(f"PRAGMA max_page_count = {pages + 4}")
            db.execute("INSERT INTO told VALUES (hex(zeroblob(100000)), 0)")

        with pytest.raises(Unavailable, match="FULL"):
            await database.write(fill)
        assert await database.read(lambda db: db.execute("SELECT count(*) FROM told").fetchone()[0]) == 0
    finally:
        await database.close()
    (tmp_path / "garbage.db").write_bytes(b"not a database " * 1000)
    with pytest.raises(Unavailable, match="NOTADB"):
        await SQLiteDatabase.open(tmp_path / "garbage.db")


async def test_a_database_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    async with open_storage(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / "citewell.db")) as connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('citewell', 'future', '')"
        )
        connection.commit()
    with pytest.raises(Misconfigured, match="newer version"):
        async with open_storage(tmp_path):
            pass


async def test_a_backup_made_under_load_restores_by_copying_it_back(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "old", embedder="m") as storage:
        await storage.library.replace_document(document("d"), chunks("d", ["one", "two"]), matrices(2), "m")

        async def load() -> None:
            for number in range(100):
                await storage.inbox.accept(message(f"{number}.0", author=f"U{number}"))

        loading = asyncio.create_task(load())
        backup = await storage.back_up()
        await loading
    (tmp_path / "new").mkdir()
    backup.rename(tmp_path / "new" / "citewell.db")
    async with open_storage(tmp_path / "new", embedder="m", exclusive=True) as restored:
        assert len(await restored.index.search_vector(rows(1)[0], Audience(collections=frozenset({"default"})), 5)) == 2
        assert len(await restored.library.get_chunks(["d#0", "d#1"])) == 2


def test_old_backups_go(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "source.sqlite")) as source:
        for number in range(4):
            copy_database(source, tmp_path / "backups" / f"{number}.db")
    dropped = delete_old_backups(tmp_path / "backups", keep=3, days=1)
    assert len(dropped) == 1
    assert len(list((tmp_path / "backups").iterdir())) == 3
    delete_old_backups(tmp_path / "backups", keep=3, days=-1)
    assert list((tmp_path / "backups").iterdir()) == []
