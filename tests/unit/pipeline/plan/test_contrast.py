"""A follow-up that changes one thing takes its place in the question before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plan.contrast import changed

NOTICE = "What is the notice period for employees?"
TYRES = "How much is a tyre change for the Osprey 5?"


@pytest.mark.parametrize(
    ("phrase", "question", "meant"),
    [
        ("for contractors", NOTICE, "What is the notice period for contractors?"),
        ("a service", TYRES, "How much is a service for the Osprey 5?"),
        ("for the Kestrel 3", TYRES, "How much is a tyre change for the Kestrel 3?"),
        ("long term", "How long is the wait for short term cover?", "How long is the wait for long term cover?"),
        (
            "the secondary carer",
            "How much leave does a primary carer get?",
            "How much leave does a secondary carer get?",
        ),
        ("court leave", "How much is disabled veteran leave?", "How much is court leave?"),
        ("sick days", "How many vacation days are there?", "How many sick days are there?"),
        ("level 4", "What is the award for a level 5 rating?", "What is the award for a level 4 rating?"),
        ("a distant family member", "Is a close family member covered?", "Is a distant family member covered?"),
        ("the pool one", "What does the read timeout do?", "What does the pool timeout do?"),
        ("the canteen", "When does the office open?", "When does the canteen open?"),
        ("Denmark", "How many days are there in France?", "How many days are there in Denmark?"),
        ("3.12", "When does Python 3.11 reach its end?", "When does Python 3.12 reach its end?"),
        ("in France", "What does Globex pay in Spain for rent?", "What does Globex pay in France for rent?"),
    ],
)
def test_what_is_changed_stands_beside_the_same_words(phrase: str, question: str, meant: str) -> None:
    assert changed(phrase, question) == meant


@pytest.mark.parametrize(
    ("phrase", "question"),
    [
        ("Spain", NOTICE),
        ("overtime", "Do credit hours expire?"),
        ("if I forget", TYRES),
        ("how is it paid for contractors", NOTICE),
        ("for employees", NOTICE),
        ("Hebrew", "how many skills can I create?"),
        ("", NOTICE),
        ("for contractors", ""),
    ],
)
def test_what_changes_nothing_that_is_plain_changes_nothing(phrase: str, question: str) -> None:
    assert changed(phrase, question) == ""


@given(st.text(alphabet=" abdefinorst.,?'-AF15", max_size=80), st.text(alphabet=" abdefinorst.,?'-AF15", max_size=200))
def test_what_is_changed_is_made_of_both(phrase: str, question: str) -> None:
    meant = changed(phrase, question)
    assert set(meant.split()) <= {*phrase.split(), *question.split()} or len(meant) <= len(phrase) + len(question)
