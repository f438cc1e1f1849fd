"""Greetings, thanks and questions about the bot itself are told from questions to the documents."""

from __future__ import annotations

import pytest

from pipeline.plan.smalltalk import PHRASES, Talk, greeted, small_talk
from pipeline.translations import LANGUAGES


def test_every_language_of_the_program_greets_thanks_and_asks_for_help() -> None:
    assert set(PHRASES) >= set(LANGUAGES)
    assert all(set(phrases) == set(Talk) for phrases in PHRASES.values())


@pytest.mark.parametrize(
    "text",
    ["hi", "Hello there! 👋", "Guten Morgen", "bonjour", "¡Hola!", "Buongiorno", "Olá, citewell", "こんにちは！"],
)
def test_a_greeting_is_one(text: str) -> None:
    assert small_talk(text) is Talk.GREETING


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "ok, thank you so much",
        "Vielen Dank",
        "merci beaucoup",
        "Grazie mille",
        "great",
        "ありがとうございます。",
    ],
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
        "何ができますか？",
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


@pytest.mark.parametrize(
    ("text", "language"),
    [("Hallo!", "de"), ("merci", "fr"), ("¿Qué puedes hacer?", "es"), ("こんにちは", "ja"), ("hi", "en"), ("VPN?", "")],
)
def test_small_talk_of_a_word_tells_its_language(text: str, language: str) -> None:
    assert greeted(text) == language
