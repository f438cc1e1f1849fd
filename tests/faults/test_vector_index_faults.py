"""Whatever happens to Chroma, questions are answered as exactly as before and the index mends itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import chromadb
import numpy as np
import pytest
from chromadb.api import ClientAPI
from structlog.testing import capture_logs

from pipeline.errors import Unavailable
from pipeline.values import Audience
from storage.open import Storage, open_storage
from storage.sqlite.chroma import MIN_COLLECTION_SIZE, TOLERATED_DROPPED
from tests.contracts.waiting import until
from tests.doubles.chroma import chroma_server
from tests.doubles.ports import free_port
from tests.doubles.samples import chunks, document, rows

EVERYONE = Audience(collections=frozenset({"default"}))
pytestmark = pytest.mark.usefixtures("chroma_at_any_size")
COUNT = 400
STORED = rows(COUNT, seed=1)
CHANGES = 40


async def fill(storage: Storage) -> None:
    await storage.library.replace_document(
        document("d"), chunks("d", ["text"] * COUNT), [row[None, :] for row in STORED], "m"
    )


async def assert_exact(storage: Storage) -> None:
    """The nearest are what arithmetic says, whoever answers."""
    for question in rows(5, seed=2):
        hits = await storage.index.search_vector(question, EVERYONE, 10)
        best = np.sort(STORED @ question)[::-1][:10]
        assert [hit.score for hit in hits] == pytest.approx(best.tolist(), abs=0.02)


def names(folder: Path) -> set[str]:
    return {path.name.removesuffix("-wal").removesuffix("-shm") for path in folder.iterdir()}


async def test_the_bot_fills_chroma_when_it_starts_and_others_search_exactly(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as command:
        await fill(command)
        await assert_exact(command)
        async with open_storage(tmp_path, embedder="m", exclusive=True) as bot:
            await until(lambda: bot.vectors.is_chroma_ready, 60)
            await assert_exact(bot)
        assert not command.vectors.is_chroma_ready


async def test_chroma_serves_a_large_library_and_is_let_go_when_half_of_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.sqlite.vector_index.CHROMA_PASSAGES", COUNT)
    async with open_storage(tmp_path, embedder="m") as storage:
        for size, served in ((COUNT - 1, False), (COUNT, True), (COUNT // 2, True), (COUNT // 2 - 1, False)):
            await storage.library.replace_document(
                document("d"), chunks("d", ["text"] * size), [row[None, :] for row in STORED[:size]], "m"
            )
            assert await storage.vectors.sync() == served == storage.vectors.is_chroma_ready
            hits = await storage.index.search_vector(STORED[5], EVERYONE, size)
            assert (hits[0].chunk_id, len(hits)) == ("d#5", size)


def test_a_small_library_does_without_chroma(tmp_path: Path) -> None:
    """It would take memory and half a second of every start."""
    code = f"""
import asyncio, sys
from pathlib import Path
from storage.open import open_storage
from tests.doubles.samples import chunks, document, rows

async def main():
    async with open_storage(Path({str(tmp_path)!r}), embedder="m", exclusive=True) as bot:
        await bot.library.replace_document(document("d"), chunks("d", ["a"]), [rows(1)], "m")
        assert not await bot.vectors.sync()
    assert "chromadb" not in sys.modules

asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_what_another_process_writes_is_found_at_once_and_then_by_chroma(tmp_path: Path) -> None:
    async with (
        open_storage(tmp_path, embedder="m") as command,
        open_storage(tmp_path, embedder="m", exclusive=True) as bot,
    ):
        await fill(command)
        assert await bot.vectors.sync()
        await command.library.replace_document(document("e"), chunks("e", ["more"]), [rows(1, 7)], "m")
        assert len(await bot.index.search_vector(rows(1, 7)[0], EVERYONE, 500)) == COUNT + 1
        assert await bot.vectors.sync()
        (hit, *_) = await bot.index.search_vector(rows(1, 7)[0], EVERYONE, 5)
        assert hit.chunk_id == "e#0"
        await command.library.remove_documents(["d", "e"])
        assert await bot.index.search_vector(STORED[0], EVERYONE, 5) == []
        assert not await bot.vectors.sync()
        assert await bot.index.search_vector(STORED[0], EVERYONE, 5) == []


