"""Whatever happens to Chroma, questions are answered as exactly as before and the index mends itself."""

from __future__ import annotations

import os
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import Unavailable
from pipeline.values import Audience
from storage.chroma import ChromaStore
from storage.open import Storage, open_storage
from storage.probe import sound
from tests.contracts.waiting import until
from tests.doubles.ports import free_port
from tests.doubles.processes import child
from tests.doubles.samples import chunks, document, rows

EVERYONE = Audience(collections=frozenset({"default"}))
COUNT = 400
STORED = rows(COUNT, seed=1)
INDEXER = """
import asyncio, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from storage.open import open_storage
from tests.doubles.samples import chunks, document, rows

async def main():
    async with open_storage(Path(sys.argv[1]), embedder="m") as storage:
        for number in range(10_000):
            name = f"d{number % 40}"
            matrices = [row[None, :] for row in rows(30, number)]
            await storage.library.put(document(name, version=str(number)), chunks(name, ["text"] * 30), matrices, "m")
            if number % 3 == 0:
                await storage.index.reconcile()
            print(number, flush=True)

asyncio.run(main())
"""


async def fill(storage: Storage) -> None:
    await storage.library.put(document("d"), chunks("d", ["text"] * COUNT), [row[None, :] for row in STORED], "m")
    await storage.index.reconcile()
    assert storage.vectors.serving


async def assert_exact(storage: Storage) -> None:
    """The nearest are what arithmetic says, whoever answers."""
    for question in rows(5, seed=2):
        hits = await storage.index.nearest(question, EVERYONE, 10)
        best = np.sort(STORED @ question)[::-1][:10]
        assert [hit.score for hit in hits] == pytest.approx(best.tolist(), abs=0.02)


def store_folder(storage: Storage) -> Path:
    (folder,) = [path for path in (storage.folder / "index").iterdir() if path.is_dir()]
    return folder


def delete(folder: Path) -> None:
    shutil.rmtree(folder)


