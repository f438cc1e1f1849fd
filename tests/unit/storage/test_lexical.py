"""Search by words remembers how frequent they are, within bounds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.values import Audience
from storage.open import open_storage
from storage.sqlite.posting_ranking import PostingRanking
from tests.doubles.samples import chunks, document, matrices


async def test_however_many_words_are_asked_few_are_kept_and_the_answers_stay_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.documents.index.CACHED_WORDS", 10)
    everyone = Audience(collections=frozenset({"default"}))
    async with open_storage(tmp_path) as storage:
        await storage.library.replace_document(
            document("d"), chunks("d", ["pumps and valves", "pumps"]), matrices(2), "m"
        )
        search = storage.index
        expected = await search.search_lexical(["pumps", "valves"], everyone, 5)
        for number in range(100):
            found = await search.search_lexical(["pumps", f"word{number}", "valves"], everyone, 5)
            assert [hit.chunk_id for hit in found.hits] == ["d#0", "d#1"]
            assert found.rarity.items() >= expected.rarity.items()
        assert len(search._cache.frequencies) <= 10 + 4


async def test_what_is_read_beforehand_is_given_up_when_the_library_changes_and_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everyone = Audience(collections=frozenset({"default"}))
    stops: list[Callable[[], bool]] = []
    monkeypatch.setattr(PostingRanking, "read_all", lambda _, __, is_stopped: stops.append(is_stopped))
    async with open_storage(tmp_path) as storage:
        search = storage.index

        async def write_and_read(name: str) -> None:
            await storage.library.replace_document(document(name), chunks(name, ["pumps and valves"]), None, "")
            await search.search_lexical(["pumps"], everyone, 9)
            await search.read_vocabulary()
            await search.read_postings()

        await write_and_read("first")
        assert [is_stopped() for is_stopped in stops] == [False]
        await write_and_read("second")
        assert [is_stopped() for is_stopped in stops] == [True, False]
    assert [is_stopped() for is_stopped in stops] == [True, True]


async def test_a_library_that_is_searched_often_gives_the_same_passages_and_none_that_is_gone(tmp_path: Path) -> None:
    everyone = Audience(collections=frozenset({"default"}))
    async with open_storage(tmp_path) as storage:
        for name, collection in (("a", "default"), ("b", "default"), ("c", "board")):
            texts = [f"pumps and valves of {name}", "pumps", f"valves {name}"]
            await storage.library.replace_document(document(name, collection=collection), chunks(name, texts), None, "")
        search = storage.index
        expected = await search.search_lexical(["pumps", "valves"], everyone, 9)
        assert {hit.chunk_id[0] for hit in expected.hits} == {"a", "b"}
        await search.read_vocabulary()
        await search.read_postings()
        assert search._cache.is_complete
        assert await search.search_lexical(["pumps", "valves"], everyone, 9) == expected
        await storage.library.remove_documents(["a"])
        remaining = await search.search_lexical(["pumps", "valves"], everyone, 9)
        assert {hit.chunk_id[0] for hit in remaining.hits} == {"b"}
