"""Vectors of another embedder beside those that are searched, with both engines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pipeline.values import Audience
from storage.documents.embeddings import EmbeddedDocuments
from storage.open import Storage, open_storage
from tests.doubles.samples import chunks, document, matrices

EVERYONE = Audience(collections=frozenset({"default"}))
TEXTS = ["Vacation is long.", "Cars are left behind the house."]


class Named:
    """The embedder in use."""

    name = "old"


@pytest.fixture(params=["sqlite", "postgresql"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    database = request.getfixturevalue("postgres").empty() if request.param == "postgresql" else ""
    Named.name = "old"
    async with open_storage(tmp_path / "data", database=database, embedder=lambda: Named.name) as opened:
        for name in ("a", "b"):
            await opened.library.replace_document(document(name), chunks(name, TEXTS), matrices(2, 1), "old")
        yield opened


async def beside(storage: Storage, revision: int) -> bool:
    documents = EmbeddedDocuments(storage.database)
    _, passages = await documents.passages(revision)
    return await documents.replace_vectors(revision, passages, matrices(2, 2), "new", beside=True)


async def found(storage: Storage, seed: int, embedder: str) -> int:
    Named.name = embedder
    vector = matrices(2, seed)[0][0]
    hits = await storage.index.search_vector(vector, EVERYONE, 10)
    passages, vectors = await storage.library.get_with_vectors([hit.chunk_id for hit in hits])
    assert len(passages) == len(vectors.rows) == len(hits)
    assert not hits or hits[0].score > 0.99
    return len(hits)


async def test_nothing_of_it_is_found_before_every_document_has_some(storage: Storage) -> None:
    documents = EmbeddedDocuments(storage.database)
    first, second = await documents.outdated_revisions("new")
    assert await beside(storage, first)
    assert (await documents.outdated_revisions("new"), await documents.count_ready("new")) == ([second], 1)
    assert await documents.switch_to("new") == 0
    assert (await documents.search_embedder(), await found(storage, 1, "old"), await found(storage, 2, "new")) == (
        "old",
        4,
        0,
    )
    words = await storage.index.search_lexical(["vacation"], EVERYONE, 10)
    assert len(words.hits) == 2
    assert await beside(storage, second)
    assert await documents.switch_to("new") == 2
    assert (await documents.search_embedder(), await found(storage, 1, "old"), await found(storage, 2, "new")) == (
        "new",
        0,
        4,
    )
    assert await documents.count_ready("old") == 2
    assert await documents.switch_to("old") == 2
    assert (await documents.search_embedder(), await found(storage, 1, "old")) == ("old", 4)


async def test_it_goes_with_its_document(storage: Storage) -> None:
    documents = EmbeddedDocuments(storage.database)
    for revision in await documents.outdated_revisions("new"):
        assert await beside(storage, revision)
    await storage.library.replace_document(
        document("a", version="2"), chunks("a", ["Vacation is short."]), matrices(1, 1), "old"
    )
    await storage.library.remove_documents(["b"])
    assert await documents.count_ready("new") == 0
    assert await storage.database.read(lambda db: db.execute("SELECT count(*) FROM chunk").fetchone()[0]) == 1
    assert await documents.switch_to("new") == 0


async def test_a_sample_is_of_what_an_embedder_has_embedded_with_its_vectors(storage: Storage) -> None:
    documents = EmbeddedDocuments(storage.database)
    await storage.library.replace_document(document("c"), chunks("c", TEXTS), matrices(2, 3), "new")
    assert (await documents.count_passages("old"), await documents.count_passages("new")) == (4, 2)
    assert [one.title for one in await documents.sample("old", 2)] == ["About a", "About b"]
    (first, second) = await documents.sample("new", 10)
    assert [first.chunk.text, second.chunk.text] == TEXTS
    assert (first.vectors @ matrices(2, 3)[0].T).min() > 0.99


async def test_it_stays_however_old_it_is(storage: Storage) -> None:
    documents = EmbeddedDocuments(storage.database)
    for revision in await documents.outdated_revisions("new"):
        assert await beside(storage, revision)
    await storage.database.write(lambda db: db.execute("UPDATE revision SET created_at = 0"))
    await storage.library.delete_unreachable()
    assert await documents.switch_to("new") == 2
