"""Mentions and quoted lines are taken off, the question itself is kept."""

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
        ("> an older message\nHow long is the notice period?", "How long is the notice period?"),
        ("How   long\nis it?", "How long is it?"),
    ],
)
def test_mentions_and_quoted_lines_are_taken_off(message: str, question: str) -> None:
    assert clean(message) == question


@pytest.mark.parametrize(
    "message",
    [
        "May members vote as they please?",
        "If I resign, when is my last day?",
        "Tell me",
        'What does "at will" mean?',
        "> only a quotation",
        "What is <T> in the type List<T>?",
        "How do I log in to https://vpn.example.com?",
        "I am in Spain. How long is it? Is it 20 days?",
        "هل VPN متاح؟",
        "Where is it 38 °C?",
    ],
)
def test_what_belongs_to_the_question_stays(message: str) -> None:
    assert clean(message) == message


@given(st.text(max_size=200))
def test_something_is_left_of_every_message_that_says_something(message: str) -> None:
    cleaned = clean(message)
    assert cleaned == cleaned.strip()
    assert "\n" not in cleaned
    if message.isalnum():
        assert cleaned
