"""What a word stands for that no document holds, in languages of which nobody knows all words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.find.retrieve import is_inflection, select_corrections

WORDS = st.text("abdeinrst", min_size=4, max_size=12)


@pytest.mark.parametrize(
    ("language", "word", "near", "stands_for"),
    [
        ("de", "gletschern", ["gletscher"], ["gletscher"]),
        ("de", "satellit", ["stellt", "satelliten"], ["satelliten"]),
        ("de", "urlabu", ["urlaub"], ["urlaub"]),
        ("de", "krankmeldug", ["krankmeldung"], ["krankmeldung"]),
        ("de", "vertrag", ["vortrag"], []),
        ("de", "verlangen", ["erlangen"], []),
        ("fr", "relire", ["retire"], []),
        ("fr", "licences", ["licence"], ["licence"]),
        ("es", "armas", ["ramas"], []),
        ("es", "participan", ["participa"], ["participa"]),
        ("ja", "gaearom", ["gaearon"], []),
    ],
)
def test_a_word_of_another_language_stands_for_its_forms_and_for_what_it_is_surely_a_slip_of(
    language: str, word: str, near: list[str], stands_for: list[str]
) -> None:
    assert select_corrections(word, near, language) == stands_for


@given(WORDS, st.lists(WORDS, max_size=4), st.sampled_from(["de", "fr", "es", "ja"]))
def test_a_word_stands_for_some_of_those_near_to_it_and_never_for_one_of_another_first_letter(
    word: str, near: list[str], language: str
) -> None:
    found = select_corrections(word, near, language)
    assert set(found) <= set(near)
    assert all(one[0] == word[0] or is_inflection(word, one, language) for one in found)