async def test_nothing_of_the_vectors_is_on_disk_beside_the_database(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m", exclusive=True) as bot:
        await fill(bot)
        await until(lambda: bot.vectors.is_chroma_ready, 60)
        assert names(tmp_path) == {"citewell.db", "backups", "run.lock"}


@pytest.mark.slow
async def test_documents_that_are_replaced_over_and_over_are_found_as_they_are(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        for _ in range(4):
            await fill(storage)
            assert await storage.vectors.sync()
            await assert_exact(storage)
            for seed in range(6):
                await storage.library.replace_document(
                    document("e"), chunks("e", ["text"] * 30), [row[None, :] for row in rows(30, 10 + seed)], "m"
                )
                assert await storage.vectors.sync()
                (hit, *_) = await storage.index.search_vector(rows(30, 10 + seed)[29], EVERYONE, 3)
                assert hit.chunk_id == "e#29"
            await storage.library.remove_documents(["e"])


async def test_vectors_of_another_length_take_the_place_of_the_old_ones(tmp_path: Path) -> None:
    name = "m"
    async with open_storage(tmp_path, embedder=lambda: name) as storage:
        await fill(storage)
        assert await storage.vectors.sync()
        name = "n"
        assert await storage.index.search_vector(STORED[0], EVERYONE, 3) == []
        other = rows(COUNT, seed=1, dimensions=8)
        await storage.library.replace_document(
            document("d"), chunks("d", ["text"] * COUNT), [row[None, :] for row in other], "n"
        )
        assert await storage.vectors.sync()
        (hit, *_) = await storage.index.search_vector(other[5], EVERYONE, 3)
        assert hit.chunk_id == "d#5"


async def test_a_server_that_is_not_there_costs_no_answer(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    async with open_storage(tmp_path, embedder="m", chroma_url=url) as storage:
        await fill(storage)
        with pytest.raises(Unavailable, match="chroma"):
            await storage.vectors.sync()
        await assert_exact(storage)


@pytest.mark.slow
async def test_a_server_that_dies_costs_no_answer_and_is_filled_again_when_another_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.sqlite.vector_index.INDEX_RETRY_SECONDS", 0.05)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    async with open_storage(tmp_path / "data", embedder="m", chroma_url=url, exclusive=True) as bot:
        await fill(bot)
        with chroma_server(tmp_path / "first", port):
            await until(lambda: bot.vectors.is_chroma_ready, 60)
            await assert_exact(bot)
        await assert_exact(bot)
        assert not bot.vectors.is_chroma_ready
        with chroma_server(tmp_path / "second", port):
            await until(lambda: bot.vectors.is_chroma_ready, 60)
            await assert_exact(bot)


async def test_an_error_that_nobody_foresaw_is_logged_and_chroma_answers_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.sqlite.vector_index.INDEX_RETRY_SECONDS", 0.01)
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
    with monkeypatch.context() as patch, capture_logs() as logged:
        patch.setattr("storage.sqlite.vector_index.read_matrix", lambda *_: [][0])
        async with open_storage(tmp_path, embedder="m", exclusive=True) as bot:
            await until(lambda: logged)
            assert isinstance(logged[0]["exc_info"], IndexError)
            patch.undo()
            await assert_exact(bot)
            await until(lambda: bot.vectors.is_chroma_ready, 60)


async def test_closing_does_not_wait_until_chroma_is_filled(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
    async with open_storage(tmp_path, embedder="m", exclusive=True) as bot:
        await until(lambda: bot.vectors._chroma is not None, 60)
        await bot.vectors.close()
        assert not bot.vectors.is_chroma_ready
        await assert_exact(bot)


async def test_documents_that_change_all_the_time_are_found_and_no_chroma_gathers_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One keeps the graph of each collection that it ever held, until it is closed."""
    begin, held = chromadb.EphemeralClient, list[list[str]]()

    def begun(settings: chromadb.Settings) -> ClientAPI:
        client = begin(settings)
        assert client.list_collections() == [], "it is the one before"
        client.create_collection("planted", embedding_function=None)
        create, names = client.create_collection, list[str]()
        held.append(names)
        monkeypatch.setattr(
            client, "create_collection", lambda name, **more: names.append(name) or create(name, **more)
        )
        return client

    monkeypatch.setattr(chromadb, "EphemeralClient", begun)
    async with open_storage(tmp_path, embedder="m") as storage:
        for change in range(CHANGES):
            passages = rows(2, seed=change)
            await storage.library.replace_document(
                document("e"), chunks("e", ["text"] * 2), [row[None, :] for row in passages], "m"
            )
            assert await storage.vectors.sync()
            (hit, *_) = await storage.index.search_vector(passages[1], EVERYONE, 2)
            assert hit.chunk_id == "e#1"
    assert sum(map(len, held)) == CHANGES
    assert max(map(len, held)) <= TOLERATED_DROPPED // MIN_COLLECTION_SIZE + 2
