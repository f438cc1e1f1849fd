"""What a message points at, and when it asks something itself."""

from __future__ import annotations

import pytest

from pipeline.plan.references import compose_post_question, has_reference, resolve_reference
from pipeline.values import ThreadContext

ABOVE = "How many days of leave do part-timers get?"


@pytest.mark.parametrize("asked", ["", "can you answer this?", "help"])
def test_what_asks_nothing_of_its_own_asks_what_it_replies_to(asked: str) -> None:
    assert resolve_reference(asked, ThreadContext(replied_to=ABOVE)) == ABOVE


@pytest.mark.parametrize("asked", ["and for contractors?", "thanks!", "What can you do?"])
def test_what_asks_or_greets_by_itself_stands(asked: str) -> None:
    assert resolve_reference(asked, ThreadContext(replied_to=ABOVE)) == asked


def test_without_a_reply_it_is_the_last_question_above_and_else_what_began_the_thread() -> None:
    assert resolve_reference("", ThreadContext(messages=("Good morning", ABOVE, "no idea"))) == ABOVE
    assert resolve_reference("", ThreadContext(messages=("Leave of part-timers", "no idea"))) == "Leave of part-timers"
    assert resolve_reference("", ThreadContext()) == ""


def test_the_title_that_somebody_points_at_is_the_question() -> None:
    assert (
        resolve_reference("see the title, please", ThreadContext(messages=("Leave of part-timers",)))
        == "Leave of part-timers"
    )
    assert (
        resolve_reference("see the title, please", ThreadContext(messages=("Leave of part-timers", ABOVE)))
        == "Leave of part-timers"
    )
    assert resolve_reference("is the title page free?", ThreadContext(messages=(ABOVE,))) == "is the title page free?"


@pytest.mark.parametrize("text", ["", "see the title, please"])
def test_what_only_points_at_its_own_title_is_that(text: str) -> None:
    assert compose_post_question("Leave of part-timers", text) == "Leave of part-timers"


@pytest.mark.parametrize("text", ["Hi!", "how long?", "I work in Oslo."])
def test_what_says_something_by_itself_stands_under_its_title(text: str) -> None:
    assert compose_post_question("Leave of part-timers", text) == f"Leave of part-timers\n{text}"


def test_only_what_leans_looks_around() -> None:
    assert has_reference("and for him?")
    assert has_reference("see the title, please")
    assert not has_reference("How many weeks of parental leave are there?")
