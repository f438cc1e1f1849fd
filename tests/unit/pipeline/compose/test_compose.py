"""The finished answer as text, for places that have only text."""

from __future__ import annotations

from pipeline.compose.answer import CheckedSentence, DraftResult, compose_answer, render_answer_text
from pipeline.compose.citations import CitationRegistry
from pipeline.compose.confidence import Assessment
from pipeline.evidence.gather import gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from pipeline.values import (
    Answer,
    AnswerOutcome,
    BlockKind,
    CitationStyle,
    Confidence,
    ConfidenceLevel,
    DraftSentence,
    Judgement,
    RetrievedChunk,
    SupportBasis,
    WritingBrief,
    replace,
)
from tests.doubles.llm.walk import passage

NUMBERED = CitationStyle.NUMBERED
LEAVE = passage("leave", "Staff get 25 days of paid leave a year.", title="Leave")


def composed(
    numbering: CitationRegistry,
    provided: RetrievedChunk,
    drafted: DraftResult | None = None,
    near: CitationRegistry | None = None,
) -> Answer:
    brief = WritingBrief(question="How much leave?")
    return compose_answer(
        "a1",
        "How much leave?",
        brief,
        drafted or DraftResult(),
        numbering,
        near or CitationRegistry([provided]),
        gather_evidence(analyze_question("How much leave?"), [provided]),
        style=NUMBERED,
    )


def answer(*, found: bool = True) -> Answer:
    numbering = CitationRegistry([LEAVE])
    sentence = DraftSentence(text=LEAVE.chunk.text, chunk_ids=("leave",))
    judgement = Judgement(support=SupportBasis.VERBATIM, score=1.0, chunk_ids=("leave",))
    confidence = Confidence(level=ConfidenceLevel.HIGH, score=0.9, reasons=())
    assessment = Assessment(confidence=confidence, sufficient=True, abstain=not found)
    near = CitationRegistry([LEAVE])
    (numbering if found else near).cite(sentence, judgement)
    drafted = DraftResult(checked=(CheckedSentence(sentence, judgement),), assessment=assessment)
    return composed(numbering, LEAVE, drafted, near)


def test_the_text_has_the_answer_its_sources_and_its_confidence() -> None:
    text = render_answer_text(answer())
    assert "25 days of paid leave a year. [1]" in text
    assert "[1] Leave" in text
    assert "High confidence" in text


def test_sources_and_confidence_can_be_left_out() -> None:
    text = render_answer_text(answer(), include_citations=False, include_confidence=False)
    assert text == "Staff get 25 days of paid leave a year. [1]"


def test_where_nothing_answers_what_the_nearest_passage_says_is_the_text_of_the_answer() -> None:
    found = answer(found=False)
    assert found.outcome is AnswerOutcome.NOT_FOUND
    assert render_answer_text(found) == (
        "This is what the documents say about it. It may not be the answer:\n\n"
        "Staff get 25 days of paid leave a year. [1]\n\nSources:\n[1] Leave"
    )


def test_where_nothing_comes_near_it_is_said_with_a_next_step() -> None:
    text = render_answer_text(composed(CitationRegistry([LEAVE]), LEAVE))
    assert text.startswith("I could not find an answer to this in the documents")
    assert text.endswith("ask a person who knows the topic.")


def test_the_header_of_a_table_is_not_counted_as_a_sentence() -> None:
    numbering = CitationRegistry([LEAVE])
    judgement = Judgement(support=SupportBasis.VERBATIM, score=1.0, chunk_ids=("leave",))
    numbering.cite(DraftSentence(text="Item | Limit", kind=BlockKind.HEADER), judgement)
    row = DraftSentence(text="Hotel | 140 euros", kind=BlockKind.ROW)
    numbering.cite(row, judgement)
    answer = composed(numbering, LEAVE, DraftResult(checked=(CheckedSentence(row, judgement),)))
    assert "the one sentence is supported" in answer.reasoning


def test_sources_are_listed_under_the_marks_that_sentences_bear() -> None:
    update = {"citation_style": CitationStyle.FOOTNOTE}
    assert "\n¹ Leave" in render_answer_text(replace(answer(), **update))
    assert "\n[1] Leave" in render_answer_text(replace(answer(found=False), **update))