def truncate(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            os.truncate(file, file.stat().st_size // 2)


def flip_bits(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            content = bytearray(file.read_bytes())
            content[:: max(1, len(content) // 500)] = b"\xff" * len(content[:: max(1, len(content) // 500)])
            file.write_bytes(content)


def lose_the_graph(folder: Path) -> None:
    for inner in folder.iterdir():
        if inner.is_dir():
            shutil.rmtree(inner)


def replace_by_garbage(folder: Path) -> None:
    (folder / "chroma.sqlite3").write_bytes(os.urandom(4096))


@pytest.mark.parametrize("damage", [delete, truncate, flip_bits, lose_the_graph, replace_by_garbage])
async def test_a_damaged_folder_costs_no_answer_and_is_built_anew(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
        folder = store_folder(storage)
    damage(folder)
    async with open_storage(tmp_path, embedder="m") as storage:
        await assert_exact(storage)
        await storage.index.reconcile()
        assert storage.vectors.serving
        await assert_exact(storage)


async def test_a_folder_deleted_while_it_serves_costs_no_answer(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
        delete(store_folder(storage))
        await assert_exact(storage)
        await storage.library.put(document("e"), chunks("e", ["more"]), [rows(1, 7)], "m")
        assert len(await storage.index.nearest(rows(1, 7)[0], EVERYONE, 500)) == COUNT + 1
        await storage.index.reconcile()
        assert storage.vectors.serving
        (hit, *_) = await storage.index.nearest(rows(1, 7)[0], EVERYONE, 5)
        assert hit.chunk_id == "e#0"


async def test_drift_both_ways_is_mended(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
        folder = store_folder(storage)
    store = ChromaStore.in_folder(folder)
    (collection,) = store.collections()
    numbers = sorted(store.numbers(collection))
    store.delete(collection, numbers[::3])
    store.add(collection, [1, 2], rows(2, 9))
    store.add(77, [3], rows(1, 9))
    store.close()
    async with open_storage(tmp_path, embedder="m") as storage:
        await storage.index.reconcile()
    store = ChromaStore.in_folder(store_folder(storage))
    assert store.collections() == [collection]
    assert sorted(store.numbers(collection)) == numbers
    store.close()


async def test_a_rebuild_changes_over_to_a_new_store_and_deletes_the_old(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
        before = store_folder(storage)
        assert await storage.index.rebuild() == COUNT
        assert storage.vectors.serving
        assert store_folder(storage) != before
        await assert_exact(storage)


async def test_many_deletions_lead_to_a_new_store(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
        before = store_folder(storage)
        await storage.library.put(document("d"), chunks("d", ["text"] * COUNT), [row[None, :] for row in STORED], "m")
        await storage.index.reconcile()
        await storage.index.reconcile()
        assert store_folder(storage) != before
        await assert_exact(storage)


async def test_one_process_keeps_the_index_and_others_search_exactly(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as first:
        await fill(first)
        async with open_storage(tmp_path, embedder="m") as second:
            await second.index.reconcile()
            assert not second.vectors.serving
            await assert_exact(second)
            before = store_folder(first)
            assert await second.index.rebuild() is None
            await first.index.reconcile()
            assert store_folder(first) != before
            await second.library.remove(["d"])
            assert await first.index.nearest(STORED[0], EVERYONE, 5) == []
            assert await second.index.rebuild() is None
        assert await first.index.rebuild() == 0


async def test_another_embedder_gets_a_store_of_its_own(tmp_path: Path) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
        before = store_folder(storage)
    async with open_storage(tmp_path, embedder="n") as storage:
        other = rows(COUNT, seed=1, dimensions=8)
        await storage.library.put(document("d"), chunks("d", ["text"] * COUNT), [row[None, :] for row in other], "n")
        await storage.index.reconcile()
        assert storage.vectors.serving
        assert store_folder(storage) != before
        (hit, *_) = await storage.index.nearest(other[5], EVERYONE, 3)
        assert hit.chunk_id == "d#5"


async def test_a_server_that_is_not_there_costs_no_answer(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    async with open_storage(tmp_path, embedder="m", chroma_url=url) as storage:
        with pytest.raises(Exception, match="chroma"):
            await fill(storage)
        await assert_exact(storage)


async def test_a_store_that_grew_out_of_all_proportion_is_not_opened(tmp_path: Path) -> None:
    tmp_path.joinpath("link_lists.bin").touch()
    os.truncate(tmp_path / "link_lists.bin", 836 << 30)
    assert not await sound(tmp_path, 2500)


async def test_a_store_that_cannot_be_tested_is_unavailable_not_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when no file can be opened any more: nothing is deleted for that."""
    (tmp_path / "chroma.sqlite3").write_bytes(b"x")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(Unavailable):
        await sound(tmp_path, 1)


async def test_a_folder_that_cannot_be_used_is_tried_again_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.vector_index.RETRY_SECONDS", 0.01)
    (tmp_path / "index").touch()
    async with open_storage(tmp_path, embedder="m", exclusive=True) as storage:
        with pytest.raises(Unavailable, match="cannot be used"):
            await fill(storage)
        await assert_exact(storage)
        (tmp_path / "index").unlink()
        await until(lambda: storage.vectors.serving, 60)
        await assert_exact(storage)


async def test_an_error_that_nobody_foresaw_is_logged_and_the_index_opens_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_storage(tmp_path, embedder="m") as storage:
        await fill(storage)
    monkeypatch.setattr("storage.vector_index.RETRY_SECONDS", 0.01)
    with monkeypatch.context() as patch:
        patch.setattr("storage.vector_index.read_truth", lambda *_: [][0])
        async with open_storage(tmp_path, embedder="m", exclusive=True) as storage:
            await until(lambda: "list index out of range" in caplog.text)
            assert "Traceback" in caplog.text
            await assert_exact(storage)
            patch.undo()
            await until(lambda: storage.vectors.serving, 60)


@pytest.mark.slow
async def test_a_process_killed_while_it_indexes_leaves_an_index_that_mends_itself(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])

    for acknowledged in (3, 7):
        async with child(sys.executable, "-c", INDEXER, str(tmp_path), root, stdout=PIPE) as process:
            assert process.stdout
            told = [await process.stdout.readline() for _ in range(acknowledged + 1)]
            process.kill()
            told += (await process.stdout.read()).splitlines(keepends=True)
            await process.wait()
        last = max(int(line) for line in told if line.endswith(b"\n"))
        async with open_storage(tmp_path, embedder="m") as storage:
            versions = await storage.library.versions("folder")
            assert int(versions[f"d{last % 40}"]) >= last
            for owner in await storage.library.documents():
                expected = rows(30, int(owner.version))
                (hit, *_) = await storage.index.nearest(expected[29], EVERYONE, 3)
                assert hit.chunk_id == f"{owner.id}#29"
            await storage.index.reconcile()
            assert storage.vectors.serving
            for owner in await storage.library.documents():
                (hit, *_) = await storage.index.nearest(rows(30, int(owner.version))[29], EVERYONE, 3)
                assert hit.chunk_id == f"{owner.id}#29"
