"""Ranking in memory finds what FTS5 finds, with the same scores."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from pipeline.values import Chunk, SearchHit, replace
from storage.database import Connection, PassageRanking
from storage.documents.revision import Revision, insert_chunks, stage_revision
from storage.open import Storage, open_storage
from storage.sqlite import posting_ranking
from tests.doubles.samples import chunks, document

WORDS = "pump valves valve running runs policy policies hotel café straße 2024 zebra it is the a of".split()
T = TypeVar("T")


async def open_library(storage: Storage, count: int, draw: random.Random) -> None:
    """Documents of two collections, some of them written anew, some removed, with titles of the same words."""
    for number in [*range(count), *range(0, count, 5)]:
        texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 40))) for _ in range(draw.randint(1, 4))]
        untitled = document(f"d{number}", collection=f"c{number % 2}")
        titled = replace(untitled, title=" ".join(draw.choices(WORDS, k=2)))
        await storage.library.replace_document(titled, chunks(f"d{number}", texts), None, "")
    await storage.library.remove_documents([f"d{number}" for number in range(0, count, 7)])


def both(
    db: Connection, storage: Storage, ranking: PassageRanking, asked: list[str], scope: list[int] | None, limit: int
) -> tuple[list[SearchHit] | None, list[SearchHit]]:
    """What is found in memory the second time, and by FTS5; the rarer half of the words decides."""
    passages = storage.database.passage_index
    frequency = passages.document_frequency(db, asked)
    rare = sorted(frequency, key=frequency.__getitem__)[: -(-len(asked) // 2)]
    total = int(db.execute("SELECT count(*) FROM chunk").fetchone()[0])
    ranking.search(db, rare, frequency, scope, limit)
    return (
        ranking.search(db, rare, frequency, scope, limit),
        passages.search(db, rare, frequency, total, scope, limit),
    )


def never() -> bool:
    return False


async def read(storage: Storage, work: Callable[[Connection, PassageRanking], T]) -> T:
    def with_ranking(db: Connection) -> T:
        ranking = storage.database.passage_index.load_ranking(db)
        assert ranking
        return work(db, ranking)

    return await storage.database.read(with_ranking)


@pytest.mark.parametrize("held", [posting_ranking.HELD_POSTINGS, 20])
@pytest.mark.parametrize("beforehand", [1, 20, 0])
async def test_what_is_found_and_its_scores_are_those_of_fts5(
    tmp_path: Path, held: int, beforehand: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting_ranking, "HELD_POSTINGS", held)
    monkeypatch.setattr(posting_ranking, "FREQUENT", beforehand)
    monkeypatch.setattr(posting_ranking, "WORDS_AT_ONCE", 3)
    draw = random.Random(held)

    def compare(db: Connection, ranking: PassageRanking) -> None:
        if beforehand:
            ranking.read_all(db, never)
        for _ in range(300):
            asked = draw.sample([*WORDS, "unknown"], draw.randint(1, 6))
            scope = draw.choice([None, [1], [2], [1, 2], [3]])
            found, expected = both(db, storage, ranking, asked, scope, draw.choice([1, 5, 500]))
            assert found == expected

    async with open_storage(tmp_path) as storage:
        await open_library(storage, 40, draw)
        await read(storage, compare)


async def test_reading_beforehand_ends_once_it_is_stopped_and_changes_nothing_that_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting_ranking, "FREQUENT", 1)
    asked = 0

    def is_stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked == 15

    def compare(db: Connection, ranking: PassageRanking) -> None:
        ranking.read_all(db, is_stopped)
        for word in WORDS:
            found, expected = both(db, storage, ranking, [word], None, 9)
            assert found == expected

    async with open_storage(tmp_path) as storage:
        await open_library(storage, 20, random.Random(1))
        await read(storage, compare)
    assert asked == 15


async def test_a_version_that_is_not_live_yet_is_not_found(tmp_path: Path) -> None:
    def stage(db: Connection) -> None:
        new = document("d0")
        revision = stage_revision(db, new, 1, "", 0)
        insert_chunks(db, storage.database.passage_index.add, revision, 1, new, hidden, None, 0)

    def ids(db: Connection, ranking: PassageRanking) -> list[str]:
        ranking.read_all(db, never)
        found, expected = both(db, storage, ranking, ["pump"], None, 9)
        assert found == expected
        return [hit.chunk_id for hit in found or ()]

    hidden: list[Chunk] = chunks("new", ["pump pump"])
    async with open_storage(tmp_path) as storage:
        await storage.library.replace_document(document("d0"), chunks("d0", ["pump", "valve"]), None, "")
        await storage.database.write(stage)
        assert await read(storage, ids) == ["d0#0"]


async def test_once_something_is_erased_words_that_were_not_asked_for_before_are_left_to_fts5(tmp_path: Path) -> None:
    def ranked(db: Connection) -> list[bool]:
        return [ranking.search(db, [word], {word}, None, 9) is not None for word in ("pump", "valve")]

    async with open_storage(tmp_path) as storage:
        await storage.library.replace_document(document("d0"), chunks("d0", ["pump valve"]), None, "")
        await Revision(document("d0"), chunks("d0", ["pump valve hotel"]), None, "").write(storage.database)
        ranking = await read(storage, lambda db, ranking: ranking)
        await storage.database.read(lambda db: ranking.search(db, ["pump"], {"pump"}, None, 9))
        await storage.library.delete_unreachable()
        assert await storage.database.read(ranked) == [True, False]


async def test_words_of_several_parts_are_left_to_fts5(tmp_path: Path) -> None:
    async with open_storage(tmp_path) as storage:
        await storage.library.replace_document(document("d0"), chunks("d0", ["I don't use v3.2"]), None, "")
        for word in ("don't", "v3.2"):
            found, expected = await read(storage, lambda db, ranking: both(db, storage, ranking, [word], None, 9))  # noqa: B023
            assert found is None
            assert [hit.chunk_id for hit in expected] == ["d0#0"]


async def test_an_empty_library_holds_nothing(tmp_path: Path) -> None:
    async with open_storage(tmp_path) as storage:
        await read(storage, lambda db, ranking: ranking.read_all(db, never))
        found, _ = await read(storage, lambda db, ranking: both(db, storage, ranking, ["pump"], None, 9))
        assert found == []
