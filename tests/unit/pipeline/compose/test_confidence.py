"""Confidence: what raises and lowers it, when an answer is withheld, and that every part is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.compose import confidence
from pipeline.compose.confidence import ABSTAIN_BELOW, EXTRACTIVE_WRITER, Assessment, assess_draft
from pipeline.evidence.gather import gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from pipeline.values import (
    BlockKind,
    Chunk,
    ConfidenceLevel,
    Document,
    DraftSentence,
    Judgement,
    RetrievedChunk,
    ShownExtent,
    SupportBasis,
    Unit,
    replace,
)
from tests.doubles.samples import prose

Judged = tuple[DraftSentence, Judgement]
QUESTION = "How many days of paid leave do full-time staff have?"
ANSWER = "All full-time staff have 25 days of paid leave a year, counted from the first of January."


def judged(text: str, *chunk_ids: str, support: SupportBasis = SupportBasis.VERBATIM, score: float = 1.0) -> Judged:
    sentence = DraftSentence(text=text, chunk_ids=chunk_ids)
    return sentence, Judgement(support=support, score=score, chunk_ids=chunk_ids)


def extract(question: str, said: str, *others: RetrievedChunk, cosine: float | None = 0.9) -> Assessment:
    return assess_draft(
        gather_evidence(analyze_question(question), [prose("leave", said, cosine), *others]),
        [judged(said, "leave")],
        generator="extractive",
    )


def test_a_sentence_that_answers_is_asserted_with_high_confidence() -> None:
    result = extract(QUESTION, ANSWER)
    assert (result.confidence.level, result.sufficient, result.abstain) == (ConfidenceLevel.HIGH, True, False)


@pytest.mark.parametrize(("solved", "level"), [({}, ConfidenceLevel.MEDIUM), ({"solved": "yes"}, ConfidenceLevel.HIGH)])
def test_what_somebody_said_in_a_channel_is_sure_only_where_it_solved_something(
    solved: dict[str, str], level: ConfidenceLevel
) -> None:
    found = prose("leave", ANSWER)
    thread = Document(id="t", collection="slack:T1:C2", filename="#hr", title="Leave", metadata=solved)
    evidence = gather_evidence(analyze_question(QUESTION), [replace(found, document=thread)])
    assert assess_draft(evidence, [judged(ANSWER, "leave")], generator=EXTRACTIVE_WRITER).confidence.level is level


def test_a_passage_that_is_far_off_is_withheld() -> None:
    result = extract(QUESTION, "Parking is behind the building, next to the old brewery.", cosine=0.2)
    assert (result.confidence.level, result.sufficient, result.abstain) == (ConfidenceLevel.LOW, False, True)


def test_between_a_clear_yes_and_a_clear_no_the_passage_is_shown() -> None:
    result = extract("Is there anything on time away from work?", ANSWER, cosine=0.6)
    assert not result.abstain
    assert result.confidence.level is not ConfidenceLevel.HIGH


def test_a_question_in_other_words_is_not_withheld_where_its_meaning_is_clear() -> None:
    result = extract("Whne do I get hoilday, and how mcuh?", ANSWER, cosine=0.7)
    assert not result.abstain


@pytest.mark.parametrize(("title", "abstains"), [("Spare parts", False), ("Lost property", True)])
def test_a_list_is_shown_where_its_title_asks_for_it_whatever_its_entries_say(title: str, abstains: bool) -> None:
    entries = ["Bell of the small bicycle", "Chain with 114 links"]
    text = "\n".join(entries)
    units = tuple(Unit(start=text.index(one), end=text.index(one) + len(one), kind=BlockKind.ITEM) for one in entries)
    found = RetrievedChunk(
        chunk=Chunk(id="a", document_id="a", text=text, units=units),
        document=Document(id="a", filename="a.csv", title=title),
        score=0.5,
        unit_scores=(0.3, 0.3),
    )
    said = [(replace(one, kind=BlockKind.ITEM), found) for one, found in (judged(e, "a") for e in entries)]
    result = assess_draft(
        gather_evidence(analyze_question("List all spare parts"), [found]), said, generator="extractive"
    )
    assert result.abstain == abstains
    assert result.confidence.level is (ConfidenceLevel.LOW if abstains else ConfidenceLevel.MEDIUM)


@pytest.mark.parametrize("cosine", [0.0, 0.3, 0.45, 0.5, 0.55, 0.7, 1.0])
def test_level_and_outcome_are_read_off_one_number(cosine: float) -> None:
    result = extract(QUESTION, ANSWER, cosine=cosine)
    assert result.abstain == (result.confidence.score < ABSTAIN_BELOW)
    assert not (result.abstain and result.confidence.level is not ConfidenceLevel.LOW)


@pytest.mark.parametrize("drafted", [[], [judged(ANSWER, "leave", support=SupportBasis.VETOED)]])
def test_nothing_supported_is_nothing_said(drafted: list[Judged]) -> None:
    result = assess_draft(
        gather_evidence(analyze_question(QUESTION), [prose("leave", ANSWER)]), drafted, generator="extractive"
    )
    assert result.abstain
    assert result.abstain_reason == ""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What did the office in Lyon cost?", "The office in Basel cost a lot, as everyone could see from the papers."),
        ("What was the budget for 2023?", "The budget for the year 2022 was the largest that there has been so far."),
        ("What does error E9 mean?", "Error E4 means that the memory of the device is full and must be cleared."),
    ],
)
def test_an_answer_about_another_one_than_was_asked_for_is_not_high(question: str, text: str) -> None:
    assert extract(question, text, cosine=1.0).confidence.level is not ConfidenceLevel.HIGH


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Did the office in Lyon not cost 300 euros in 2022?", "In 2022 the Lyon office did not cost 300 euros."),
        ("Wie viele Tage Urlaub haben Angestellte im Werk?", "Angestellte haben 30 Tage frei, im Werk und im Büro."),
    ],
)
def test_a_question_in_the_words_of_its_answer_raises_no_doubt(question: str, text: str) -> None:
    names_and_numbers = extract(question, text, cosine=0.9).confidence.score
    assert names_and_numbers > extract(f"{question} Nairobi 77", text, cosine=0.9).confidence.score


@pytest.mark.parametrize(
    "worse",
    [
        "It is unclear whether full-time staff have 25 days of paid leave in a given year or more.",
        "Perhaps all full-time staff have 25 days of paid leave a year, counted from the first day.",
        "Staff have 25 days.",
    ],
)
def test_hedged_and_very_short_answers_are_less_sure_but_not_withheld(worse: str) -> None:
    low, high = (
        assess_draft(
            gather_evidence(analyze_question(QUESTION), [prose("leave", ANSWER)]),
            [judged(said, "leave")],
            generator="extractive",
        )
        for said in (worse, ANSWER)
    )
    assert low.confidence.score < high.confidence.score
    assert not low.abstain


@pytest.mark.parametrize(("words", "factor"), [(3, 0.7), (8, 0.85), (12, 0.95), (15, 1.0), (40, 1.0)])
def test_short_answers_are_weighed_as_specified(words: int, factor: float) -> None:
    assert confidence.brevity_factor(words) == factor


def test_a_share_of_unsupported_sentences_lowers_the_score() -> None:
    found = [prose("leave", ANSWER)]
    both = [judged(ANSWER, "leave"), judged("And more.", support=SupportBasis.UNSURE)]
    half = assess_draft(gather_evidence(analyze_question(QUESTION), found), both, generator="extractive")
    assert half.confidence.score == pytest.approx(extract(QUESTION, ANSWER).confidence.score / 2)


def test_a_second_document_that_says_the_same_raises_the_score() -> None:
    alone, agreed = extract(QUESTION, ANSWER), extract(QUESTION, ANSWER, prose("handbook", ANSWER))
    assert agreed.confidence.score > alone.confidence.score - 0.05
    assert {factor.name: factor.value for factor in agreed.confidence.reasons}["agreement"] == 0.5


def test_documents_with_different_figures_are_not_asserted_as_sure() -> None:
    result = extract(QUESTION, ANSWER, prose("old", ANSWER.replace("25", "20")))
    assert result.confidence.level is not ConfidenceLevel.HIGH
    assert {sentence.chunk_ids for sentence in result.conflict} == {("leave",), ("old",)}
    assert "“leave” and “old” do not agree." in [factor.text for factor in result.confidence.reasons]


def test_a_part_of_a_list_is_not_high() -> None:
    part = ShownExtent(shown=7, total=60, kind=BlockKind.STEP)
    said = [judged(ANSWER, "leave")]
    result = assess_draft(
        gather_evidence(analyze_question(QUESTION), [prose("leave", ANSWER)]), said, generator="extractive", extent=part
    )
    assert (result.confidence.level, result.extent) == (ConfidenceLevel.MEDIUM, part)


@pytest.mark.parametrize(
    ("how", "level"),
    [
        ({"support": SupportBasis.VERBATIM, "score": 1.0}, ConfidenceLevel.HIGH),
        ({"support": SupportBasis.JUDGED, "score": 0.9, "judge": "another-model"}, ConfidenceLevel.HIGH),
        ({"support": SupportBasis.JUDGED, "score": 0.2, "judge": "another-model"}, ConfidenceLevel.MEDIUM),
        ({"support": SupportBasis.JUDGED, "score": 0.9, "judge": "some-model"}, ConfidenceLevel.MEDIUM),
        (
            {"support": SupportBasis.JUDGED, "score": 0.9, "judge": "another-model", "omitted_conditions": ANSWER},
            ConfidenceLevel.MEDIUM,
        ),
    ],
    ids=["verbatim", "read by another", "read with some risk", "read by its writer", "says less than its passage"],
)
def test_what_a_model_wrote_is_high_only_where_another_read_it_with_little_risk(
    how: dict[str, object], level: ConfidenceLevel
) -> None:
    said = judged("Full-time staff may take 25 days off a year and are paid for all of them.", "leave")
    said = said[0], replace(said[1], **how)
    result = assess_draft(
        gather_evidence(analyze_question(QUESTION), [prose("leave", ANSWER)]), [said], generator="some-model"
    )
    assert result.confidence.level is level


def test_who_read_what_words_do_not_decide_is_told_and_whether_its_passage_says_more() -> None:
    def told(**how: str) -> dict[str, str]:
        said = judged(ANSWER, "leave", support=SupportBasis.JUDGED, score=0.9)
        said = said[0], replace(said[1], **how)
        result = assess_draft(
            gather_evidence(analyze_question(QUESTION), [prose("leave", ANSWER)]), [said], generator="some-model"
        )
        return {factor.name: factor.text for factor in result.confidence.reasons if factor.name in ("read", "more")}

    assert "only by the model that wrote them, some-model" in told(judge="some-model")["read"]
    assert "by another model, another-model" in told(judge="another-model")["read"]
    assert set(told(judge="another-model", omitted_conditions=ANSWER)) == {"read", "more"}


def test_what_a_model_answers_with_is_trusted_further_than_the_passages_alone() -> None:
    vague = gather_evidence(analyze_question(QUESTION), [prose("leave", ANSWER, 0.5)])
    reviewed = assess_draft(vague, [judged(ANSWER, "leave", support=SupportBasis.JUDGED, score=0.9)], generator="m")
    quoted = assess_draft(vague, [judged(ANSWER, "leave")], generator="m")
    extracted = assess_draft(vague, [judged(ANSWER, "leave")], generator=EXTRACTIVE_WRITER)
    assert quoted.confidence.score >= reviewed.confidence.score > extracted.confidence.score
    assert quoted.confidence.level is ConfidenceLevel.MEDIUM


def test_words_alone_are_enough_to_judge_by() -> None:
    near, far = (extract(asked, ANSWER, cosine=None) for asked in (QUESTION, "Who repairs the old coffee machine?"))
    assert near.confidence.score > far.confidence.score
    assert far.abstain


def test_an_extract_that_decides_a_question_says_yes_or_no_and_a_model_says_it_itself() -> None:
    question, text = "Do full-time staff have paid leave?", "Full-time staff do not have paid leave."
    assert extract(question, text).verdict is False
    assert (
        assess_draft(
            gather_evidence(analyze_question(question), [prose("p", text)]), [judged(text, "p")], generator="m"
        ).verdict
        is None
    )


def test_every_input_is_told_in_words() -> None:
    reasons = extract(QUESTION, ANSWER).confidence.reasons
    assert [factor.name for factor in reasons] == [
        "answers", "relevance", "terms", "supported", "agreement", "consistent", "sources", "wording", "specifics",
        "length",
    ]  # fmt: skip
    assert all(factor.text and 0 <= factor.value <= 1 for factor in reasons)


@given(st.text(max_size=80), st.lists(st.text(max_size=120), max_size=4), st.sampled_from(["extractive", "model"]))
def test_scores_stay_between_0_and_1_whatever_is_asked_and_found(
    question: str, texts: list[str], generator: str
) -> None:
    passages = [prose(f"p{n}", text, n / 4) for n, text in enumerate(texts)]
    drafted = [judged(text, f"p{n}") for n, text in enumerate(texts) if text]
    result = assess_draft(gather_evidence(analyze_question(question), passages), drafted, generator=generator)
    assert 0 <= result.confidence.score <= 1
    assert all(0 <= factor.value <= 1 for factor in result.confidence.reasons)


@pytest.mark.parametrize(("read_as", "less"), [(0.0, 0.5), (0.5, 0.9), (1.0, 1.0)])
def test_what_a_second_reader_thinks_counts_and_the_worst_is_no_silence(read_as: float, less: float) -> None:
    """0 is a verdict: only None is none."""
    scores = {}
    for value in (None, read_as, 1.0):
        found = replace(prose("leave", ANSWER, 0.6), relevance=value)
        scores[value] = assess_draft(
            gather_evidence(analyze_question(QUESTION), [found]), [judged(ANSWER, "leave")], generator=EXTRACTIVE_WRITER
        ).confidence.score
    assert scores[read_as] <= less * scores[1.0]
    assert scores[read_as] < scores[None] or read_as == 1.0


@pytest.mark.parametrize(
    ("others", "level"), [(0.8, ConfidenceLevel.HIGH), (0.95, ConfidenceLevel.MEDIUM), (None, ConfidenceLevel.HIGH)]
)
def test_where_a_second_reader_likes_another_passage_better_nothing_is_sure(
    others: float | None, level: ConfidenceLevel
) -> None:
    said = replace(prose("leave", ANSWER, 0.95), relevance=0.9)
    other = replace(prose("other", "Leave is a word.", 0.1), relevance=others, score=0.3)
    evidence = gather_evidence(analyze_question(QUESTION), [said, other])
    assert assess_draft(evidence, [judged(ANSWER, "leave")], generator=EXTRACTIVE_WRITER).confidence.level is level
