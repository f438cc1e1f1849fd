"""Which language a text is in is told only where that is safe, and a choice is never overruled."""

from __future__ import annotations

import pytest

from pipeline.words.language import choose_words, detect_supported_language, infer_question_language, may_be_english


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How many vacation days do I get?", "en"),
        ("Wie viele Urlaubstage habe ich?", "de"),
        ("Combien de jours de congé ai-je par an ?", "fr"),
        ("¿Cuántos días de vacaciones tengo?", "es"),
        ("休暇は何日ありますか", "ja"),
    ],
)
def test_a_question_tells_its_language(text: str, language: str) -> None:
    assert detect_supported_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "VPN?",
        "Kubernetes ingress",
        "die casting",
        "carte blanche",
        "Quanti giorni di ferie ho?",
        "Quantos dias de férias eu tenho?",
        "Hoeveel vakantiedagen heb ik?",
        "有多少天的假期",
    ],
)
def test_what_cannot_be_told_safely_is_not(text: str) -> None:
    assert detect_supported_language(text) == ""


@pytest.mark.parametrize(
    ("chosen", "heard", "locale", "language"),
    [
        ("fr", ["de"], "ja", "fr"),
        (None, ["", "de", "es"], "ja", "de"),
        ("it", ["de"], "", "de"),
        (None, [""], "es-419", "es"),
        (None, [], "de_DE", "de"),
        (None, [""], "pt-BR", "en"),
        (None, [], "", "en"),
    ],
)
def test_a_choice_goes_before_the_question_and_the_question_before_the_platform(
    chosen: str | None, heard: list[str], locale: str, language: str
) -> None:
    assert choose_words(chosen, heard, locale).language == language


@pytest.mark.parametrize(
    ("question", "least", "language"),
    [
        ("Wofür steht BDFL?", 0, "de"),
        ("Wofür steht BDFL?", 1, ""),
        ("Welche Lizenz mögen große Unternehmen?", 1, "de"),
        ("What is a Lizenz?", 0, ""),
    ],
)
def test_a_short_question_is_in_the_language_of_what_is_found_unless_it_has_words_of_english(
    question: str, least: int, language: str
) -> None:
    found = "Es ist die Lizenz, die eine Firma nimmt.", "Wer fragt, dem wird sie erklärt."
    assert infer_question_language(question, found, minimum=least) == language
    assert infer_question_language(question, ["It is the licence that a company takes."], minimum=least) in ("", "en")


@pytest.mark.parametrize(
    ("text", "is_so"),
    [("How many days do I get?", True), ("VPN?", True), ("Wie viele Tage habe ich?", False), ("有多少天的假期", False)],
)
def test_what_is_surely_in_another_language_is_not_perhaps_english(text: str, is_so: bool) -> None:
    assert may_be_english(text) is is_so
