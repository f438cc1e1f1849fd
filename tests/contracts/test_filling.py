"""A library that is filled at once is what it is when documents come one by one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from adapters.models.minilm.embedder import MiniLMEmbedder
from bench.filling import fill
from bench.synthetic import Corpus
from storage.database import Connection, Database
from tests.doubles.engines import Engine
from tests.doubles.postgres import Server

TABLES = {
    "collection": "id, name",
    "revision": "id, document, collection, source, filename, version, embedder, dimensions, state, body",
    "chunk": "number, id, body",
    "unit_vectors": "number, matrix",
    "mean_vector": "*",
    "words": "*",
    "term": "*",
}
INDEXES = "SELECT indexdef FROM pg_indexes WHERE tablename IN ('words', 'mean_vector') ORDER BY 1"


async def everything(database: Database, *, indexes: bool) -> dict[str, list[str]]:
    def work(db: Connection) -> dict[str, list[str]]:
        found = {
            table: sorted(str(row) for row in db.execute(f"SELECT {columns} FROM {table}").fetchall())
            for table, columns in TABLES.items()
        }
        return found | ({"indexes": [row for (row,) in db.execute(INDEXES).fetchall()]} if indexes else {})

    return await database.read(work)


@pytest.fixture(params=["sqlite", "postgresql"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[Engine]]:
    """Two of a kind, equal and empty."""
    with ExitStack() as stack:
        urls = ["", ""]
        if request.param == "postgresql":
            server: Server = request.getfixturevalue("postgres")
            urls = [stack.enter_context(server.database("template1")) for _ in urls]
        yield [Engine(tmp_path / str(number), url) for number, url in enumerate(urls)]


async def test_a_library_filled_at_once_in_two_goes_has_the_rows_and_indexes_of_one_that_was_indexed(
    two: list[Engine],
) -> None:
    corpus, found = Corpus(50), []
    async with two[0].storage() as storage:
        for document, chunks, vectors in corpus.documents():
            await storage.library.replace_document(document, chunks, vectors, MiniLMEmbedder.name)
    assert await fill(Corpus(40), two[1].folder, two[1].url)
    assert await fill(corpus, two[1].folder, two[1].url)
    assert not await fill(corpus, two[1].folder, two[1].url)
    for engine in two:
        async with engine.storage() as storage:
            found.append(await everything(storage.database, indexes=bool(engine.url)))
    assert len(found[0]["chunk"]) == 50
    assert found[0] == found[1]
