"""The finished answer as text, for places that have only text."""

from __future__ import annotations

from pipeline.response.cite import Numbering
from pipeline.response.compose import Draft, compose, format_response
from pipeline.values import Answer, CitedSentence, Confidence, Level, Outcome
from tests.doubles.llm.walk import passage

LEAVE = passage("leave", "Staff get 25 days of paid leave a year.", title="Leave")


def answer(*, found: bool = True) -> Answer:
    numbering = Numbering([LEAVE])
    shown = CitedSentence(text=LEAVE.chunk.text, numbers=numbering.number(("leave",))) if found else None
    draft = Draft(
        sentences=(shown,) if shown else (),
        outcome=Outcome.ANSWERED if found else Outcome.NOT_FOUND,
        confidence=Confidence(level=Level.HIGH, score=0.9, reasons=()),
        abstain_reason="" if found else "no passage comes close to the question",
    )
    return compose("a1", "How much leave?", draft, numbering, [LEAVE])


def test_the_text_has_the_answer_its_sources_and_its_confidence() -> None:
    text = format_response(answer())
    assert "25 days of paid leave a year. [1]" in text
    assert "[1] Leave" in text
    assert "High confidence" in text


def test_sources_and_confidence_can_be_left_out() -> None:
    text = format_response(answer(), include_citations=False, include_confidence=False)
    assert text == "Staff get 25 days of paid leave a year. [1]"


def test_where_nothing_answers_the_nearest_passages_are_named() -> None:
    text = format_response(answer(found=False))
    assert "25 days" not in text
    assert "[1] Leave" in text
    assert "confidence" not in text.lower()
