"""The retriever over a real library: what it finds, in which order, and what it does when a part fails."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.errors import Unavailable
from pipeline.find.rank import SEARCH_DEPTH
from pipeline.find.retrieve import HybridRetriever
from pipeline.ports import LexicalResult, Vectors
from pipeline.values import (
    Audience,
    BlockKind,
    Chunk,
    Intent,
    Retrieval,
    SearchHit,
    SearchPlan,
    SpellingCorrection,
    Unit,
    replace,
)
from pipeline.words.text import content_terms, sentence_spans
from storage.documents.index import SearchIndex
from storage.open import Storage, open_storage
from tests.doubles.samples import document

EVERYONE = Audience(collections=frozenset({"default"}))
NUMERALS = [
    f"{tens}{ones}"
    for tens in ("twenty", "thirty", "forty", "fifty")
    for ones in "one two three four five six seven eight nine".split()
]
SYNONYMS = {"holidai": "vacat", "leav": "vacat", "laptop": "comput"}


class Meaning:
    """An embedder for which texts are alike when they share words or synonyms."""

    name = "meaning"
    dimensions = 384

    async def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.full((len(texts), self.dimensions), 1e-3, np.float32)
        for row, text in enumerate(texts):
            for term in content_terms(text):
                seed = zlib.crc32(SYNONYMS.get(term, term).encode())
                vectors[row] += np.random.default_rng(seed).normal(size=self.dimensions)
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    async def embed_question(self, text: str) -> Vectors:
        vector: Vectors = (await self.embed([text]))[0]
        return vector


class Mute(Meaning):
    async def embed(self, texts: Sequence[str]) -> Vectors:
        raise Unavailable("embedder", "is not there")


class Deaf:
    """An index that finds nothing by words, or nothing by meaning, because that side is down."""

    def __init__(self, index: SearchIndex, *down: str) -> None:
        self._index = index
        self._down = down
        self.limits: list[int] = []
        """What the searches by meaning asked for."""

    def _check(self, side: str) -> None:
        if side in self._down:
            raise Unavailable("index", "is broken")

    async def search_lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> LexicalResult:
        self._check("lexical")
        return await self._index.search_lexical(terms, audience, limit)

    async def suggest_words(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        self._check("lexical")
        return await self._index.suggest_words(words, audience)

    async def search_vector(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        self._check("vector")
        self.limits.append(limit)
        return await self._index.search_vector(vector, audience, limit)


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncIterator[Storage]:
    async with open_storage(tmp_path / "data", embedder=Meaning.name) as opened:
        yield opened


async def put(storage: Storage, name: str, *texts: str, collection: str = "default", overlap: int = 0) -> None:
    found = [
        Chunk(
            id=f"{name}#{position}",
            document_id=name,
            text=text,
            units=tuple(Unit(start=start, end=end, kind=BlockKind.PROSE) for start, end in sentence_spans(text)),
            position=position,
            overlap=overlap if position else 0,
        )
        for position, text in enumerate(texts)
    ]
    vectors = [await Meaning().embed([one.text[unit.start : unit.end] for unit in one.units]) for one in found]
    await storage.library.replace_document(document(name, collection=collection), found, vectors, Meaning.name)


async def put_vacations(storage: Storage) -> None:
    """Put more passages about vacation than one search reads, and a long one with one sentence about it."""
    for numeral in NUMERALS:
        await put(storage, numeral, f"Vacation {numeral}.")
    chapters = " ".join(f"Chapter {numeral}." for numeral in NUMERALS)
    await put(storage, "far", f"Computers on vacation. {chapters}")


async def find(
    storage: Storage,
    *queries: str,
    context: str = "",
    audience: Audience = EVERYONE,
    top_k: int = 5,
    floor: float = 0.25,
) -> Retrieval:
    retriever = HybridRetriever(storage.index, storage.library, Meaning(), top_k=top_k, floor=floor)
    return await retriever.retrieve(SearchPlan(question=queries[0], queries=queries, context=context), audience)


def ids(retrieval: Retrieval) -> list[str]:
    return [passage.chunk.id for passage in retrieval.passages]


@pytest.fixture
async def office(storage: Storage) -> Storage:
    await put(storage, "travel", "Trains are booked in the travel portal. Flights need the consent of a manager.")
    await put(storage, "leave", "Vacation is thirty days a year. It is requested in the staff portal.")
    await put(storage, "hardware", "A broken computer is replaced by the help desk within two working days.")
    await put(storage, "kitchen", "The coffee machine is cleaned every evening.")
    return storage


async def test_a_passage_is_found_by_its_words_and_by_its_meaning(office: Storage) -> None:
    assert ids(await find(office, "Who must consent to flights?"))[0] == "travel#0"
    assert ids(await find(office, "How much holiday?", floor=0.1))[0] == "leave#0"


async def test_passages_come_best_first_with_a_cosine_for_each_unit(office: Storage) -> None:
    found = await find(office, "Is vacation requested in the staff portal?")
    best = found.passages[0]
    assert best.chunk.id == "leave#0"
    assert len(best.unit_scores) == len(best.chunk.units)
    assert best.unit_scores[1] > best.unit_scores[0]
    scores = [passage.score for passage in found.passages]
    assert scores == sorted(scores, reverse=True)
    assert 0.5 < scores[0] <= 1


async def test_what_does_not_fit_stays_below_the_floor_but_is_named_as_nearest(office: Storage) -> None:
    found = await find(office, "Who won the chess championship?")
    assert found.passages == ()
    assert found.nearest
    assert len(found.document_ids) == 4


async def test_other_audiences_find_nothing(office: Storage) -> None:
    await put(office, "salaries", "Salaries are reviewed in April.", collection="board")
    assert await find(office, "When are salaries reviewed?", audience=Audience(collections=frozenset())) == Retrieval(
        passages=()
    )
    everything = await find(office, "When are salaries reviewed?", floor=0)
    assert "salaries" not in everything.document_ids


async def test_each_query_brings_its_own_passages_once(office: Storage) -> None:
    found = await find(office, "broken computer", "vacation days", top_k=2)
    assert {(passage.chunk.id, passage.query_index) for passage in found.passages} >= {
        ("hardware#0", 0),
        ("leave#0", 1),
    }
    assert len(set(ids(found))) == len(found.passages)


async def test_a_question_that_finds_little_by_itself_follows_its_thread(office: Storage) -> None:
    assert ids(await find(office, "Who consents?", context="Flights are booked by the office."))[0] == "travel#0"
    assert (
        ids(await find(office, "And how long?", context="Vacation is requested.\nHow much vacation?", floor=0.1))[0]
        == "leave#0"
    )


async def test_a_thread_does_not_outweigh_a_question_on_something_else(office: Storage) -> None:
    thread = "Vacation is thirty days a year.\nHow much vacation do I get?"
    assert ids(await find(office, "When is the coffee machine cleaned?", context=thread))[0] == "kitchen#0"


async def test_a_short_question_on_what_its_thread_does_not_speak_of_finds_it(office: Storage) -> None:
    thread = "Vacation is thirty days a year.\nHow much vacation do I get?\nVacation is requested in the staff portal."
    assert ids(await find(office, "Who cleans?", context=thread))[0] == "kitchen#0"


async def test_near_copies_are_collapsed_and_do_not_fill_the_list(storage: Storage) -> None:
    rule = "Receipts are kept for ten years in the archive, and then they are destroyed by the registry"
    await put(storage, "a", rule, f"{rule}.")
    await put(storage, "b", f"{rule} again")
    await put(storage, "c", *(f"Receipts in drawer {number}{number} are kept apart." for number in range(1, 8)))
    await put(storage, "d", "Some receipts are lost.")
    found = await find(storage, "Where are receipts kept?", floor=-1)
    assert len([one for one in ids(found) if one[0] in "ab"]) == 1
    assert len([one for one in ids(found) if one[0] == "c"]) == 3
    assert "d#0" in ids(found)


async def test_many_editions_of_one_text_leave_room_for_what_contradicts_them(storage: Storage) -> None:
    for number in range(50):
        await put(storage, f"poison{number}", f"The refund limit for customers is 900 EUR as of revision {number}.")
    await put(storage, "clean", "For customers, the refund has a limit of 200 EUR.")
    await put(storage, "other", "Refunds above the limit need a manager.")
    found = await find(storage, "What is the refund limit for customers?", floor=0)
    assert len([one for one in ids(found) if one.startswith("poison")]) == 3
    assert {"clean#0", "other#0"} < set(ids(found))


async def test_forty_copies_neither_hide_nor_outvote_the_original_that_says_something_else(storage: Storage) -> None:
    await put(storage, "original", "The annual fee for members of the club is 49 euros, payable in June.")
    for number in range(40):
        await put(storage, f"copy{number}", "The annual fee for members of the club is 99 euros, payable in June.")
    await put(storage, "visitors", "Visitors of the club pay a fee of 5 euros a day.")
    await put(storage, "coaches", "The club pays its coaches annually.")
    found = await find(storage, "What is the annual fee for members of the club?", floor=0)
    assert len([one for one in ids(found) if one.startswith("copy")]) == 1
    assert {"original#0", "visitors#0", "coaches#0"} < set(ids(found))


async def test_editions_fill_the_list_where_nothing_else_is_left(storage: Storage) -> None:
    for year in range(2020, 2025):
        await put(storage, f"{year}", f"The refund limit for customers of {year} is {year - 1900} EUR.")
    assert len(ids(await find(storage, "What is the refund limit for customers?", floor=0))) == 5


@pytest.mark.parametrize(
    ("question", "word", "meant", "first"),
    [
        ("How many days of vacatoin do I get?", "vacatoin", "vacation", "leave#0"),
        ("Who consents to fligts?", "fligts", "flights", "travel#0"),
        ("When is the cofffee machine cleaned?", "cofffee", "coffee", "kitchen#0"),
        ("Which ocmputer is replaced?", "ocmputer", "computer", "hardware#0"),
    ],
)
async def test_a_word_that_no_document_holds_is_taken_for_the_nearest_one(
    office: Storage, question: str, word: str, meant: str, first: str
) -> None:
    found = await find(office, question)
    assert ids(found)[0] == first
    (held,) = found.corrections[0].documents
    assert found.corrections == (SpellingCorrection(word=word, meant=meant, documents=(held,)),)
    assert found.corrected_search(SearchPlan(question=question.upper(), queries=())).question == (
        question.upper().replace(word.upper(), meant)
    )


async def test_a_word_of_another_language_is_no_slip_of_one_that_the_documents_hold(office: Storage) -> None:
    await put(office, "days", "The report of the team is due in march, and the office is closed for the day.")
    assert (await find(office, "Was mache ich mit dem report?")).corrections == ()
    assert (await find(office, "What is due in mache, and for the report?")).corrections != ()


async def test_small_words_are_no_slips_and_forms_of_a_word_are_the_same_word(storage: Storage) -> None:
    await put(storage, "glacier", "Wenn der Gletscher schmilzt, steigt der Bach.")
    assert (await find(storage, "Wann ist der Gletscher da?")).corrections == ()
    (form,) = (await find(storage, "Was ist mit den Gletschern und dem Bach?")).corrections
    assert (form.word, form.meant, form.form) == ("gletschern", "gletscher", True)


async def test_words_as_near_as_the_one_that_was_taken_are_named(office: Storage) -> None:
    await put(office, "files", "Only owners delete files.", "Owners delete the folder too.", "The delta is sent.")
    found = await find(office, "Who may delte files?")
    assert found.corrections == (
        SpellingCorrection(word="delte", meant="delete", others=("delta",), documents=("files",)),
    )


async def test_a_word_of_the_language_that_no_document_holds_is_left_as_it_is(office: Storage) -> None:
    class English:
        def count_tokens(self, text: str) -> int:
            return 1 if text == "boffee" else 2

    retriever = HybridRetriever(office.index, office.library, Meaning(), tokenizer=English())
    asked = "When is the cofee machine cleaned?", "When is the boffee machine cleaned?"
    found = [await retriever.retrieve(SearchPlan(question=one, queries=(one,)), EVERYONE) for one in asked]
    assert [len(one.corrections) for one in found] == [1, 0]


async def test_a_passage_without_a_word_of_the_question_is_shown_where_its_meaning_is_near(office: Storage) -> None:
    assert ids(await find(office, "Holidays?")) == ["leave#0"]


async def test_where_no_word_is_in_the_documents_a_sentence_is_found_in_a_passage_about_much_else(
    storage: Storage,
) -> None:
    await put_vacations(storage)
    found = await find(storage, "laptop holiday")
    assert found.nearest[0].document.id == "far"


async def test_where_one_word_is_not_in_the_documents_meaning_is_searched_once(storage: Storage) -> None:
    await put_vacations(storage)
    index = Deaf(storage.index)
    retriever = HybridRetriever(index, storage.library, Meaning())
    assert (await retriever.retrieve(SearchPlan(question="laptop twentyone holiday"), EVERYONE)).nearest
    assert (await retriever.retrieve(SearchPlan(question="laptop twentyone vacation"), EVERYONE)).nearest
    assert index.limits == [SEARCH_DEPTH] * 2


async def test_where_no_document_has_the_word_that_counts_the_nearest_meaning_comes_first(office: Storage) -> None:
    await put(office, "hall", "Vases, candles and chairs are taken from the big hall to the attic on Monday night.")
    asked = "How are holidays taken?", "Is a chair taken?"
    assert [(await find(office, one)).nearest[0].document.id for one in asked] == ["leave", "hall"]


@pytest.mark.parametrize(
    ("down", "embedder", "degraded"),
    [
        (("lexical",), Meaning(), ("lexical",)),
        (("vector",), Meaning(), ("vector",)),
        ((), Mute(), ("embedder",)),
        ((), None, ()),
    ],
)
async def test_one_side_alone_answers_and_the_other_is_named(
    office: Storage, down: tuple[str, ...], embedder: Meaning | None, degraded: tuple[str, ...]
) -> None:
    retriever = HybridRetriever(Deaf(office.index, *down), office.library, embedder)
    query = "Who replaces a broken computer?"
    found = await retriever.retrieve(SearchPlan(question=query, queries=(query,)), EVERYONE)
    assert ids(found)[0] == "hardware#0"
    assert found.degraded == degraded


async def test_with_both_sides_down_nothing_is_found_and_both_are_named(office: Storage) -> None:
    retriever = HybridRetriever(Deaf(office.index, "lexical", "vector"), office.library, Meaning())
    query = "Who replaces a broken computer?"
    found = await retriever.retrieve(SearchPlan(question=query, queries=(query,)), EVERYONE)
    assert found == Retrieval(passages=(), degraded=("lexical", "vector"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wie lang ist die Kündigungsfrist?", "Die Kündigungsfrist beträgt drei Monate zum Quartalsende."),
        ("Où sont rangées les clés ?", "Les clés sont rangées à l'accueil, dans l'armoire verte."),
        ("¿Cuándo se pagan los salarios?", "Los salarios se pagan el último día del mes."),
        ("有給休暇は何日ですか", "有給休暇は年に二十日です。"),
    ],
)
async def test_questions_in_other_languages_find_their_passage(storage: Storage, question: str, answer: str) -> None:
    for number, text in enumerate(
        [
            answer,
            "El café está en la cocina.",
            "Das Büro öffnet um acht Uhr.",
            "会議室は二階です。",
            "Le bureau ouvre tôt.",
        ]
    ):
        await put(storage, f"d{number}", text)
    assert ids(await find(storage, question))[0] == "d0#0"


class Reader:
    """A reranker that likes the passages that hold `likes`, and remembers what it was given."""

    def __init__(self, likes: str) -> None:
        self.likes = likes
        self.question = ""
        self.passages: Sequence[str] = ()

    async def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        self.question, self.passages = question, passages
        return [100.0 * (self.likes in passage) - 7 for passage in passages]


class Absent(Reader):
    async def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        raise Unavailable("reranker", "did not answer within 2 seconds")


@pytest.fixture
async def machines(storage: Storage) -> Storage:
    for name, room in {"ground": "hall", "first": "kitchen", "second": "library", "roof": "bar"}.items():
        await put(storage, name, f"The coffee machine of the {room} is cleaned by the staff of the {name} floor.")
    await put(storage, "boats", "Boats are rowed.")
    return storage


async def test_what_was_retrieved_can_be_written_as_json_and_read_again(office: Storage) -> None:
    found = await find(office, "When are salaries reviewed?")
    assert found.candidates
    assert Retrieval.model_validate_json(found.model_dump_json()) == found


async def read_by(storage: Storage, reranker: Reader | None, *queries: str, **settings: Any) -> Retrieval:
    retriever = HybridRetriever(storage.index, storage.library, Meaning(), reranker=reranker, **settings)
    search = SearchPlan(
        question="Who cleans the coffee machine?", queries=queries or ("Who cleans the coffee machine?",)
    )
    return await retriever.retrieve(search, EVERYONE)


@pytest.mark.parametrize("likes", ["hall", "kitchen", "library", "bar"])
async def test_a_reranker_says_who_comes_first_and_the_scores_stay_those_that_were_found(
    machines: Storage, likes: str
) -> None:
    plain, found = [await read_by(machines, reranker, top_k=2) for reranker in (None, Reader(likes))]
    assert likes in found.passages[0].chunk.text
    assert found.document_ids[0] == found.nearest[0].document.id == found.passages[0].document.id
    assert [one.score for one in found.passages] == [one.score for one in plain.passages]
    assert sorted(found.document_ids) == sorted(plain.document_ids)
    assert found.degraded == ()


async def test_what_is_below_the_floor_stays_there_whatever_a_reranker_likes(machines: Storage) -> None:
    reader = Reader("Boats")
    found = await read_by(machines, reader, top_k=20)
    assert "boats#0" not in ids(found)
    assert len(reader.passages) == 4


async def test_passages_between_which_a_reranker_sees_no_difference_stay_in_their_order(machines: Storage) -> None:
    assert await read_by(machines, Reader("nothing of it")) == await read_by(machines, None)


async def test_a_reranker_that_does_not_work_is_named_and_changes_nothing(machines: Storage) -> None:
    plain, found = [await read_by(machines, reranker) for reranker in (None, Absent(""))]
    assert found == replace(plain, degraded=("reranker",))


async def test_a_reranker_reads_the_whole_question_and_passages_behind_their_titles(machines: Storage) -> None:
    reader = Reader("hall")
    found = await read_by(machines, reader, "coffee machine cleaned")
    assert reader.question == "Who cleans the coffee machine?"
    expected = {f"{one.document.title}\n{one.chunk.text}" for one in found.passages}
    assert set(reader.passages) == expected


async def test_of_several_queries_each_is_read_for_itself(machines: Storage) -> None:
    found = await read_by(machines, Reader("bar"), "Who cleans the coffee machine?", "boats rowed", top_k=3)
    assert ids(found)[0] in {"roof#0", "boats#0"}
    assert {one.query_index for one in found.passages} == {0, 1}


async def test_nothing_is_asked_of_a_reranker_where_there_is_no_choice(machines: Storage) -> None:
    reader = Reader("boats")
    assert ids(await read_by(machines, reader, "Which boats are rowed?")) == ["boats#0"]
    assert reader.passages == ()


async def test_a_reranker_is_given_the_best_fifteen_and_leaves_the_others_behind_them(storage: Storage) -> None:
    for number in range(20):
        await put(storage, f"d{number}", f"Room {number} {'x' * number} has a coffee machine that somebody cleans.")
    plain = await read_by(storage, None, top_k=20)
    reader = Reader("machine")
    assert ids(await read_by(storage, reader, top_k=20)) == ids(plain)
    assert len(plain.passages) > len(reader.passages) == 15


class Second:
    """A reader that likes what has a word in it; or is not there."""

    def __init__(self, word: str, *, hurried: bool = False, broken: bool = False) -> None:
        self._word = word
        self._hurried = hurried
        self._broken = broken
        self.asked: list[str] = []

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        self.asked.append(question)
        if self._broken:
            raise Unavailable("reader", "its graph could not be run")
        if self._hurried:
            return None
        return [0.9 if self._word in stretch else 0.1 for stretch in texts]


async def seconded(storage: Storage, reader: Second, search: SearchPlan) -> Retrieval:
    retriever = HybridRetriever(storage.index, storage.library, Meaning(), reader=reader)
    return await retriever.retrieve(search, EVERYONE)


async def test_a_second_reader_says_which_passage_is_first(office: Storage) -> None:
    search = SearchPlan(question="Who replaces a broken computer, the manager?")
    assert ids(await seconded(office, Second(""), search))[0] == "hardware#0"
    found = await seconded(office, Second("Flights"), search)
    assert (found.passages[0].chunk.id, found.passages[0].relevance, found.scorer_skipped) == ("travel#0", 0.9, "")


async def test_without_its_second_reader_a_search_finds_what_it_found_before(office: Storage) -> None:
    search = SearchPlan(question="Who must consent to flights?")
    before = (await find(office, search.question)).passages
    hurried = await seconded(office, Second("", hurried=True), search)
    assert (hurried.passages, hurried.degraded, hurried.scorer_skipped) == (before, (), "there was no time for it")
    broken = await seconded(office, Second("", broken=True), search)
    assert (broken.passages, broken.degraded, broken.scorer_skipped) == (before, ("reader",), "")


async def test_a_summary_and_a_comparison_are_not_read(office: Storage) -> None:
    reader = Second("")
    await seconded(office, reader, SearchPlan(question="Sum up vacation.", intent=Intent.SUMMARY))
    await seconded(office, reader, SearchPlan(question="Trains or flights?", queries=("Trains?", "Flights?")))
    assert reader.asked == []


async def test_a_follow_up_is_read_behind_what_it_leans_on(office: Storage) -> None:
    reader = Second("")
    for question in ("And on Sundays?", "On Sundays (How much vacation do I get)?"):
        await seconded(office, reader, SearchPlan(question=question, topic="How much vacation do I get?"))
    assert reader.asked == ["How much vacation do I get? And on Sundays?", "On Sundays (How much vacation do I get)?"]
