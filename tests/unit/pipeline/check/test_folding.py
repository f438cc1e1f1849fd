"""The same sentence in another spelling folds to the same words; another sentence does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.check.verbatim import normalize_words


def words(text: str) -> list[str]:
    return [one.word for one in normalize_words(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("25 working days", "25 days"),
        ("$200", "€200"),
        ("200 per month", "200 per week"),
        ("up to 4 may be carried", "on 4 May be carried"),
        ("-5 °C", "5 °C"),
        ("C++", "C#"),
        ("x < 5", "x > 5"),
        ("Is leave paid?", "Is leave paid."),
        ("do", "do not"),
        ("the team's", "the teams"),
        ("v1.2.3", "v1.2.4"),
        ("at 5 o'clock", "at 5 a.m."),
        ("at 5 o'clock", "at 5 p.m."),
    ],
)
def test_another_meaning_does_not(one: str, other: str) -> None:
    assert words(one) != words(other)


@given(st.text(max_size=80))
def test_any_text_is_folded_and_every_word_has_a_place_in_it(text: str) -> None:
    assert all(0 <= one.start < one.end <= len(text) and one.word for one in normalize_words(text))


@given(st.text(alphabet="abc don't won't 5 days’“”-–$%.,", max_size=60))
def test_exchanged_quotes_dashes_and_case_change_nothing(text: str) -> None:
    exchanged = text.translate(str.maketrans("’“”–", '\'""-')).upper()
    assert words(text.translate(str.maketrans("’“”–", '\'""-'))) == words(text)
    assert len(words(exchanged)) == len(words(text))
