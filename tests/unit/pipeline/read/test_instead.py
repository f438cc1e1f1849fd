"""Words that stand where another text has others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.evidence.substituted_terms import find_named_terms
from pipeline.words.text import distinct_terms


@pytest.mark.parametrize(
    ("question", "one", "other", "found"),
    [
        ("What does the green loan cost?", "The green loan costs 2 %.", "The standard loan costs 4 %.", "green"),
        (
            "When does the night shift start?",
            "The night shift starts at 22:00.",
            "The early shift starts at 6:00.",
            "night",
        ),
        ("Can contractors use the gym?", "Contractors cannot use the gym.", "Employees can use the gym.", "contractor"),
        (
            "What discount is there for students?",
            "Discount for students: 20 %",
            "Discount for seniors: 30 %",
            "student",
        ),
        ("What do members pay?", "Members", "Guests", "member"),
        ("Was kostet das Ticket für Kinder?", "Ticket für Kinder: 3 EUR", "Ticket für Hunde: 2 EUR", "kinder"),
        ("What does the green loan cost?", "The green loan costs 2 %.", "A green loan costs 4 %.", ""),
        ("How long are logs kept?", "Logs are kept for 30 days.", "Logs are deleted after 90 days.", ""),
        ("Who approves trips?", "The team lead approves trips.", "The office signs trips off.", ""),
        ("What does the green loan cost?", "It costs 2 %.", "The standard loan costs 4 %.", ""),
    ],
)
def test_what_stands_in_the_place_of_a_word_that_is_asked_for(question: str, one: str, other: str, found: str) -> None:
    assert find_named_terms(distinct_terms(question), (one,)).find_substituted([other]) == ({found} if found else set())


def test_the_nearest_text_tells() -> None:
    wanted = distinct_terms("How much memory does the small instance have?")
    one = ("It has 4 GB of memory.", "Small instance", "Instances")
    assert find_named_terms(wanted, one).find_substituted(
        ["It has 32 GB of memory.", "Large instance", "Instances"]
    ) == {"small"}
    assert not find_named_terms(wanted, one).find_substituted(
        ["The small instance has 8 GB of memory.", "Large instance", "Instances"]
    )


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_only_what_is_wanted_and_missing_is_found(question: str, one: str, other: str) -> None:
    wanted = distinct_terms(question)
    found = find_named_terms(wanted, (one,)).find_substituted([other])
    assert found <= wanted & distinct_terms(one)
    assert found.isdisjoint(distinct_terms(other))
    assert not find_named_terms(wanted, (one,)).find_substituted([one])
