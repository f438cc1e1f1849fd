"""What nobody can see is deleted, however much of it there is; what is being written is not lost over it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest

from storage.database import Connection, Database
from storage.documents import cleanup as sweeping
from storage.documents import revision as writing
from storage.documents.cleanup import delete_unreachable
from storage.documents.library import SQLDocumentStore
from storage.documents.revision import NUMBERS_PER_REVISION, Revision
from tests.doubles.engines import Engine
from tests.doubles.samples import chunks, document


@pytest.fixture
async def database(engine: Engine) -> AsyncIterator[Database]:
    async with engine.database() as opened:
        yield opened


async def count(database: Database, table: str) -> int:
    return int(await database.read(lambda db: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]))


async def test_a_document_of_any_length_is_removed(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even when listing a few of its passages takes longer than a batch may."""
    library = SQLDocumentStore(database)
    await library.replace_document(document("long"), [], None, "")

    def fill(db: Connection) -> None:
        (revision,) = db.execute("SELECT id FROM revision").fetchone()
        rows = ((revision * NUMBERS_PER_REVISION + number, f"long#{number}", "{}") for number in range(1200))
        db.executemany("INSERT INTO chunk VALUES ($1, $2, $3)", rows)

    await database.write(fill)
    monkeypatch.setattr(sweeping, "BATCH_SECONDS", -1.0)
    monkeypatch.setattr(writing, "PAUSE_SECONDS", 0.0)
    assert await library.remove_documents(["long"]) == 1
    assert await count(database, "chunk") == 0
    assert await count(database, "revision") == 0


class Interrupted(Revision):
    """Something happens between its first batch and its second."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def write(self, database: Database) -> None:
        await database.write(partial(self._batch, index=database.passage_index))
        self.begun.set()
        await self.go_on.wait()
        await super().write(database)


async def interrupted(database: Database, monkeypatch: pytest.MonkeyPatch) -> tuple[Interrupted, asyncio.Task[None]]:
    """A second version of a document, of which one batch is written."""
    library = SQLDocumentStore(database)
    await library.replace_document(document("d", version="1"), chunks("d", ["old"]), None, "")
    monkeypatch.setattr(writing, "BATCH_SECONDS", 0.0)
    monkeypatch.setattr(writing, "CHUNKS_PER_STATEMENT", 1)
    revision = Interrupted(document("d", version="2"), chunks("d", ["new", "newer", "newest"]), None, "")
    task = asyncio.create_task(revision.write(database))
    await revision.begun.wait()
    monkeypatch.setattr(writing, "BATCH_SECONDS", 1.0)
    return revision, task


@pytest.mark.parametrize("by", ["time", "removal"])
async def test_a_version_that_is_swept_while_it_is_written_is_written_again_whole(
    database: Database, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    revision, task = await interrupted(database, monkeypatch)
    if by == "time":
        await database.write(lambda db: db.execute("UPDATE revision SET created_at = 0 WHERE state = 'staged'"))
        await delete_unreachable(database)
    else:
        await SQLDocumentStore(database).remove_documents(["d"])
    assert await count(database, "revision WHERE state = 'staged'") == 0
    revision.go_on.set()
    await task
    library = SQLDocumentStore(database)
    assert [one.version for one in await library.list_documents()] == ["2"]
    assert [chunk.text for chunk, _ in await library.get_chunks(["d#0", "d#1", "d#2"])] == [
        "new",
        "newer",
        "newest",
    ]
    await delete_unreachable(database)
    assert await count(database, "chunk") == 3
    assert await count(database, "words") == 3


async def test_a_version_that_is_being_written_is_not_swept_however_long_it_takes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision, task = await interrupted(database, monkeypatch)
    await database.write(lambda db: db.execute("UPDATE revision SET created_at = 0 WHERE state = 'staged'"))
    with monkeypatch.context() as slow:
        slow.setattr(writing, "BATCH_SECONDS", 0.0)
        await database.write(partial(revision._batch, index=database.passage_index))
    await delete_unreachable(database)
    assert await count(database, "revision WHERE state = 'staged'") == 1
    revision.go_on.set()
    await task


async def test_removing_nothing_leaves_nothing_to_do(database: Database) -> None:
    library = SQLDocumentStore(database)
    await library.replace_document(document("d"), chunks("d", ["text"]), None, "")
    assert await library.remove_documents(["nobody"]) == 0
    assert await library.remove_documents(["d"]) == 1
    assert await count(database, "setting WHERE name = 'removed'") == 0
