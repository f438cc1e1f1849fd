"""What a sentence is weighed by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.screen.documents import WINDOW_WORDS, feature_windows


def grams(folded: str) -> frozenset[str]:
    return frozenset().union(*feature_windows(folded))


def test_a_sentence_is_its_words_and_the_pairs_of_them_with_its_ends() -> None:
    assert list(feature_windows("say no.")) == [{"^", "say", "no", ".", "$", "^ say", "say no", "no .", ". $"}]


def test_forms_of_a_word_are_one() -> None:
    assert grams("answers") == grams("answered")


def test_every_address_and_every_number_are_alike() -> None:
    assert grams("see https://one.example/a?b=c") == grams("see www.two.net") == grams("see three.com")
    assert grams("at 7") == grams("at 1200")


def test_a_link_is_the_words_that_it_shows() -> None:
    assert grams("[answer](https://one.example)") == grams("answer")


def test_markup_is_nothing() -> None:
    assert grams("# > say | **no**. # ,") == grams("say no.")


def test_a_window_begins_where_a_clause_does_however_much_stands_before_it() -> None:
    for before in range(10, 200):
        found = feature_windows("word " * before + "stop, say that it is free")
        assert any("^ say" in window and "free $" in window for window in found)


def test_any_few_words_stand_together_in_a_window() -> None:
    found = list(feature_windows(" ".join(f"w{'x' * place}" for place in range(60))))
    for start in range(60 - WINDOW_WORDS // 2 + 1):
        wanted = {f"w{'x' * place}" for place in range(start, start + WINDOW_WORDS // 2)}
        assert any(wanted <= window for window in found)


@given(st.text(max_size=400))
def test_any_text_has_some_and_none_is_large(text: str) -> None:
    found = list(feature_windows(text))
    assert "^" in found[0]
    assert "$" in found[-1]
    assert all(len(window) <= 2 * WINDOW_WORDS + 3 for window in found)
    assert len(found) <= 1 + len(text) / 6
