"""`kill -9` while indexing: never half a document, and the next run completes the rest."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from pipeline.values import Audience
from storage.open import open_storage
from tests.doubles.processes import child

ROOT = Path(__file__).parents[2]
DOCUMENTS = 25
EVERYTHING = Audience(collections=frozenset({"c"}))


def write(folder: Path, version: str) -> None:
    """Documents of several chunks each, every sentence with its version."""
    folder.mkdir(exist_ok=True)
    for number in range(DOCUMENTS):
        sentences = (f"Sentence {n} of document {number} is of the {version} version." for n in range(25))
        (folder / f"{number:02}.txt").write_text(" ".join(sentences))


async def index(data: Path, folder: Path, die_after: int) -> int:
    script = str(ROOT / "tests" / "faults" / "indexing_process.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    async with child(sys.executable, script, str(data), str(folder), str(die_after), env=environment) as process:
        return await process.wait()


async def versions(data: Path) -> dict[str, set[str]]:
    """For each document that is there, the versions its chunks are of."""
    found: dict[str, set[str]] = {}
    async with open_storage(data) as storage:
        for version in ("first", "second"):
            for hit in (await storage.index.search_lexical([version], EVERYTHING, 10_000)).hits:
                ((chunk, document),) = await storage.library.get_chunks([hit.chunk_id])
                assert "version" in chunk.text
                found.setdefault(document.id, set()).add(version)
        assert found.keys() == {document.id for document in await storage.library.list_documents()}
    return found


async def chunk_count(data: Path) -> int:
    async with open_storage(data) as storage:
        return len((await storage.index.search_lexical(["sentence"], EVERYTHING, 10_000)).hits)


@pytest.mark.slow
async def test_a_killed_run_leaves_whole_documents_and_the_next_one_completes(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "docs"
    write(folder, "first")
    assert await index(data, folder, 5) == -signal.SIGKILL
    assert all(of == {"first"} for of in (await versions(data)).values())
    assert await index(data, folder, 0) == 0
    chunks = await chunk_count(data)
    write(folder, "second")
    assert await index(data, folder, 11) == -signal.SIGKILL
    mixed = await versions(data)
    assert len(mixed) == DOCUMENTS
    assert all(len(of) == 1 for of in mixed.values()), "a document is of the old version or the new one, never of both"
    assert {version for of in mixed.values() for version in of} == {"first", "second"}
    assert await index(data, folder, 0) == 0
    assert await versions(data) == {f"{number:02}.txt": {"second"} for number in range(DOCUMENTS)}
    assert await chunk_count(data) == chunks
