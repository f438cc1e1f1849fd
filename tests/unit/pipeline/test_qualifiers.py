"""What turns or limits a sentence, and what a claim leaves out of it."""

from __future__ import annotations

import pytest

from pipeline.words.qualifiers import is_qualifier_lost


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Dogs are allowed.", "Dogs are not allowed."),
        ("Part-time staff get 12 days.", "Part-time staff get 12 days, unless they work weekends."),
        ("Guests may stay.", "Guests may stay only with approval."),
        ("You get the money back.", "You may get the money back."),
        ("Visitors can sign in.", "Visitors must sign in."),
        ("Der Antrag wird angenommen.", "Der Antrag wird nicht angenommen."),
        ("有給休暇は取得できます。", "有給休暇は取得できません。"),
    ],
)
def test_a_claim_lacks_a_negation_a_condition_an_exception_or_a_modal(claim: str, said: str) -> None:
    assert is_qualifier_lost(claim, said)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Nobody may bring dogs.", "Dogs may not be brought."),
        ("If they agree, staff can leave early.", "Staff may leave early provided that they agree."),
        ("The office opens at 8.", "At 8 the office opens."),
        ("Staff, except interns, get 25 days.", "All staff get 25 days, excluding interns."),
    ],
)
def test_a_claim_that_has_them_in_other_words_lacks_nothing(claim: str, said: str) -> None:
    assert not is_qualifier_lost(claim, said)
