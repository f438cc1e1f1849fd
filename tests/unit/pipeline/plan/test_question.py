"""What wraps a question is taken off, the question itself is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plan.question import clean


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("<@U012AB3CD> how do I reset my password?", "how do I reset my password?"),
        ("@citewell how do I reset my password?", "how do I reset my password?"),
        ("citewell, how do I reset my password?", "how do I reset my password?"),
        ("Hi there, how do I reset my password?", "how do I reset my password?"),
        ("Hello! Can you please tell me how to reset my password? Thanks!", "how to reset my password?"),
        ("Could you let me know which hotels I may book", "which hotels I may book"),
        ("I would like to know if I can work from Spain", "I can work from Spain"),
        ("I was wondering whether dogs are allowed", "dogs are allowed"),
        ("Do you know where the printer is?", "where the printer is?"),
        ("What keystores are available, please?", "What keystores are available?"),
        ("> an older message\nHow long is the notice period?", "How long is the notice period?"),
        ('"How long is the notice period?"', "How long is the notice period?"),
        ("Können Sie mir bitte sagen, wie ich Urlaub beantrage?", "wie ich Urlaub beantrage?"),
        ("How   long\nis it?", "How long is it?"),
    ],
)
def test_wrapping_is_taken_off(message: str, question: str) -> None:
    assert clean(message) == question


@pytest.mark.parametrize(
    "message",
    [
        "May members vote as they please?",
        "If I resign, when is my last day?",
        "Whether dogs are allowed",
        "Tell me",
        'What does "at will" mean?',
        "> only a quotation",
        "Please hold the line",
        "What is <T> in the type List<T>?",
    ],
)
def test_what_belongs_to_the_question_stays(message: str) -> None:
    assert clean(message).casefold() in (message.casefold(), message.removeprefix("Please ").casefold())


@given(st.text(max_size=200))
def test_something_is_left_of_every_message_that_says_something(message: str) -> None:
    cleaned = clean(message)
    assert cleaned == cleaned.strip()
    assert "\n" not in cleaned
    if message.isalnum():
        assert cleaned
