"""A document is written to its end, however slowly the database answers."""

from __future__ import annotations

import asyncio

import pytest

from pipeline.ports import DocumentVersion
from storage.documents import revision, staged
from tests.doubles.engines import Engine
from tests.doubles.samples import chunks, document, matrices

CHUNKS = 2 * revision.CHUNKS_PER_STATEMENT + 1
HANGS_AFTER = 60.0


@pytest.fixture(autouse=True)
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a batch is over before its first chunk is written."""
    for module in (revision, staged):
        monkeypatch.setattr(module, "BATCH_SECONDS", 0.0)
    monkeypatch.setattr(revision, "PAUSE_SECONDS", 0.0)


async def test_several_documents_are_written_to_their_end(engine: Engine) -> None:
    names = ("leave", "travel", "expenses")
    async with engine.storage(embedder="m") as storage, asyncio.timeout(HANGS_AFTER):
        await storage.library.replace_documents(
            [DocumentVersion(document(name), chunks(name, ["text"] * CHUNKS), matrices(CHUNKS), "m") for name in names]
        )
        assert await storage.library.versions("folder") == dict.fromkeys(names, "1")
        ids = [f"{name}#{position}" for name in names for position in range(CHUNKS)]
        assert len(await storage.library.get_chunks(ids)) == len(names) * CHUNKS


async def test_a_document_that_comes_in_parts_is_written_to_its_end(engine: Engine) -> None:
    async with engine.storage(embedder="m") as storage, asyncio.timeout(HANGS_AFTER):
        version = await storage.library.stage_version(document("leave"), "m", 16)
        await version.add(chunks("leave", ["text"] * CHUNKS), matrices(CHUNKS))
        await version.publish("m")
        assert len(await storage.library.get_chunks([f"leave#{n}" for n in range(CHUNKS)])) == CHUNKS
