"""Near-copies are told from editions of a rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.find.near_duplicates import group_near_duplicates

RULE = (
    "Employees may carry over unused vacation days into the next calendar year, provided that their manager agrees in "
    "writing and that the days are taken before the end of March. Days that are not taken by then are forfeited."
)
OTHER = "Vacation days are requested in the staff portal; the manager answers within a week."


def heard(*texts: str) -> list[list[str]]:
    return list(group_near_duplicates(texts, str))


@pytest.mark.parametrize("copy", ["  ".join(RULE.split()), RULE.replace("in writing", "in plain writing")])
def test_a_copy_that_differs_in_spacing_or_a_few_plain_words_is_left_out(copy: str) -> None:
    assert heard(RULE, OTHER, copy) == [[RULE], [OTHER]]


@pytest.mark.parametrize(
    "rule", ["Übrige Urlaubstage verfallen im März nächsten Jahres", "छुट्टी के दिन मार्च में समाप्त होते हैं"]
)
def test_a_copy_in_other_letters_that_differs_in_quotes_and_dashes_is_left_out(rule: str) -> None:
    assert heard(rule, "–".join(rule.split()), f"„{rule}“…") == [[rule]]


@pytest.mark.parametrize(
    ("old", "new"),
    [("March", "June"), ("may carry", "may not carry"), ("unused vacation days", "5 unused vacation days")],
)
def test_a_name_a_negation_or_a_number_makes_an_edition(old: str, new: str) -> None:
    assert heard(RULE, RULE.replace(old, new)) == [[RULE, RULE.replace(old, new)]]


def test_the_edition_that_contradicts_the_majority_comes_before_the_rest_of_it() -> None:
    copies = [f"The annual fee of the club is 99 euros, says circular {number}." for number in range(40)]
    original = "The annual fee of the club is 49 euros, says circular 7000."
    (editions,) = heard(*copies, original)
    assert editions[:2] == [copies[0], original]


def test_editions_are_told_from_other_texts_in_scripts_without_spaces() -> None:
    assert heard("有給休暇は25日です。", "会議室は2階です。", "有給休暇は30日です。") == [
        ["有給休暇は25日です。", "有給休暇は30日です。"],
        ["会議室は2階です。"],
    ]


@given(st.sets(st.integers(0, 60), min_size=1), st.sets(st.integers(0, 60), min_size=1))
def test_texts_are_one_when_a_tenth_of_all_their_words_at_most_is_in_one_alone(left: set[int], right: set[int]) -> None:
    # words without digits: these make an edition
    first, second = (
        " ".join("abcdefghij"[n // 10] + "klmnopqrst"[n % 10] for n in sorted(one)) for one in (left, right)
    )
    is_one = 10 * len(left ^ right) <= len(left | right)
    assert len(heard(first, second)) == (1 if is_one else 2)


@given(st.sets(st.integers(0, 60), min_size=20), st.integers(0, 3), st.integers(0, 3))
def test_a_text_and_one_that_lacks_a_few_words_and_has_others(words: set[int], lacking: int, added: int) -> None:
    kept = sorted(words)[lacking:]
    first, second = (
        " ".join("abcdefghij"[n // 10] + "klmnopqrst"[n % 10] for n in one)
        for one in (sorted(words), [*kept, *range(70, 70 + added)])
    )
    is_one = 10 * (lacking + added) <= len(words) + added
    assert len(heard(first, second)) == (1 if is_one else 2)
