"""Follow-ups are completed from the conversation; questions that stand alone are left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plan.follow_up import MAX_CONTEXT_CHARS, complete_question
from pipeline.values import Turn


def turn(question: str, answer: str = "It is three months. [1]", **more: str | tuple[str, ...]) -> Turn:
    return Turn(question=question, answer=answer, asked_at=datetime(2025, 1, 1, tzinfo=UTC), **more)  # type: ignore[arg-type]


ASKED = "What is the notice period for employees?"
NOTICE = (turn(ASKED),)
OFFICES = (
    turn(
        "Which offices have their own notice period?",
        items=("**Berlin office**: three months", "Paris office - two months", "Madrid (since May): one month"),
    ),
)


@pytest.mark.parametrize(
    "question",
    [
        "What is SSO?",
        "And how do I request parental leave in Germany?",
        "Is there a canteen?",
    ],
)
def test_a_question_that_names_its_subject_is_left_alone(question: str) -> None:
    found = complete_question(question, NOTICE)
    assert (found.question, found.query, found.topic) == (question, question, "")


@pytest.mark.parametrize(
    "question",
    ["How long does it take?", "Tell me more", "and how long?", "why?"],
)
def test_what_misses_its_subject_is_asked_with_the_last_question_and_searched_as_it_is(question: str) -> None:
    found = complete_question(question, NOTICE)
    assert found.question == f"{question.rstrip('?')} ({ASKED.rstrip('?')})?"
    assert (found.query, found.topic) == (question, ASKED)


def test_the_item_of_an_answer_that_is_counted_off_is_asked_for_and_not_kept() -> None:
    for question in ("How long is it in the second one?", "and the second one?"):
        found = complete_question(question, OFFICES)
        assert "Paris office" in found.question
        assert "Paris" not in found.user_wording
        assert question.rstrip("?") in found.user_wording


def test_the_subject_outlives_questions_that_only_lean_on_it() -> None:
    turns = (*NOTICE, turn("why?", "Because of the law. [1]"), turn("ok thanks", "You are welcome."))
    assert complete_question("And how long?", turns).topic == ASKED


def test_a_turn_that_leaned_hands_its_topic_on_and_nothing_of_its_own() -> None:
    asked = turn("and then?", standalone="and then (When does the office move)?", topic="When does the office move?")
    assert complete_question("how long?", (asked,)).question == "how long (When does the office move)?"


def test_a_question_that_a_model_completed_is_the_topic() -> None:
    asked = turn("and for contractors?", standalone="What is the notice period for contractors?")
    assert complete_question("why?", (asked,)).topic == "What is the notice period for contractors?"


def test_what_changes_one_thing_is_looked_up_with_that_in_its_place_and_judged_as_it_is() -> None:
    found = complete_question("and for contractors?", NOTICE)
    meant = "What is the notice period for contractors?"
    assert (found.question, found.user_wording, found.query, found.topic) == (
        *2 * ("and for contractors?",),
        meant,
        meant,
    )


def test_what_a_thread_came_to_is_what_the_next_question_is_about() -> None:
    asked = turn("and for contractors?", topic="What is the notice period for contractors?")
    assert complete_question("and how long?", (*NOTICE, asked)).question == (
        "and how long (What is the notice period for contractors)?"
    )


def test_another_thing_that_is_named_is_part_of_what_the_next_question_is_about() -> None:
    asked = turn("And comp time?", topic="Do credit hours expire?")
    assert complete_question("Is it paid out?", (asked,)).topic == "comp time: Do credit hours expire?"


def test_only_the_last_other_thing_is_part_of_it_and_the_next_follows_the_question_itself() -> None:
    asked = "How long does approval take?"
    turns = [turn(asked)]
    for question in ("And holidays?", "And how long?", "What about contractors?", "And in Spain?"):
        found = complete_question(question, turns)
        turns.append(turn(question, topic=found.topic))
    assert found.query == f"And in Spain: {asked}"
    assert complete_question("And how long?", turns).topic == f"in Spain: {asked}"


@pytest.mark.parametrize("question", ["What about Spain?", "And E4?"])
def test_what_names_something_else_is_judged_as_it_is_and_looked_up_with_the_topic(question: str) -> None:
    found = complete_question(question, NOTICE)
    assert (found.question, found.topic) == (question, ASKED)
    assert found.query == f"{question.rstrip('?')}: {ASKED}"
    assert found.context.endswith(ASKED)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("What about the second one?", "What about Paris office?"),
        ("Does the last one apply to interns?", "Does Madrid apply to interns?"),
    ],
)
def test_an_ordinal_means_an_item_of_the_last_answer(question: str, query: str) -> None:
    assert complete_question(question, OFFICES).question.startswith(query.rstrip("?"))


@pytest.mark.parametrize("turns", [OFFICES, NOTICE])
def test_an_ordinal_without_such_an_item_stays(turns: tuple[Turn, ...]) -> None:
    assert "the fifth one" in complete_question("What about the fifth one?", turns).question


def test_without_a_conversation_nothing_is_completed() -> None:
    found = complete_question("and for contractors?", ())
    assert (found.question, found.context, found.topic) == ("and for contractors?", "", "")


def test_context_is_what_was_said_newest_first_without_marks_and_references() -> None:
    turns = (turn("First?", "One."), turn("Second?", "Two. [1]\n\nSources:\n1. Guide", said="Two."))
    assert complete_question("Third thing about parking spaces?", turns).context == "Two.\nSecond?\nOne.\nFirst?"


@given(
    st.text(max_size=80),
    st.lists(st.tuples(st.text(max_size=200), st.lists(st.text(max_size=300), max_size=4)), max_size=5),
)
def test_any_text_is_completed_within_bounds_and_with_the_topic_that_it_leans_on(
    question: str, said: list[tuple[str, list[str]]]
) -> None:
    found = complete_question(question, [turn(asked, " ".join(items), items=tuple(items)) for asked, items in said])
    assert len(found.context) <= MAX_CONTEXT_CHARS
    assert found.query in (found.question, question) or found.topic
