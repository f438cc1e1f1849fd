"""What wraps a question is taken off, the question itself is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plan.question import extract_question


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("<@U012AB3CD> how do I reset my password?", "how do I reset my password?"),
        ("@citewell how do I reset my password?", "how do I reset my password?"),
        ("Hi there, how do I reset my password?", "how do I reset my password?"),
        ("Hello! Can you please tell me how to reset my password? Thanks!", "how to reset my password?"),
        ("Buongiorno, citewell: come chiedo le ferie?", "come chiedo le ferie?"),
        ("I would like to know if I can work from Spain", "I can work from Spain"),
        ("What keystores are available, please?", "What keystores are available?"),
        ("> an older message\nHow long is the notice period?", "How long is the notice period?"),
        ('"How long is the notice period?"', "How long is the notice period?"),
        ("Können Sie mir bitte sagen, wie ich Urlaub beantrage?", "wie ich Urlaub beantrage?"),
        ("How   long\nis it?", "How long is it?"),
    ],
)
def test_wrapping_is_taken_off(message: str, question: str) -> None:
    assert extract_question(message) == question


@pytest.mark.parametrize(
    "before", ["", "👋🏽 ", "<:wave:123> ", "#help-desk ", "مرحبا. ", "https://example.com/a?b=1\n"]
)
@pytest.mark.parametrize(
    "after",
    [
        "",
        " 🙏",
        " cc @ann",
        " <t:1392734382:R>",
        "\nспасибо!",
        "\n```python\nprint('x')\n```",
        " <https://example.com|the page>",
    ],
)
def test_what_stands_beside_a_question_is_left_out(before: str, after: str) -> None:
    assert extract_question(f"{before}How long is the notice period?{after}") == "How long is the notice period?"


@pytest.mark.parametrize(
    "message",
    [
        "May members vote as they please?",
        "If I resign, when is my last day?",
        "Tell me",
        'What does "at will" mean?',
        "> only a quotation",
        "What is <T> in the type List<T>?",
        "Why does it say ```disk full``` when I save?",
        "How do I log in to https://vpn.example.com?",
        "I am in Spain. How long is it? Is it 20 days?",
        "هل VPN متاح؟",
        "Where is it 38 °C?",
    ],
)
def test_what_belongs_to_the_question_stays(message: str) -> None:
    assert extract_question(message) == message


def test_code_that_a_question_points_at_stays_with_it() -> None:
    assert extract_question("What does this mean?\n```\nE3: memory full\n```") == "What does this mean? E3: memory full"


@given(st.text(max_size=200))
def test_something_is_left_of_every_message_that_says_something(message: str) -> None:
    cleaned = extract_question(message)
    assert cleaned == cleaned.strip()
    assert "\n" not in cleaned
    if message.isalnum():
        assert cleaned
