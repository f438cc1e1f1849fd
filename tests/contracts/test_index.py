"""What the port `Index` promises, held by exact search, by Chroma in memory, by a Chroma server and by PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.values import Audience
from pipeline.words.text import query_terms
from storage.open import Storage, open_storage
from tests.doubles.chroma import chroma_server
from tests.doubles.ports import free_port
from tests.doubles.samples import DIMENSIONS, chunks, document, matrices, rows


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server(tmp_path_factory.mktemp("chroma"), free_port()) as url:
        yield url


@pytest.fixture(params=["exact", "memory", "server", "postgresql"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    url = request.getfixturevalue("server") if request.param == "server" else None
    if request.param == "memory":
        request.getfixturevalue("chroma_at_any_size")
    database = request.getfixturevalue("postgres").empty() if request.param == "postgresql" else ""
    async with open_storage(tmp_path / "data", database=database, embedder="m", chroma_url=url) as opened:
        if request.param == "exact":
            await opened.vectors.close()
        yield opened


async def ready(storage: Storage) -> None:
    """Chroma is equal to the database, where it is used."""
    await storage.vectors.sync()


def audience(*names: str) -> Audience:
    return Audience(collections=frozenset(names))


async def put(
    storage: Storage, name: str, *texts: str, collection: str = "all", embedder: str = "m", seed: int = 0
) -> None:
    await storage.library.replace_document(
        document(name, collection=collection), chunks(name, texts), matrices(len(texts), seed), embedder
    )


async def found(storage: Storage, question: str, *names: str) -> list[str]:
    hits, _ = await storage.index.search_lexical(query_terms(question), audience(*(names or ("all",))), 10)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.chunk_id for hit in hits]


@pytest.mark.parametrize("storage", ["exact", "postgresql"], indirect=True)
class TestWords:
    async def test_words_are_found_in_every_form_and_without_accents(self, storage: Storage) -> None:
        await put(storage, "leave", "Employees may take their holidays", "Résumés are kept", "Nothing here")
        assert await found(storage, "holiday of an employee") == ["leave#0"]
        assert await found(storage, "an employee's holiday") == ["leave#0"]
        assert await found(storage, "resume") == ["leave#1"]

    async def test_scripts_without_spaces_are_found(self, storage: Storage) -> None:
        await put(storage, "ja", "年次有給休暇は二十五日です", "経費は翌月末までに精算してください")
        assert await found(storage, "有給休暇は何日ですか") == ["ja#0"]

    async def test_words_of_any_length_are_found(self, storage: Storage) -> None:
        digits = "".join(str(number) for number in range(2000))
        await put(storage, "key", f"The key is {digits}", f"The host is {'.'.join(['host' * 60] * 10)}")
        assert await found(storage, digits) == ["key#0"]
        assert await found(storage, ".".join(["host" * 60] * 10)) == ["key#1"]

    async def test_the_title_counts(self, storage: Storage) -> None:
        await put(storage, "kestrel", "It flies.")
        await put(storage, "other", "It swims.")
        assert await found(storage, "kestrel") == ["kestrel#0"]

    async def test_the_better_match_comes_first(self, storage: Storage) -> None:
        await put(storage, "a", "vacation", "vacation days for contractors", "sick days")
        assert (await found(storage, "vacation days for contractors"))[0] == "a#1"

    async def test_common_words_rank_what_a_rarer_one_finds_and_find_when_there_is_none(
        self, storage: Storage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("storage.documents.index.MAX_MATCHES", 5)
        await put(storage, "a", *["common text"] * 30, *["other text"] * 60, "rare word", "rare common word")
        assert len(await found(storage, "common")) == 10
        assert await found(storage, "common rare notthere") == ["a#91", "a#90"]

    async def test_nothing_is_found_for_unknown_words_or_none(self, storage: Storage) -> None:
        await put(storage, "a", "text")
        assert await found(storage, "elephants") == []
        assert (await storage.index.search_lexical([], audience("all"), 5)).hits == []
        assert (await storage.index.search_lexical(["", '"'], audience("all"), 5)).hits == []

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
    @given(st.lists(st.text(max_size=12), max_size=5))
    async def test_any_words_may_be_asked_for(self, storage: Storage, words: list[str]) -> None:
        await storage.index.search_lexical(words, audience("all"), 5)
        await storage.index.search_lexical(query_terms(" ".join(words)), audience("all"), 5)

    async def test_a_question_cannot_name_its_way_into_another_collection(self, storage: Storage) -> None:
        await put(storage, "secret", "salaries", collection="board")
        await put(storage, "open", "menus", collection="board-games")
        for words in (["board"], ["\ue0001"], ['salaries") OR collection : ("\ue0001']):
            hits, _ = await storage.index.search_lexical([*words, "salaries"], audience("board-games"), 5)
            assert {hit.chunk_id for hit in hits} <= {"open#0"}


async def test_the_nearest_are_those_of_the_highest_cosine(storage: Storage) -> None:
    stored = rows(300, seed=1)
    await storage.library.replace_document(
        document("d", collection="all"), chunks("d", ["text"] * 300), [row[None, :] for row in stored], "m"
    )
    await ready(storage)
    for question in rows(10, seed=2):
        hits = await storage.index.search_vector(question, audience("all"), 10)
        cosines = stored @ question
        best = np.sort(cosines)[::-1][:10]
        assert [hit.score for hit in hits] == pytest.approx(best.tolist(), abs=0.02)
        assert all(cosines[int(hit.chunk_id[2:])] == pytest.approx(hit.score, abs=0.02) for hit in hits)


async def test_the_mean_of_a_chunks_units_is_what_is_near(storage: Storage) -> None:
    units = rows(2, seed=3)
    await storage.library.replace_document(document("d", collection="all"), chunks("d", ["a"]), [units], "m")
    await ready(storage)
    mean = units.mean(axis=0) / np.linalg.norm(units.mean(axis=0))
    (hit,) = await storage.index.search_vector(mean, audience("all"), 5)
    assert hit.score == pytest.approx(1.0, abs=0.001)


async def test_an_audience_sees_its_own_collections_only(storage: Storage) -> None:
    for seed, (name, collection) in enumerate([("a", "one"), ("b", "two"), ("c", "three")]):
        await put(storage, name, "same words", "same words", collection=collection, seed=seed)
    await ready(storage)
    question = rows(1, seed=9)[0]
    for names in ([], ["one"], ["two", "three"], ["one", "two", "three"], ["nowhere"]):
        allowed = {
            f"{'abc'[('one', 'two', 'three').index(name)]}#{n}" for name in names if name != "nowhere" for n in (0, 1)
        }
        near = await storage.index.search_vector(question, audience(*names), 10)
        words, _ = await storage.index.search_lexical(["words"], audience(*names), 10)
        assert {hit.chunk_id for hit in near} == {hit.chunk_id for hit in words} == allowed


async def test_the_limit_counts_over_all_collections(storage: Storage) -> None:
    for seed, collection in enumerate(["one", "two"]):
        await put(storage, collection, *["text"] * 8, collection=collection, seed=seed)
    await ready(storage)
    everything = await storage.index.search_vector(rows(1)[0], audience("one", "two"), 16)
    assert await storage.index.search_vector(rows(1)[0], audience("one", "two"), 5) == everything[:5]
    assert [hit.score for hit in everything] == sorted((hit.score for hit in everything), reverse=True)


async def test_changes_are_found_at_once(storage: Storage) -> None:
    await put(storage, "a", "first", "second")
    await put(storage, "b", "third", seed=1)
    await ready(storage)
    await put(storage, "a", "fourth", seed=2)
    await storage.library.remove_documents(["b"])
    assert [hit.chunk_id for hit in await storage.index.search_vector(rows(1)[0], audience("all"), 9)] == ["a#0"]
    assert await found(storage, "first third") == []
    assert await found(storage, "fourth") == ["a#0"]
    await ready(storage)
    assert [hit.chunk_id for hit in await storage.index.search_vector(rows(1)[0], audience("all"), 9)] == ["a#0"]


async def test_vectors_of_another_embedder_are_never_compared(storage: Storage) -> None:
    await put(storage, "mine", "words")
    await put(storage, "theirs", "words", embedder="another", seed=1)
    await ready(storage)
    assert [hit.chunk_id for hit in await storage.index.search_vector(rows(1, 1)[0], audience("all"), 9)] == ["mine#0"]
    assert list((await storage.library.get_with_vectors(["mine#0", "theirs#0"]))[1].rows) == ["mine#0"]
    assert set(await found(storage, "words")) == {"mine#0", "theirs#0"}


@pytest.mark.parametrize("storage", ["exact", "postgresql"], indirect=True)
async def test_unit_vectors_come_in_the_order_of_units_and_unknown_chunks_are_left_out(storage: Storage) -> None:
    one, two = rows(3, seed=4), rows(1, seed=5)
    await storage.library.replace_document(document("d", collection="all"), chunks("d", ["a", "b"]), [one, two], "m")
    _, vectors = await storage.library.get_with_vectors(["d#1", "nobody", "d#0"])
    found = {chunk_id: vectors.matrix[rows] for chunk_id, rows in vectors.rows.items()}
    assert set(found) == {"d#0", "d#1"}
    assert found["d#0"].shape == (3, DIMENSIONS)
    assert np.einsum("ij,ij->i", found["d#0"], one) == pytest.approx([1, 1, 1], abs=0.001)
    assert np.linalg.norm(found["d#1"], axis=1) == pytest.approx([1.0])
    assert (await storage.library.get_with_vectors([]))[1].rows == {}


@pytest.mark.parametrize("storage", ["memory", "server"], indirect=True)
async def test_chroma_is_what_answers_once_it_is_equal_to_the_database(storage: Storage) -> None:
    await put(storage, "a", "first", "second")
    assert not storage.vectors.is_chroma_ready
    await ready(storage)
    assert storage.vectors.is_chroma_ready
    hits = await storage.index.search_vector(rows(1)[0], audience("all"), 5)
    assert [hit.chunk_id for hit in hits] == ["a#0", "a#1"]
    assert storage.vectors.is_chroma_ready


@pytest.mark.parametrize("storage", ["exact", "postgresql"], indirect=True)
async def test_a_word_is_counted_by_the_stem_that_is_indexed(storage: Storage) -> None:
    await put(storage, "a", "Our technology is possibly old", "The assembly of XS parts", "Version v3.2.0 is out")
    words = ["technology", "possibly", "assembly", "xs", "v3.2.0", "zebra"]
    _, rarity = await storage.index.search_lexical(words, audience("all"), 10)
    unknown = rarity["zebra"]
    assert [word for word in words if rarity[word] == unknown] == ["zebra"]
