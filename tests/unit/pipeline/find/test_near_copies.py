"""Near-copies are told from editions of a rule."""

from __future__ import annotations

import pytest

from pipeline.find.near_copies import Seen

RULE = (
    "Employees may carry over unused vacation days into the next calendar year, provided that their manager agrees in "
    "writing and that the days are taken before the end of March. Days that are not taken by then are forfeited."
)


def test_a_copy_with_other_spacing_and_order_is_not_taken_again() -> None:
    seen = Seen()
    assert seen.add(RULE)
    assert not seen.add("  ".join(RULE.split()))


def test_a_few_plain_words_more_make_no_difference() -> None:
    seen = Seen()
    seen.add(RULE)
    assert not seen.add(RULE.replace("in writing", "in plain writing"))


@pytest.mark.parametrize(
    ("old", "new"),
    [("March", "June"), ("may carry", "may not carry"), ("unused vacation days", "5 unused vacation days")],
)
def test_a_name_a_negation_or_a_number_makes_a_difference(old: str, new: str) -> None:
    seen = Seen()
    seen.add(RULE)
    assert seen.add(RULE.replace(old, new))


def test_texts_on_the_same_subject_are_both_taken() -> None:
    seen = Seen()
    seen.add(RULE)
    assert seen.add("Vacation days are requested in the staff portal; the manager answers within a week.")


def test_editions_differ_in_figures_and_a_few_words() -> None:
    seen = Seen()
    for year in range(2020, 2024):
        assert seen.add(f"{RULE} This is the edition of {year}, section 7{year % 10}a.")
    assert seen.add("Vacation days are requested in the staff portal; the manager answers within a week.")
    assert seen.editions(f"{RULE} This is the new edition of 2031, section 1.") == 4
    assert seen.editions("Vacation days are requested by 5 December in the portal.") == 0


def test_editions_are_told_from_other_texts_in_scripts_without_spaces() -> None:
    seen = Seen()
    seen.add("有給休暇は25日です。")
    seen.add("有給休暇は30日です。")
    assert seen.editions("有給休暇は20日です。") == 2
    assert seen.editions("会議室は2階です。") == 0
