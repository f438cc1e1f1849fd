"""Slips of the pen: which known words an unknown one may stand for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from pipeline.values import Audience, BlockKind, Chunk, Unit
from storage.documents.index import LASTING_SEARCHES, LASTING_SECONDS, SearchIndex
from storage.documents.spelling import MAX_WORD_LENGTH
from storage.documents.vocabulary import MAX_STEMS
from storage.open import Storage
from tests.contracts.waiting import until
from tests.doubles.clock import Clock
from tests.doubles.engines import Engine
from tests.doubles.samples import document

EVERYONE = Audience(collections=frozenset({"default"}))
TEXT = (
    "Containers are deployed to the cluster. Performance is measured; permission is needed to delete the delta."
    " Sharepoint13 is the site."
)
OFFERS = "An offer is a set of terms. An offer often lapses within seconds."


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def storage(engine: Engine, clock: Clock) -> AsyncIterator[Storage]:
    async with engine.storage() as opened:
        await keep(opened, "a", TEXT)
        index = SearchIndex(opened.database, opened.index._vectors, clock=clock)
        yield replace(opened, index=index)
        await index.close()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("perfomance", ["performance"]),
        ("clutser", ["cluster"]),
        ("parformance", ["performance"]),
        ("permision", ["permission"]),
        ("premisssion", ["permission"]),
        ("ccontiners", ["containers"]),
        ("delte", ["delete", "delta"]),
        ("xerformance", []),
        ("zebra", []),
        ("cat", []),
        ("cluster", []),
    ],
)
async def test_an_unknown_word_is_matched_to_the_nearest_that_documents_hold(
    storage: Storage, word: str, meant: list[str]
) -> None:
    found = await storage.index.suggest_words([word], EVERYONE)
    assert sorted(found.get(word, [])) == meant


async def keep(storage: Storage, name: str, text: str) -> None:
    unit = Unit(start=0, end=len(text), kind=BlockKind.PROSE)
    chunk = Chunk(id=f"{name}#0", document_id=name, text=text, units=(unit,))
    await storage.library.replace_document(document(name), [chunk], None, "")


async def test_of_words_as_near_the_one_that_ends_alike_comes_first(storage: Storage) -> None:
    await keep(storage, "offers", OFFERS)
    assert await storage.index.suggest_words(["offen"], EVERYONE) == {"offen": ["often", "offer"]}


async def test_what_is_short_for_a_word_is_no_slip_of_another(storage: Storage) -> None:
    await keep(storage, "offers", OFFERS)
    assert await storage.index.suggest_words(["secs"], EVERYONE) == {}


@pytest.mark.parametrize(("letters", "meant"), [(MAX_WORD_LENGTH - 1, True), (MAX_WORD_LENGTH + 1, False)])
async def test_a_word_longer_than_any_that_people_write_is_no_slip(storage: Storage, letters: int, meant: bool) -> None:
    """What looking for it costs grows with the cube of its letters."""
    known = ("performance" + "qw" * letters)[:letters]
    await keep(storage, "long", f"The {known} is measured.")
    slip = known[:20] + "z" + known[21:]
    assert await storage.index.suggest_words([slip], EVERYONE) == ({slip: [known]} if meant else {})


async def test_an_audience_that_sees_nothing_is_told_nothing(storage: Storage) -> None:
    assert await storage.index.suggest_words(["perfomance"], Audience(collections=frozenset({"other"}))) == {}


async def test_a_word_that_only_documents_out_of_sight_hold_is_as_unknown_as_any(storage: Storage) -> None:
    text = "The perfomance of the permisson."
    unit = Unit(start=0, end=len(text), kind=BlockKind.PROSE)
    chunk = Chunk(id="b#0", document_id="b", text=text, units=(unit,))
    await storage.library.replace_document(document("b", collection="board"), [chunk], None, "")
    found = await storage.index.suggest_words(["perfomance", "permisson"], EVERYONE)
    assert found == {"perfomance": ["performance"], "permisson": ["permission"]}


@pytest.mark.parametrize(
    ("code", "written"), [("xr2045", ["xr-2045"]), ("pn-4411", ["pn4411"]), ("xr-2045", []), ("xr2046", [])]
)
async def test_a_code_is_found_however_it_is_written(storage: Storage, code: str, written: list[str]) -> None:
    await keep(storage, "codes", "XR-2045 means that the lid is open. PN4411 is the hinge.")
    found = await storage.index.suggest_words([code], EVERYONE)
    assert found.get(code, []) == written


SLIPS = {
    "perfomance": ["performance"],
    "clutser": ["cluster"],
    "premisssion": ["permission"],
    "zebra": [],
    "sharepoint": ["sharepoint13"],
}


async def search_often(storage: Storage, seconds: float = LASTING_SECONDS) -> None:
    """Until the vocabulary is in memory, unless the last search is too soon for that."""
    for _ in range(LASTING_SEARCHES - 1):
        await storage.index.search_lexical(["performance"], EVERYONE, 5)
    storage.index._clock.now += seconds
    await storage.index.search_lexical(["performance"], EVERYONE, 5)
    await until(lambda: storage.index._reading is None or storage.index._reading.done())


async def test_while_documents_are_being_added_the_vocabulary_is_not_read(storage: Storage) -> None:
    for number in range(3):
        await keep(storage, f"b{number}", "Another generation.")
        await search_often(storage, LASTING_SECONDS - 1)
        assert storage.index._cache.vocabulary is None
    await search_often(storage, 1)
    assert storage.index._cache.vocabulary


async def test_a_library_that_was_too_large_gets_its_vocabulary_once_it_has_shrunk(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await search_often(storage)
    assert storage.index._cache.vocabulary
    monkeypatch.setattr("storage.documents.index.MAX_STEMS", len(storage.index._cache.vocabulary.counts))
    await keep(storage, "zebra", "The zebra.")
    await search_often(storage)
    assert storage.index._cache.vocabulary is None
    await storage.library.remove_documents(["zebra"])
    await search_often(storage)
    assert storage.index._cache.vocabulary


async def test_numbers_and_signs_of_a_collection_are_no_stems(storage: Storage) -> None:
    """Each engine counts the same stems towards the limit."""
    await keep(storage, "numbers", "1 22 333 4x, x4 and 10 % of 2024-11-05.")
    await search_often(storage)
    found = storage.index._cache.vocabulary.counts
    assert {"x4", "sharepoint13", "cluster"} <= found.keys()
    assert not any(stem[0].isdigit() or not stem.isalnum() for stem in found)


def fail(*_: object) -> None:
    raise RuntimeError("broken")


async def test_an_error_while_the_vocabulary_is_read_is_logged_and_it_is_read_again(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken, capture_logs() as logs:
        broken.setattr(storage.index._passages, "count_stems", fail)
        await search_often(storage)
    assert [(entry["event"], entry["reason"]) for entry in logs] == [("vocabulary_not_read", "broken")]
    await search_often(storage)
    assert storage.index._cache.vocabulary


async def test_an_error_while_the_vocabulary_is_read_does_not_disturb_the_shutdown(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage.index._passages, "count_stems", fail)
    await search_often(storage)
    await storage.index.close()
    await search_often(storage)
    assert storage.index._cache.vocabulary is None


@pytest.mark.parametrize("stems", [MAX_STEMS, 3])
async def test_words_are_the_same_however_often_a_library_is_searched_and_however_many_it_has(
    storage: Storage, stems: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.documents.index.MAX_STEMS", stems)
    words = ["performance", "permissions", "the", "zebra", "v3.2", "straße"]
    before = await storage.index.search_lexical(words, EVERYONE, 5)
    suggested = await storage.index.suggest_words(list(SLIPS), EVERYONE)
    assert suggested == {slip: meant for slip, meant in SLIPS.items() if meant}
    await keep(storage, "again", "Another generation.")
    await search_often(storage)
    assert bool(storage.index._cache.vocabulary) == (stems == MAX_STEMS)
    assert await storage.index.suggest_words(list(SLIPS), EVERYONE) == suggested
    await storage.library.remove_documents(["again"])
    await search_often(storage)
    assert await storage.index.search_lexical(words, EVERYONE, 5) == before


async def test_a_word_of_a_new_document_is_suggested_at_once(storage: Storage) -> None:
    await search_often(storage)
    await keep(storage, "b", "The zebra crosses the street.")
    assert await storage.index.suggest_words(["zebrra"], EVERYONE) == {"zebrra": ["zebra"]}


async def test_a_vocabulary_in_memory_gives_no_word_away(storage: Storage) -> None:
    text = "The zanzibar project."
    unit = Unit(start=0, end=len(text), kind=BlockKind.PROSE)
    chunk = Chunk(id="b#0", document_id="b", text=text, units=(unit,))
    await storage.library.replace_document(document("b", collection="board"), [chunk], None, "")
    await search_often(storage)
    assert await storage.index.suggest_words(["zanzibbar"], EVERYONE) == {}
    board = Audience(collections=frozenset({"board"}))
    assert await storage.index.suggest_words(["zanzibbar"], board) == {"zanzibbar": ["zanzibar"]}
