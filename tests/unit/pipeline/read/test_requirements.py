"""Two documents of which one requires what the other does not are told."""

from __future__ import annotations

import pytest

from pipeline.read.asked import read
from pipeline.read.evidence import gather
from pipeline.read.requirements import contradicting, negated
from tests.unit.pipeline.compose.build import passage


def contradict(question: str, one: str, other: str) -> bool:
    asked = read(question)
    return bool(contradicting(asked, gather(asked, [passage("one", one), passage("other", other)])))


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (
            "Do taxis need approval?",
            "Taxis need approval by the team lead.",
            "Taxis are allowed after 22:00 without approval.",
        ),
        (
            "Can visitors park at the house?",
            "Visitors may park behind the house.",
            "Visitors cannot park at the house.",
        ),
    ],
)
def test_what_one_document_negates_and_the_other_does_not_contradicts(question: str, one: str, other: str) -> None:
    assert contradict(question, one, other)


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("Do taxis need approval?", "Taxis need approval.", "Trains are booked without approval."),
        ("Do taxis need approval?", "Taxis need approval.", "Taxis need approval, but no receipt."),
        ("Do taxis need approval?", "Taxis need no approval.", "For taxis no approval is needed."),
        ("Which taxis need approval?", "Taxis need approval.", "Taxis go without approval."),
        ("Do taxis need approval?", "The approval of taxis was removed.", "Taxis need no approval."),
        ("Do contractors get paid leave?", "Contractors get no paid leave.", "Employees get 28 days of paid leave."),
    ],
)
def test_other_matters_and_other_questions_do_not(question: str, one: str, other: str) -> None:
    assert not contradict(question, one, other)


def test_a_negation_reaches_the_words_right_behind_it() -> None:
    assert negated("Taxis go without approval of the head of the team") == {"approv", "of", "the"}
