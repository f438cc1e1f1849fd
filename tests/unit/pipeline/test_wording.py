"""What a person reads, in the right number."""

from __future__ import annotations

import re

import pytest

from pipeline.compose.confidence import assess_draft
from pipeline.evidence.gather import gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from pipeline.translations import ENGLISH_TRANSLATOR
from pipeline.values import DraftSentence, Judgement, SupportBasis, Usage
from pipeline.words import wording
from tests.doubles.llm.walk import passage


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        ((1, 1, 1, 1), "Used 1 passage from 1 document; the one sentence is supported."),
        ((3, 2, 4, 4), "Used 3 passages from 2 documents; all 4 sentences supported."),
        ((3, 2, 3, 4), "Used 3 passages from 2 documents; 3 of 4 sentences supported, the rest left out."),
        ((1, 0, 0, 0), "Read 1 passage; it does not answer the question."),
        ((2, 0, 0, 0), "Read 2 passages; none of them answers the question."),
    ],
)
def test_one_thing_is_not_spoken_of_as_many(shown: tuple[int, int, int, int], line: str) -> None:
    passages, documents, kept, drafted = shown
    assert reasoning(passages, documents, kept, drafted) == line


def reasoning(passages: int, documents: int, kept: int, drafted: int, confirmed: int = 0) -> str:
    return wording.reasoning_line(
        passages=passages,
        documents=documents,
        kept=kept,
        drafted=drafted,
        left_out=True,
        confirmed=confirmed,
        translator=ENGLISH_TRANSLATOR,
    )


def test_what_people_confirmed_is_said_with_how_many_they_were() -> None:
    assert reasoning(1, 1, 1, 1, 1).endswith(" 1 person confirmed a passage of it for a question like this one.")
    assert reasoning(1, 1, 1, 1, 2).endswith(" 2 people confirmed a passage of it for a question like this one.")
    assert "confirmed" not in reasoning(1, 1, 0, 0, 2)


def test_the_parts_of_a_confidence_speak_of_one_document_as_one() -> None:
    found = passage("leave", "Staff get 30 days.")
    said = (
        DraftSentence(text="Staff get 30 days.", chunk_ids=("leave",)),
        Judgement(support=SupportBasis.VERBATIM, score=1.0, chunk_ids=("leave",)),
    )
    parts = assess_draft(
        gather_evidence(analyze_question("How many days do staff get?"), [found]), [said], generator="m"
    ).confidence.reasons
    texts = "; ".join(part.text for part in parts)
    assert "1 of 1 sentence is supported by the sources" in texts
    assert "1 document is cited" in texts
    assert not re.search(r"\b1 (?:more )?\w+s\b", texts.replace("1 more document comes", ""))


@pytest.mark.parametrize(
    ("usage", "line"),
    [
        (Usage(writer="a:m"), "Written by a:m."),
        (
            Usage(writer="a:m", input_tokens=1200, output_tokens=90),
            "Written by a:m; tokens: 1200 read, 90 written.",
        ),
        (
            Usage(writer="a:m", input_tokens=1200, cached_tokens=800, output_tokens=90),
            "Written by a:m; tokens: 1200 read, 800 of them cached, 90 written.",
        ),
        (
            Usage(writer="a:m", context_tokens=1500),
            "Written by a:m. The prompt could have up to 1500 tokens.",
        ),
    ],
)
def test_the_line_about_the_writer_has_no_number_that_is_not_known(usage: Usage, line: str) -> None:
    assert wording.usage_line(usage) == line
