"""Greetings, thanks and questions about the bot itself are told from questions to the documents."""

from __future__ import annotations

import pytest

from pipeline.plan.smalltalk import PHRASES, SmallTalk, detect_small_talk, greeting_language
from pipeline.translations import LANGUAGES


def test_every_language_of_the_program_greets_thanks_and_asks_for_help() -> None:
    assert set(PHRASES) >= set(LANGUAGES)
    assert all(set(phrases) == set(SmallTalk) for phrases in PHRASES.values())


@pytest.mark.parametrize(
    ("text", "talk"),
    [
        ("Hello there! 👋", SmallTalk.GREETING),
        ("Olá, citewell", SmallTalk.GREETING),
        ("こんにちは！", SmallTalk.GREETING),
        ("ok, thank you so much", SmallTalk.THANKS),
        ("Grazie mille", SmallTalk.THANKS),
        ("ありがとうございます。", SmallTalk.THANKS),
        ("Hi, what can you do?", SmallTalk.HELP),
        ("List all your documents.", SmallTalk.HELP),
        ("¿Qué documentos tienes?", SmallTalk.HELP),
        ("何ができますか？", SmallTalk.HELP),
        ("Summarise this thread, please.", SmallTalk.SUMMARY),
        ("TL;DR?", SmallTalk.SUMMARY),
        ("Can you sum up the discussion for me?", SmallTalk.SUMMARY),
        ("Fass bitte diesen Thread zusammen", SmallTalk.SUMMARY),
        ("Pouvez-vous résumer ce fil ?", SmallTalk.SUMMARY),
        ("¿Puedes resumir este hilo?", SmallTalk.SUMMARY),
        ("このスレッドを要約してください", SmallTalk.SUMMARY),
    ],
)
def test_a_greeting_thanks_and_what_is_asked_of_the_bot_itself_are_told_apart(text: str, talk: SmallTalk) -> None:
    assert detect_small_talk(text) is talk


@pytest.mark.parametrize(
    "text",
    [
        "Which docs do you have about leave?",
        "What documents do I need for a visa?",
        "List the documents that a contractor signs",
        "What sources are allowed in a report?",
        "Summarise the leave policy",
        "summary",
        "What does the summary of the contract say?",
        "Hi, how long is the notice period?",
        "thanks, and in Spain?",
    ],
)
def test_what_the_documents_answer_is_looked_up(text: str) -> None:
    assert detect_small_talk(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [("Hallo!", "de"), ("merci", "fr"), ("¿Qué puedes hacer?", "es"), ("こんにちは", "ja"), ("hi", "en"), ("VPN?", "")],
)
def test_small_talk_of_a_word_tells_its_language(text: str, language: str) -> None:
    assert greeting_language(text) == language
