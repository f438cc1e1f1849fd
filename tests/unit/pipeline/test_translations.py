"""Every sentence of ours is in every catalogue, with the same fields, and the compiled catalogues are these."""

from __future__ import annotations

import io
import re
import string
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from pipeline.translations import CATALOGUE_DIR, DOMAIN, ENGLISH_TRANSLATOR, LANGUAGES, PluralText, Translator
from pipeline.words import wording

ROOT = Path(__file__).parents[3]
KEYWORDS = {"TranslatableText": None, "PluralText": (1, 2)}
"""As in the Makefile."""
OTHERS = sorted(set(LANGUAGES) - {ENGLISH_TRANSLATOR.language})
SPELLED_ALIKE = {
    "fr": {
        *("Sources", "Contradictions", "Conclusion", "{number} passage", "{number} passages", "page {number}"),
        *("sources", "question", "Question", "style", "citations"),
        *("Style", "Collections", "collections", "Silence", "Citations", "Pages", "Source {number}"),
    },
    "es": {"No.", "No"},
    "ja": {"{number}%"},
}
"""Sentences that are the same in English."""


def said() -> set[str | tuple[str, ...]]:
    """What `TranslatableText` and `PluralText` mark in the code."""
    found = [
        message
        for folder in ("adapters", "pipeline")
        for _, _, message, _, _ in extract_from_dir(ROOT / folder, keywords=KEYWORDS)
    ]
    return {message if isinstance(message, str) else tuple(message) for message in found}


def catalogue(language: str) -> Catalog:
    with (CATALOGUE_DIR / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=language)


def translated(language: str) -> list[Message]:
    return [message for message in catalogue(language) if message.id]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_in_the_code_is_in_the_catalogue_and_nothing_else_is(language: str) -> None:
    assert {message.id for message in translated(language)} == said()


@pytest.mark.parametrize("language", OTHERS)
def test_every_form_of_a_sentence_is_translated_with_the_same_fields(language: str) -> None:
    plurals = catalogue(language).num_plurals
    for message in translated(language):
        forms = message.string if message.pluralizable else (message.string,)
        assert len(forms) == (plurals if message.pluralizable else 1), message.id
        assert all(forms), message.id
        assert not message.fuzzy, message.id
        originals = [fields(form) for form in (message.id if message.pluralizable else (message.id,))]
        assert all(fields(form) in originals for form in forms), message.id


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_was_left_in_english(language: str) -> None:
    same = {
        english
        for message in translated(language)
        for english, form in zip(
            message.id if message.pluralizable else (message.id,),
            message.string if message.pluralizable else (message.string,),
            strict=False,
        )
        if english == form and re.search(r"[^\W\d_]", re.sub(r"\{\w+\}", "", english))
    }
    assert same <= SPELLED_ALIKE.get(language, set())


@pytest.mark.parametrize("language", OTHERS)
def test_the_compiled_catalogue_is_the_one_that_people_can_read(language: str) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(language))
    shipped = (CATALOGUE_DIR / language / "LC_MESSAGES" / f"{DOMAIN}.mo").read_bytes()
    assert shipped == compiled.getvalue(), "run `make words`"


@pytest.mark.parametrize(
    ("language", "one", "three"),
    [
        ("en", "1 day", "3 days"),
        ("de", "1 Tag", "3 Tage"),
        ("fr", "1 jour", "3 jours"),
        ("es", "1 día", "3 días"),
        ("ja", "1日", "3日"),
    ],
)
def test_a_number_takes_the_form_of_its_language(language: str, one: str, three: str) -> None:
    words = Translator(language)
    assert (words.pluralize(wording.DAY_COUNT, 1), words.pluralize(wording.DAY_COUNT, 3)) == (one, three)


def test_french_counts_nothing_in_the_singular() -> None:
    assert Translator("fr").pluralize(wording.DAY_COUNT, 0) == "0 jour"


def test_what_stands_in_a_field_is_never_read_as_a_field() -> None:
    assert ENGLISH_TRANSLATOR(wording.MESSAGE_WITHOUT_TEXT) == "That message has no text that I can read."
    shown = ENGLISH_TRANSLATOR.pluralize(
        PluralText("{number} of {what}", "{number} of {what}"), 2, what="{number} {oops} %s"
    )
    assert shown == "2 of {number} {oops} %s"
