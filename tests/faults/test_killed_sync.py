"""`kill -9` while syncing: whatever the moment, the next sync ends as if nothing had happened."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pipeline.values import Audience
from storage.open import open_storage
from tests.doubles.git import Repository, repository
from tests.doubles.processes import child

DOCUMENTS = 30
KILLS = 3
"""In each of the two syncs; more say no more than that many more times."""
EVERYTHING = Audience(collections=frozenset({"default"}))


class Team:
    """A folder and a repository, as `citewell sources sync` reads them into a data folder."""

    def __init__(self, served: Repository, folder: Path) -> None:
        self._served = served
        self._folder = folder

    def write(self, version: str, numbers: range) -> None:
        """Documents of several passages, every sentence with its version; only those of `numbers` are there."""
        for tree in (self._served.tree, self._folder / "wiki"):
            tree.mkdir(exist_ok=True)
            for old in tree.glob("*.md"):
                old.unlink()
            for number in numbers:
                own = version if number % 3 else "same"
                text = " ".join(f"Sentence {n} of document {number} is of the {own} version." for n in range(40))
                (tree / f"{number:02}.md").write_text(f"# Page {number}\n\n{text}\n")
        self._served.commit()

    async def sync(self, data: Path, kill_after: float | None = None) -> float:
        """How long it took; killed after so many seconds, unless it has ended by then."""
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "CITEWELL_DATA": str(data),
            "CITEWELL_CONFIG": str(self._folder / "citewell.toml"),
            "CITEWELL_EMBEDDER": "none",
        }
        start = time.monotonic()
        async with child(sys.executable, "-m", "bot", "sources", "sync", "--yes", env=environment) as process:
            try:
                async with asyncio.timeout(kill_after):
                    status = await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
            else:
                assert kill_after is not None or status == 0
        return time.monotonic() - start


@asynccontextmanager
async def team(folder: Path) -> AsyncIterator[Team]:
    (folder / "server").mkdir()
    async with repository(folder / "server") as served:
        (folder / "citewell.toml").write_text(
            f'[[sources]]\nkind = "git"\nname = "book"\nurl = "{served.url}"\nprivate = true\n'
            f'[[sources]]\nkind = "folder"\nname = "wiki"\npath = "{folder}/wiki"\n'
        )
        yield Team(served, folder)


async def found(data: Path) -> tuple[list[tuple[str, str, str]], list[str]]:
    """All documents, and all passages that can be found."""
    async with open_storage(data) as storage:
        documents = await storage.library.list_documents()
        hits = (await storage.index.search_lexical(["sentence"], EVERYTHING, 10_000)).hits
        passages = await storage.library.get_chunks([hit.chunk_id for hit in hits])
    return sorted((one.id, one.version, one.source) for one in documents), sorted(chunk.text for chunk, _ in passages)


async def disturbed(folder: Path, kills: int, seed: int) -> int:
    """Compare; returns how many documents there were in the end."""
    moments = random.Random(seed)
    async with team(folder) as world:
        for version, numbers in (("first", range(DOCUMENTS)), ("second", range(10, DOCUMENTS + 5))):
            world.write(version, numbers)
            whole = await world.sync(folder / "undisturbed")
            for _ in range(kills):
                await world.sync(folder / "disturbed", whole * moments.uniform(0.3, 1))
            await world.sync(folder / "disturbed")
            assert await found(folder / "disturbed") == await found(folder / "undisturbed")
    return len((await found(folder / "disturbed"))[0])


@pytest.mark.slow
async def test_a_killed_sync_ends_with_the_next_one_as_an_undisturbed_one_does(tmp_path: Path) -> None:
    assert await disturbed(tmp_path, KILLS, seed=1) == 2 * (DOCUMENTS - 5)
