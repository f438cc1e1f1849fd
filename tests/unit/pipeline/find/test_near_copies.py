"""Near-copies are told from editions of a rule."""

from __future__ import annotations

import pytest

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
