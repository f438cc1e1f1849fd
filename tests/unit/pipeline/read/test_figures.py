"""Figures tell when a passage is about something else, and when two documents do not say the same."""

from __future__ import annotations

import pytest

from pipeline.read.asked import read
from pipeline.read.evidence import gather
from pipeline.read.figures import differing, names_another
from tests.unit.pipeline.compose.build import passage


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How often is the oil of machine 77 changed?", "The oil of machine 74 is changed every 222 hours."),
        ("What does error E9 mean?", "E4 | Memory full | Delete the readings"),
        ("Who owns PRN-033?", "PRN-030 | Team A | floor 2"),
        ("What is new in version 3.2?", "Version 3.1 adds dark mode."),
    ],
)
def test_another_one_of_the_same_kind_is_told(question: str, text: str) -> None:
    assert names_another(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How often is the oil of machine 77 changed?", "The oil of machine 77 is changed every 222 hours."),
        ("How often is the oil of machine 77 changed?", "The oil is changed every 222 hours."),
        ("Does it open on 4 July?", "It opens on 5 May."),
        ("May 20 people meet in the hall?", "The hall seats 40 people."),
        ("Who was elected in 1990?", "In 1992 she was elected."),
    ],
)
def test_figures_that_name_nothing_are_left_alone(question: str, text: str) -> None:
    assert not names_another(question, text)


def differ(question: str, *texts: str) -> bool:
    passages = [passage(f"document {'abc'[number]}", text) for number, text in enumerate(texts)]
    return bool(differing(gather(read(question), passages)))


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (
            "What is the hotel limit per night?",
            "The hotel limit is 120 euros per night.",
            "The hotel limit is now 150 euros per night.",
        ),
        ("When does the new tool go live?", "The new tool goes live on 1 May.", "The new tool goes live on 1 June."),
        ("When does the party start?", "The party starts at 17:00.", "The party starts at 18:00 in the yard."),
    ],
)
def test_other_figures_in_the_same_words_are_a_difference(question: str, one: str, other: str) -> None:
    assert differ(question, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The hotel limit is 120 euros per night.", "The hotel limit is 120 euros per night, breakfast aside."),
        ("The hotel limit is 120 euros per night.", "The hotel limit per night is set by the team lead."),
        ("The maximum hotel limit is 120 euros per night.", "The minimum hotel limit is 50 euros per night."),
        ("The hotel limit is 120 euros per night [3].", "The hotel limit is 120 euros per night [14]."),
        ("The hotel limit is 120 euros per night.", "Lunch for visitors costs 12 euros and is paid by us."),
    ],
)
def test_what_is_the_same_or_about_something_else_is_no_difference(one: str, other: str) -> None:
    assert not differ("What is the hotel limit per night?", one, other)


def test_one_document_does_not_differ_from_itself() -> None:
    text = "The hotel limit is 120 euros per night. The hotel limit is 150 euros per night."
    assert not differ("What is the hotel limit per night?", text)
