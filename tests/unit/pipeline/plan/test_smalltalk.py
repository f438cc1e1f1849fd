"""Questions about the bot itself are told from questions to the documents."""

from __future__ import annotations

import pytest

from pipeline import wording
from pipeline.plan.smalltalk import Talk, small_talk


@pytest.mark.parametrize(
    "text",
    [
        "Which docs do you have?",
        "What documents do you have?",
        "what kind of files do you use",
        "Which sources are available?",
        "List all your documents.",
        "show me the docs",
        "What's indexed?",
        "what is in your knowledge base?",
        "Welche Dokumente hast du?",
    ],
)
def test_who_asks_what_there_is_to_read_is_told(text: str) -> None:
    assert small_talk(text) is Talk.HELP


@pytest.mark.parametrize(
    "text",
    [
        "Which docs do you have about leave?",
        "What documents do I need for a visa?",
        "List the documents that a contractor signs",
        "What sources are allowed in a report?",
        "What is in the expense policy?",
    ],
)
def test_what_the_documents_answer_is_looked_up(text: str) -> None:
    assert small_talk(text) is None


def test_the_question_that_an_empty_one_is_answered_with_lists_what_is_indexed() -> None:
    example = wording.EMPTY_QUESTION.split("“")[1].split("”")[0]
    assert small_talk(example) is Talk.HELP
