"""Confidence: what raises and lowers it, when an answer is withheld, and that every part is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.compose import manner
from pipeline.compose.confidence import assess, has_sufficient_context
from pipeline.read.asked import AnswerType, holds, read
from pipeline.read.evidence import gather
from pipeline.read.signals import Signals, signals
from pipeline.text import sentences
from pipeline.values import BlockKind, Chunk, Document, Judgement, Level, RetrievedChunk, Sentence, Support, Unit


def passage(name: str, text: str, cosine: float | None = None, document: str = "") -> RetrievedChunk:
    """A passage of prose whose sentences all have the same cosine with the question; None is without vectors."""
    units = tuple(Unit(start=start, end=end, kind=BlockKind.PROSE) for start, end in sentences(text))
    owner = document or name
    return RetrievedChunk(
        chunk=Chunk(id=name, document_id=owner, text=text, units=units),
        document=Document(id=owner, filename=f"{owner}.md", title=owner),
        score=0.7,
        unit_scores=() if cosine is None else (cosine,) * len(units),
    )


def judged(text: str, *chunk_ids: str, supported: bool = True) -> tuple[Sentence, Judgement]:
    return Sentence(text=text, chunk_ids=chunk_ids), Judgement(
        support=Support.VERBATIM if supported else Support.UNSURE, score=1.0, chunk_ids=chunk_ids
    )


QUESTION = "How many days of paid leave do full-time staff have?"
ANSWER = "All full-time staff have 25 days of paid leave a year, counted from the first of January."
LEAVE = passage("leave", ANSWER, 0.9)


def found(question: str, text: str, cosine: float | None = 0.8) -> Signals:
    asked = read(question)
    result = signals(asked, gather(asked, [passage("p", text, cosine)]))
    assert result
    return result


def test_a_sentence_that_answers_is_asserted_with_high_confidence() -> None:
    result = assess(QUESTION, [LEAVE], [judged(ANSWER, "leave")], generator="extractive")
    assert result.confidence.level is Level.HIGH
    assert result.sufficient
    assert not result.abstain


def test_a_far_passage_is_not_asserted_and_the_reason_is_given() -> None:
    far = passage("parking", "Parking is behind the building, next to the old brewery and the bicycle shed.", 0.1)
    result = assess(QUESTION, [far], [judged(far.chunk.text, "parking")], generator="extractive")
    assert result.abstain
    assert result.abstain_reason == "no sentence comes close enough to what was asked"
    assert not result.sufficient


@pytest.mark.parametrize("sentences", [[], [judged(ANSWER, "leave", supported=False)]])
def test_nothing_supported_is_nothing_said(sentences: list[tuple[Sentence, Judgement]]) -> None:
    result = assess(QUESTION, [LEAVE], sentences, generator="extractive")
    assert result.abstain
    assert result.confidence.score == 0.0
    assert result.abstain_reason == "nothing in the documents stands up to the check"


def test_without_passages_there_is_no_confidence() -> None:
    result = assess(QUESTION, [], [], generator="extractive")
    assert (result.abstain, result.sufficient, result.confidence.score) == (True, False, 0.0)


@pytest.mark.parametrize(
    ("question", "text", "signal"),
    [
        ("Which rooms cannot be booked online?", "Rooms can be booked online.", "negation"),
        ("What is the smallest room?", "The largest room holds forty people.", "opposite"),
        ("Which deploys are unsupported?", "Blue deploys are supported.", "opposite"),
        ("What did the office in Lyon cost?", "The office in Basel cost a lot.", "names_missing"),
        ("What was the budget for 2023?", "The budget for 2022 was large.", "numbers_missing"),
    ],
)
def test_what_the_question_takes_for_granted_is_checked_in_the_sentence(question: str, text: str, signal: str) -> None:
    assert getattr(found(question, text), signal) == 1.0


@pytest.mark.parametrize("signal", ["negation", "opposite", "names_missing", "numbers_missing"])
def test_a_question_in_the_words_of_its_answer_raises_no_doubt(signal: str) -> None:
    said = found(
        "Did the office in Lyon not cost 300 euros in 2022?", "In 2022 the Lyon office did not cost 300 euros."
    )
    assert getattr(said, signal) == 0.0


def test_german_nouns_are_not_taken_for_names() -> None:
    assert (
        found("Wie viele Tage Urlaub haben Angestellte im Werk?", "Angestellte haben 30 Tage frei.").names_missing
        == 0.0
    )


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ("It is unclear whether full-time staff have 25 days of paid leave in a given year or more.", ANSWER),
        ("Perhaps all full-time staff have 25 days of paid leave a year, counted from the first day.", ANSWER),
        ("Staff have 25 days.", ANSWER),
    ],
)
def test_hedged_and_very_short_answers_are_less_sure(worse: str, better: str) -> None:
    scores = [
        assess(QUESTION, [LEAVE], [judged(said, "leave")], generator="extractive").confidence.score
        for said in (worse, better)
    ]
    assert scores[0] < scores[1]


def test_a_share_of_unsupported_sentences_lowers_the_score() -> None:
    whole = assess(QUESTION, [LEAVE], [judged(ANSWER, "leave")], generator="extractive")
    half = assess(
        QUESTION, [LEAVE], [judged(ANSWER, "leave"), judged("And more.", supported=False)], generator="extractive"
    )
    assert half.confidence.score == pytest.approx(whole.confidence.score / 2)


def test_a_second_document_that_says_the_same_raises_the_score() -> None:
    alone = assess(QUESTION, [LEAVE], [judged(ANSWER, "leave")], generator="extractive")
    other = passage("handbook", ANSWER, 0.9)
    agreed = assess(QUESTION, [LEAVE, other], [judged(ANSWER, "leave")], generator="extractive")
    by_name = {factor.name: factor.value for factor in agreed.confidence.reasons}
    assert by_name["agreement"] > 0
    assert {factor.name: factor.value for factor in alone.confidence.reasons}["agreement"] == 0


def test_documents_with_different_figures_are_not_asserted_as_sure() -> None:
    other = passage("old", ANSWER.replace("25", "20"), 0.9)
    result = assess(QUESTION, [LEAVE, other], [judged(ANSWER, "leave")], generator="some-model")
    assert result.confidence.level is not Level.HIGH
    assert "leave and old do not agree" in [factor.text for factor in result.confidence.reasons]


@pytest.mark.parametrize("generator", ["extractive", "some-model"])
def test_an_answer_about_another_one_than_was_asked_for_is_not_sure(generator: str) -> None:
    text = "The oil of machine 74 is changed every 222 hours by the team of the hall it stands in."
    result = assess(
        "How often is the oil of machine 77 changed?",
        [passage("machine-74", text, 0.95)],
        [judged(text, "machine-74")],
        generator=generator,
    )
    assert result.confidence.level is not Level.HIGH
    assert result.abstain or generator != "extractive"


def test_why_without_a_reason_is_not_sure() -> None:
    because = ANSWER.replace("a year", "a year because the law says so")
    levels = [
        assess("Why do staff have paid leave?", [passage("p", text, 0.95)], [judged(text, "p")], generator="m")
        for text in (ANSWER, because)
    ]
    assert [result.confidence.level is Level.HIGH for result in levels] == [False, True]


def test_a_very_short_answer_is_given_where_it_is_what_was_asked_for() -> None:
    result = assess(
        "What is the licence?",
        [passage("p", "MIT licence.", 0.7)],
        [judged("MIT licence.", "p")],
        generator="extractive",
    )
    assert not result.abstain


def test_a_short_question_needs_less_of_a_vector() -> None:
    answer, question = (
        "The battery lasts about 80 hours and charges in four hours when new.",
        "How long does the battery last?",
    )
    assert not assess(question, [passage("p", answer, 0.5)], [judged(answer, "p")], generator="extractive").abstain
    place = "The battery lasts about as long as that of the old meter, more or less, and is easy to charge."
    assert assess(question, [passage("p", place, 0.5)], [judged(place, "p")], generator="extractive").abstain


def test_a_short_question_for_a_whole_document_is_answered_from_it() -> None:
    text = "Either parent may take sixteen weeks, which can be split into two parts of four weeks each."
    by_title = passage("parental-leave", text, 0.4)
    assert not assess(
        "Summarise parental leave", [by_title], [judged(text, "parental-leave")], generator="extractive"
    ).abstain
    other = passage("travel", text, 0.4)
    assert assess("Summarise parental leave", [other], [judged(text, "travel")], generator="extractive").abstain


def test_every_input_is_told_in_words() -> None:
    reasons = assess(QUESTION, [LEAVE], [judged(ANSWER, "leave")], generator="extractive").confidence.reasons
    names = [factor.name for factor in reasons]
    assert names == [
        "answers", "relevance", "terms", "supported", "agreement", "consistent", "sources", "wording", "specifics",
        "length",
    ]  # fmt: skip
    assert all(factor.text and 0 <= factor.value <= 1 for factor in reasons)


def test_words_alone_are_enough_to_judge_by() -> None:
    near = assess(QUESTION, [passage("leave", ANSWER)], [judged(ANSWER, "leave")], generator="extractive")
    far = assess(
        "Who repairs the coffee machine?", [passage("leave", ANSWER)], [judged(ANSWER, "leave")], generator="extractive"
    )
    assert near.confidence.score > far.confidence.score
    assert far.abstain


def test_a_model_that_found_a_checked_answer_is_trusted_further_than_an_extract() -> None:
    vague = passage("leave", ANSWER, 0.35)
    extract, model = (
        assess("What about time off?", [vague], [judged(ANSWER, "leave")], generator=generator)
        for generator in ("extractive", "some-model")
    )
    assert model.confidence.score > extract.confidence.score
    assert not model.abstain


def test_text_that_says_it_does_not_know_is_not_sufficient() -> None:
    assert has_sufficient_context(0.9, "Staff have 25 days.")
    assert not has_sufficient_context(0.9, "The amount is not specified.")
    assert not has_sufficient_context(0.9, "")


@given(st.text(max_size=80), st.lists(st.text(max_size=120), max_size=4), st.sampled_from(["extractive", "model"]))
def test_scores_stay_between_0_and_1_whatever_is_asked_and_found(
    question: str, texts: list[str], generator: str
) -> None:
    passages = [passage(f"p{n}", text, n / 4) for n, text in enumerate(texts)]
    drafted = [judged(text, f"p{n}") for n, text in enumerate(texts) if text]
    result = assess(question, passages, drafted, generator=generator)
    assert 0 <= result.confidence.score <= 1
    assert all(0 <= factor.value <= 1 for factor in result.confidence.reasons)


@pytest.mark.parametrize(("words", "factor"), [(3, 0.7), (8, 0.85), (12, 0.95), (15, 1.0), (40, 1.0)])
def test_short_answers_are_weighed_as_specified(words: int, factor: float) -> None:
    assert manner.brevity(words) == factor


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("Summarise the town hall", ("town", "hall")),
        ("Please give us an overview of parental leave", ("parent", "leav")),
        ("What are the main differences between plans and tariffs?", ("plan", "tariff")),
        ("How often is the oil changed?", ("oil", "chang")),
        ("Summarise", ("summaris",)),
    ],
)
def test_what_is_to_be_done_is_not_what_it_is_about(question: str, about: tuple[str, ...]) -> None:
    assert read(question).terms == about


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the phone number of Sales?", AnswerType.NUMBER),
        ("Why do I get that many days?", AnswerType.REASON),
        ("How much does the Plus plan cost?", AnswerType.MONEY),
        ("How long is the notice period?", AnswerType.DURATION),
        ("Wann öffnet das Büro?", AnswerType.DATE),
        ("How many calls are included?", AnswerType.NUMBER),
        ("Who approves travel?", AnswerType.PERSON),
        ("Où se trouve le bureau ?", AnswerType.PLACE),
        ("Why was the release delayed?", AnswerType.REASON),
        ("What is a token?", None),
    ],
)
def test_the_wording_tells_what_kind_of_thing_is_wanted(question: str, wanted: AnswerType | None) -> None:
    assert read(question).wanted is wanted


@pytest.mark.parametrize("text", ["It is open from 7:00 to 20:00, Monday to Friday.", "The gate opens at 8:00 in May."])
def test_days_and_hours_are_no_place(text: str) -> None:
    assert not holds(AnswerType.PLACE, text)
    assert holds(AnswerType.PLACE, f"Our house in Basel: {text}")


STAFF = (
    "Name | Role | Phone",
    "Ada Lind | Head of sales | 101",
    "Bo Ek | Manager of sales | 102",
    "Cy Ray | Clerk | 103",
)


def table(*rows: str, header: str = "", position: int = 0) -> RetrievedChunk:
    """Rows under a header; one that an earlier passage had already is repeated."""
    text, units = "", []
    for number, row in enumerate((header or STAFF[0], *rows)):
        units.append(
            Unit(start=len(text), end=len(text) + len(row), kind=BlockKind.ROW if number else BlockKind.HEADER)
        )
        text += row + "\n"
    overlap = units[0].end + 1 if position else 0
    return RetrievedChunk(
        chunk=Chunk(
            id=f"c{position}", document_id="d", text=text, units=tuple(units), position=position, overlap=overlap
        ),
        document=Document(id="d", filename="d.csv", title="Staff"),
        score=0.9,
        unit_scores=(0.9,) * len(units),
    )


def row(text: str) -> tuple[Sentence, Judgement]:
    sentence, judgement = judged(text, "c0")
    return sentence.model_copy(update={"kind": BlockKind.ROW}), judgement


def test_a_row_without_what_is_asked_of_it_is_not_asserted() -> None:
    people = table(*STAFF[1:])
    asked = assess("Who is the manager of Ada Lind?", [people], [row(STAFF[1])], generator="extractive")
    known = assess("What is the phone of Ada Lind?", [people], [row(STAFF[1])], generator="extractive")
    assert asked.confidence.level is Level.MEDIUM
    assert known.confidence.level is Level.HIGH


DEVICES = ("D-1 | Laptop | 300", "D-2 | Phone | 200", "D-3 | Laptop | 400")


@pytest.mark.parametrize(
    ("question", "shown", "position", "more"),
    [
        ("Which devices are laptops?", DEVICES[:1], 0, True),
        ("Which devices are laptops?", (DEVICES[0], DEVICES[2]), 0, False),
        ("Which devices are laptops?", (DEVICES[0], DEVICES[2]), 3, True),
        ("What is the price of D-2?", DEVICES[1:2], 3, False),
    ],
)
def test_rows_that_may_not_be_all_are_told_and_not_asserted(
    question: str, shown: tuple[str, ...], position: int, more: bool
) -> None:
    devices = table(*DEVICES, header="Device | Laptops or phones | Price", position=position)
    result = assess(question, [devices], [row(text) for text in shown], generator="extractive")
    assert result.more_rows is more
    assert not (more and result.confidence.level is Level.HIGH)


def test_a_yes_or_no_question_about_what_no_passage_names_is_not_asserted() -> None:
    text = "Dogs are allowed in the office on Tuesdays, on the third floor, except in the kitchen and the canteen."
    dogs = passage("dogs", text, 0.9)
    for question, level in (("Are dogs allowed in the office?", Level.HIGH), ("Are cats allowed there?", Level.LOW)):
        assert assess(question, [dogs], [judged(text, "dogs")], generator="extractive").confidence.level is level


def test_the_names_of_a_comparison_may_stand_in_different_passages() -> None:
    north, south = passage("n", "Aldra has 40 seats."), passage("s", "Borga has 60 seats.")
    asked = read("How do Aldra and Borga differ?")
    alone, together = (signals(asked, gather(asked, [north, south]), several=several) for several in (False, True))
    assert alone
    assert together
    assert (alone.names_missing, together.names_missing) == (1.0, 0.0)
