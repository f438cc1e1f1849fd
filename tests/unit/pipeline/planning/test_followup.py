"""Follow-ups are completed from the conversation; questions that stand alone are left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.planning.followup import CONTEXT, complete
from pipeline.values import Turn

LISTED = """Three offices have a notice period of their own:

- **Berlin office**: three months [1]
- Paris office - two months [2]
- Madrid (since May): one month [2]"""


def turn(question: str, answer: str = "It is three months. [1]", standalone: str = "") -> Turn:
    return Turn(question=question, answer=answer, standalone=standalone, asked_at=datetime(2025, 1, 1, tzinfo=UTC))


NOTICE = (turn("What is the notice period for employees?"),)
OFFICES = (turn("Which offices have their own notice period?", LISTED),)


@pytest.mark.parametrize(
    "question",
    [
        "How do I reset my VPN password?",
        "What is SSO?",
        "Can I carry over vacation days?",
        "And how do I request parental leave in Germany?",
        "What happens after the first year of employment?",
        "Wie beantrage ich Elternzeit?",
    ],
)
def test_a_question_that_names_its_subject_is_left_alone(question: str) -> None:
    found = complete(question, NOTICE)
    assert (found.question, found.query, found.leans) == (question, question, False)


@pytest.mark.parametrize(
    ("question", "completed"),
    [
        ("and for contractors?", "What is the notice period for contractors?"),
        ("What about for interns in Spain?", "What is the notice period for interns in Spain?"),
        ("in Germany?", "What is the notice period for employees in Germany?"),
        ("And contractors?", "What is the notice period for contractors?"),
    ],
)
def test_an_elliptic_part_takes_its_place_in_the_last_question(question: str, completed: str) -> None:
    found = complete(question, NOTICE)
    assert (found.question, found.query, found.leans) == (completed, completed, True)


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("How many days off do full-time employees get?", "And contractors?", "How many days off do contractors get?"),
        ("When does the northern office open?", "and the southern office?", "When does the southern office open?"),
        ("Does the company pay for lunch?", "And the union?", "Does the union pay for lunch?"),
        ("Can employees work abroad?", "What about interns?", "Can interns work abroad?"),
        ("Are dogs allowed in the office?", "What about cats?", "Are cats allowed in the office?"),
        ("Is remote work allowed?", "and working abroad?", "Is working abroad allowed?"),
        ("How many vacation days do I get?", "and contractors?", "How many vacation days do contractors get?"),
    ],
)
def test_a_name_takes_the_place_of_the_last_questions_subject(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("How many vacation days do I get?", "And sick days?", "How many sick days do I get?"),
        ("When is the northern office open?", "and the southern office?", "When is the southern office open?"),
        ("What does error code E3 mean?", "And E4?", "What does error code E4 mean?"),
        ("What is the pressure of machine 62?", "And machine 63?", "What is the pressure of machine 63?"),
        ("What is the pressure of machine 62?", "and 77?", "What is the pressure of machine 77?"),
        ("What is the daily rate for meals in France?", "And Spain?", "What is the daily rate for meals in Spain?"),
    ],
)
def test_a_name_takes_the_place_of_its_like(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "question", "completed"),
    [
        ("What is the hotel limit per night?", "and breakfast?", "What is the breakfast limit per night?"),
        ("Do I need a receipt for a taxi?", "What about a train?", "Do I need a receipt for a train?"),
        ("Who approves a flight?", "and a hotel?", "Who approves a hotel?"),
        ("How many sick days do I get?", "and for contractors?", "How many sick days do contractors get?"),
    ],
)
def test_a_name_takes_the_place_of_what_was_asked_about(topic: str, question: str, completed: str) -> None:
    assert complete(question, (turn(topic),)).question == completed


@pytest.mark.parametrize(
    ("topic", "completed"),
    [
        ("What is the hotel limit per night?", "Why is the hotel limit per night what it is?"),
        ("How soon must a lost device be reported?", "Why must a lost device be reported that soon?"),
        ("Can employees work abroad?", "Why can employees work abroad?"),
        ("Who approves a flight?", "Why (Who approves a flight)?"),
    ],
)
@pytest.mark.parametrize("question", ["Why?", "why is that?", "But why"])
def test_why_asks_for_the_reason_of_what_was_asked_last(topic: str, question: str, completed: str) -> None:
    found = complete(question, (turn(topic),))
    assert found.question.replace(question.rstrip("?"), "Why") == completed
    assert found.leans


@pytest.mark.parametrize("question", ["How long does it take?", "Tell me more", "Who approves that?"])
def test_what_misses_its_subject_is_understood_with_the_last_question_and_searched_as_it_is(question: str) -> None:
    found = complete(question, NOTICE)
    assert found.leans
    assert found.query == question
    assert found.question.startswith(question.rstrip("?"))
    assert "the notice period for employees" in found.question


@pytest.mark.parametrize(
    ("question", "completed"),
    [
        ("What about the second one?", "What about Paris office?"),
        ("Does the last one apply to interns?", "Does Madrid apply to interns?"),
        ("Tell me about the first office", "Tell me about Berlin office"),
    ],
)
def test_an_ordinal_means_an_item_of_the_last_answer(question: str, completed: str) -> None:
    assert complete(question, OFFICES).question == completed


def test_the_references_of_an_answer_are_no_items_of_it() -> None:
    answered = turn("Who is in?", "Ann and Ben. [1][2]\n\nSources:\n1. Berlin office\n2. Paris office")
    assert complete("Who runs the second one?", [answered]).question != "Who runs Paris office?"


def test_an_ordinal_without_such_an_item_stays() -> None:
    assert "the fifth one" in complete("What about the fifth one?", OFFICES).question


def test_the_subject_outlives_questions_that_only_lean_on_it() -> None:
    turns = (*NOTICE, turn("why?", "Because of the law. [1]"), turn("ok thanks", "You are welcome."))
    assert "notice period" in complete("And how long?", turns).question


def test_a_completed_question_of_the_thread_counts_as_asked() -> None:
    turns = (turn("and for contractors?", standalone="What is the notice period for contractors?"),)
    assert "contractors" in complete("why?", turns).question


def test_without_a_conversation_nothing_is_completed() -> None:
    found = complete("and for contractors?", ())
    assert (found.question, found.context, found.leans) == ("and for contractors?", "", False)


def test_context_is_what_was_said_newest_first() -> None:
    turns = (turn("First?", "One."), turn("Second?", "Two."))
    assert complete("Third thing about parking spaces?", turns).context == "Two.\nSecond?\nOne.\nFirst?"


@given(
    st.text(max_size=80),
    st.lists(st.tuples(st.text(max_size=200), st.text(max_size=2000)), max_size=5),
)
def test_any_text_is_completed_to_something_that_holds_it_within_bounds(
    question: str, said: list[tuple[str, str]]
) -> None:
    found = complete(question, [turn(asked, answer) for asked, answer in said])
    assert len(found.context) <= CONTEXT
    assert found.leans or (found.question == question == found.query)


@pytest.mark.parametrize(
    "item",
    [
        "Paris office [1]",
        "Paris office [1] [2]",
        "Paris office[1][23]  ",
        "  \t**Paris office** [2]",
        "Paris office [1]\r",
    ],
)
def test_an_item_that_is_counted_off_loses_its_marks(item: str) -> None:
    asked = (turn("Which offices are there?", f"There are two:\n- Berlin [1]\n-  {item}\n\nNo more."),)
    assert complete("Who runs the second one?", asked).question == "Who runs Paris office?"


@pytest.mark.parametrize("run", ["x" + " " * 99 + "x", "[1] ", "[1 ", "\n", "- ", "- \n"])
def test_an_answer_of_whatever_shape_is_read_once(run: str) -> None:
    """What goes through a run of characters again and again would need hours for these."""
    asked = (turn("Which offices are there?", "- Berlin [1]\n- Paris" + run * 50_000 + "x\n- Madrid"),)
    assert complete("Who runs the first one?", asked).question == "Who runs Berlin?"
