"""The finished answer as text, for places that have only text."""

from __future__ import annotations

from pipeline.compose.cite import Numbering
from pipeline.compose.compose import Checked, Drafted, compose, format_response
from pipeline.compose.confidence import Assessment
from pipeline.read.asked import read
from pipeline.read.evidence import gather
from pipeline.values import (
    Answer,
    BlockKind,
    Brief,
    CitationStyle,
    Confidence,
    Judgement,
    Level,
    RetrievedChunk,
    Sentence,
    Support,
    Unit,
)
from tests.doubles.llm.walk import passage

NUMBERED = CitationStyle.NUMBERED
LEAVE = passage("leave", "Staff get 25 days of paid leave a year.", title="Leave")


def composed(numbering: Numbering, provided: RetrievedChunk, drafted: Drafted | None = None) -> Answer:
    brief = Brief(question="How much leave?")
    return compose(
        "a1",
        "How much leave?",
        brief,
        drafted or Drafted(),
        numbering,
        gather(read("How much leave?"), [provided]),
        style=NUMBERED,
    )


def answer(*, found: bool = True) -> Answer:
    numbering = Numbering([LEAVE])
    sentence = Sentence(text=LEAVE.chunk.text, chunk_ids=("leave",))
    judgement = Judgement(support=Support.VERBATIM, score=1.0, chunk_ids=("leave",))
    confidence = Confidence(level=Level.HIGH, score=0.9, reasons=())
    assessment = Assessment(confidence=confidence, sufficient=True, abstain=not found)
    if found:
        numbering.cite(sentence, judgement)
    return composed(numbering, LEAVE, Drafted(checked=(Checked(sentence, judgement),), assessment=assessment))


def test_the_text_has_the_answer_its_sources_and_its_confidence() -> None:
    text = format_response(answer())
    assert "25 days of paid leave a year. [1]" in text
    assert "[1] Leave" in text
    assert "High confidence" in text


def test_sources_and_confidence_can_be_left_out() -> None:
    text = format_response(answer(), include_citations=False, include_confidence=False)
    assert text == "Staff get 25 days of paid leave a year. [1]"


def test_where_nothing_answers_the_nearest_passages_are_named_with_what_comes_closest() -> None:
    text = format_response(answer(found=False))
    assert text.startswith("I could not find an answer to this in the documents")
    assert "[1] Leave: “Staff get 25 days of paid leave a year.”" in text
    assert "confidence" not in text.lower()


def test_nothing_of_a_flagged_document_is_quoted_as_close() -> None:
    hostile = LEAVE.model_copy(update={"document": LEAVE.document.model_copy(update={"flagged": True})})
    text = format_response(composed(Numbering([hostile]), hostile))
    assert "[1] Leave" in text
    assert "25 days" not in text


def test_what_came_closest_is_named_with_the_sentence_that_fits_and_its_section() -> None:
    text = "# Parking\n\nBikes go into the yard. The garage has twelve spaces for cars."
    starts = [text.index(part) for part in ("# Parking", "Bikes", "The garage")]
    kinds = (BlockKind.HEADING, BlockKind.PROSE, BlockKind.PROSE)
    ends = (9, starts[2] - 1, len(text))
    units = tuple(Unit(start=s, end=e, kind=k) for s, e, k in zip(starts, ends, kinds, strict=True))
    office = passage("office", text, title="Office handbook")
    chunk = office.chunk.model_copy(update={"units": units})
    found = office.model_copy(update={"chunk": chunk, "unit_scores": (0.9, 0.2, 0.6)})
    (nearest,) = composed(Numbering([found]), found).nearest
    assert nearest.quote == "The garage has twelve spaces for cars."
    assert nearest.heading[-1].endswith("Parking")


def test_what_has_nothing_to_do_with_the_question_is_not_named_as_close() -> None:
    far = passage("canteen", "The canteen opens at noon.", title="Canteen", score=0.1)
    assert composed(Numbering([far]), far).nearest == ()


def test_the_header_of_a_table_is_not_counted_as_a_sentence() -> None:
    numbering = Numbering([LEAVE])
    judgement = Judgement(support=Support.VERBATIM, score=1.0, chunk_ids=("leave",))
    numbering.cite(Sentence(text="Item | Limit", kind=BlockKind.HEADER), judgement)
    row = Sentence(text="Hotel | 140 euros", kind=BlockKind.ROW)
    numbering.cite(row, judgement)
    answer = composed(numbering, LEAVE, Drafted(checked=(Checked(row, judgement),)))
    assert "the one sentence is supported" in answer.reasoning


def test_sources_are_listed_under_the_marks_that_sentences_bear() -> None:
    update = {"citation_style": CitationStyle.FOOTNOTE}
    assert "\n¹ Leave" in format_response(answer().model_copy(update=update))
    assert "\n[1] Leave" in format_response(answer(found=False).model_copy(update=update))
