"""Slips of the pen: how far apart two words are, and which known ones an unknown one may stand for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.values import Audience, BlockKind, Chunk, Unit
from storage.documents.index import MAX_WORD_LENGTH, edit_distance
from storage.open import Storage
from tests.doubles.engines import Engine
from tests.doubles.samples import document

EVERYONE = Audience(collections=frozenset({"default"}))
TEXT = "Containers are deployed to the cluster. Performance is measured; permission is needed to delete the delta."
OFFERS = "An offer is a set of terms. An offer often lapses within seconds."
WORDS = st.text(alphabet="abc", max_size=7)


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage() as opened:
        await keep(opened, "a", TEXT)
        yield opened


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


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "abd", 1), ("abc", "cab", 2), ("abcd", "badc", 2)],
)
def test_a_slip_is_a_letter_more_less_or_other_or_two_exchanged(one: str, other: str, count: int) -> None:
    assert edit_distance(one, other, 5) == count


@given(WORDS, WORDS, st.integers(0, 3))
def test_slips_are_the_same_both_ways_and_counted_up_to_the_limit(one: str, other: str, limit: int) -> None:
    exact = edit_distance(one, other, 9)
    assert exact == edit_distance(other, one, 9)
    assert (exact == 0) == (one == other)
    assert min(edit_distance(one, other, limit), limit + 1) == min(exact, limit + 1)


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
