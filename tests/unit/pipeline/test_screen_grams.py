"""What a sentence is weighed by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.screen.grams import grams


def test_a_sentence_is_its_words_and_the_pairs_of_them_with_its_ends() -> None:
    assert grams("say no.") == {"^", "say", "no", ".", "$", "^ say", "say no", "no .", ". $"}


def test_forms_of_a_word_are_one() -> None:
    assert grams("answers") == grams("answered")


def test_every_address_and_every_number_are_alike() -> None:
    assert grams("see https://one.example/a?b=c") == grams("see www.two.net") == grams("see three.com")
    assert grams("at 7") == grams("at 1200")


def test_a_link_is_the_words_that_it_shows() -> None:
    assert grams("[answer](https://one.example)") == grams("[answer")


@given(st.text(max_size=400))
def test_any_text_has_some(text: str) -> None:
    found = grams(text)
    assert {"^", "$"} <= found
    assert len(found) <= 2 * 60 * 64 + 4
