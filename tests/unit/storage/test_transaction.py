"""Writes that wait together share a commit, and otherwise know nothing of each other."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from pipeline.errors import Unavailable
from storage.database import Database
from storage.sqlite import connection as module
from storage.sqlite.database import SQLiteDatabase


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await SQLiteDatabase.open(tmp_path / "c.db")
    yield opened
    await opened.close()


@asynccontextmanager
async def busy(database: Database) -> AsyncIterator[None]:
    """Whatever is written inside waits until the block ends."""
    started, go_on = threading.Event(), threading.Event()

    def work(db: sqlite3.Connection) -> None:
        started.set()
        go_on.wait()

    writing = asyncio.create_task(database.write(work))
    await asyncio.to_thread(started.wait)
    try:
        yield
    finally:
        go_on.set()
        await writing


def told(name: str) -> Callable[[sqlite3.Connection], str]:
    def work(db: sqlite3.Connection) -> str:
        db.execute("INSERT INTO told VALUES ($1, 0)", (name,))
        return name

    return work


def there(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as other:
        return {name for (name,) in other.execute("SELECT author FROM told")}


async def waiting(*writes: asyncio.Task[str]) -> None:
    """Let the writes be asked for."""
    for _ in writes:
        await asyncio.sleep(0)


async def test_what_a_write_returned_is_on_the_disk_whoever_it_shared_a_commit_with(
    database: Database, tmp_path: Path
) -> None:
    async def write(number: int) -> None:
        name = await database.write(told(str(number)), durable=number % 5 > 0)
        assert name in there(tmp_path / "c.db")

    async with asyncio.TaskGroup() as group:
        for number in range(250):
            group.create_task(write(number))
    assert there(tmp_path / "c.db") == set(map(str, range(250)))


async def test_durable_writes_that_wait_become_one_commit(database: Database, tmp_path: Path) -> None:
    committed: list[int] = []

    def work(db: sqlite3.Connection) -> str:
        committed.append(len(there(tmp_path / "c.db")))
        return told(str(len(committed)))(db)

    async with busy(database):
        writes = [asyncio.create_task(database.write(work, durable=True)) for _ in range(20)]
        await waiting(*writes)
    await asyncio.gather(*writes)
    assert set(committed) == {0}
    assert len(there(tmp_path / "c.db")) == 20


async def test_a_write_that_fails_leaves_nothing_and_harms_no_other(database: Database, tmp_path: Path) -> None:
    def broken(db: sqlite3.Connection) -> str:
        told("half done")(db)
        raise ValueError("broken")

    async with busy(database):
        works = [told("a"), broken, told("b"), told("a"), told("c")]
        writes = [asyncio.create_task(database.write(work, durable=True)) for work in works]
        await waiting(*writes)
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [str, ValueError, str, sqlite3.IntegrityError, str]
    assert there(tmp_path / "c.db") == {"a", "b", "c"}


async def test_a_write_that_does_not_fit_on_the_disk_harms_no_other(database: Database, tmp_path: Path) -> None:
    def huge(db: sqlite3.Connection) -> str:
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0] + 4}")
        db.execute("INSERT INTO told VALUES (hex(zeroblob(100000)), 0)")
        return "huge"

    async with busy(database):
        writes = [
            asyncio.create_task(database.write(work, durable=True)) for work in (told("a"), huge, told("b"), told("c"))
        ]
        await waiting(*writes)
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [str, Unavailable, str, str]
    assert there(tmp_path / "c.db") == {"a", "b", "c"}


async def test_all_that_wait_hear_of_a_lock_that_cannot_be_had(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(tmp_path / "c.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writes = [database.write(told(str(number)), durable=True) for number in range(5)]
        outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {Unavailable}
    assert await database.write(told("later"), durable=True) == "later"


async def test_a_write_given_up_while_it_waits_is_never_done(database: Database, tmp_path: Path) -> None:
    async with busy(database):
        writes = [asyncio.create_task(database.write(told(name), durable=True)) for name in "abc"]
        await waiting(*writes)
        writes[1].cancel()
        await asyncio.wait([writes[1]])
    await asyncio.gather(writes[0], writes[2])
    assert there(tmp_path / "c.db") == {"a", "c"}
