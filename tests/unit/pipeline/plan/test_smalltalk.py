"""Greetings, thanks and questions about the bot itself are told from questions to the documents."""

from __future__ import annotations

import pytest

from pipeline import wording
from pipeline.plan.smalltalk import PHRASES, Talk, small_talk


def test_every_language_of_the_program_greets_thanks_and_asks_for_help() -> None:
    assert set(PHRASES) == set(wording.LANGUAGES)
    assert all(set(phrases) == set(Talk) for phrases in PHRASES.values())


@pytest.mark.parametrize(
    "text", ["hi", "Hello there! 👋", "Guten Morgen", "bonjour", "¡Hola!", "Buongiorno", "Olá, citewell"]
)
def test_a_greeting_is_one(text: str) -> None:
    assert small_talk(text) is Talk.GREETING


@pytest.mark.parametrize(
    "text", ["thanks!", "ok, thank you so much", "Vielen Dank", "merci beaucoup", "Grazie mille", "great"]
)
def test_thanks_are_taken_as_such(text: str) -> None:
    assert small_talk(text) is Talk.THANKS


@pytest.mark.parametrize(
    "text",
    [
        "what can you do?",
        "Hi, what can you do?",
        "Which docs do you have?",
        "Which sources are available?",
        "List all your documents.",
        "What's indexed?",
        "Welche Dokumente hast du?",
        "Que peux-tu faire ?",
        "¿Qué documentos tienes?",
        "Quali documenti hai?",
        "O que você pode fazer?",
    ],
)
def test_who_asks_what_the_bot_does_or_reads_is_told(text: str) -> None:
    assert small_talk(text) is Talk.HELP


@pytest.mark.parametrize(
    "text",
    [
        "Which docs do you have about leave?",
        "What documents do I need for a visa?",
        "List the documents that a contractor signs",
        "What sources are allowed in a report?",
        "Hi, how long is the notice period?",
        "thanks, and in Spain?",
    ],
)
def test_what_the_documents_answer_is_looked_up(text: str) -> None:
    assert small_talk(text) is None


def test_the_question_that_an_empty_one_is_answered_with_lists_what_is_indexed() -> None:
    example = wording.EMPTY_QUESTION.split("“")[1].split("”")[0]
    assert small_talk(example) is Talk.HELP
