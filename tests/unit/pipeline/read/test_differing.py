"""Two documents differ when they give different values for the same thing, and at no other time."""

import pytest

from pipeline.evidence.conflicts import is_conflict
from pipeline.evidence.gather import gather_evidence
from pipeline.evidence.question_analysis import analyze_question
from tests.doubles.samples import prose


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("How long are backups kept?", "Backups are kept for 30 days.", "We delete backups after 90 days."),
        ("When does the shop open?", "The shop opens on 1 March 2026.", "The shop opens on 1 May 2026."),
        ("How long is the trial?", "The trial is six weeks.", "The trial is two months."),
        ("How deep is the well?", "The well is 30 metres deep.", "The well is 30 feet deep."),
        ("When did the works open?", "Works of 1901 opened in 1904.", "Works of 1901 opened in 1907."),
        ("Are backups encrypted?", "Backups are encrypted.", "Backups are not encrypted."),
        ("Is the gate open on Sundays?", "The gate is open on Sundays.", "The gate is closed on Sundays."),
        ("What is the mail host?", "The mail host is a.corp.example.", "The mail host is b.corp.example."),
        ("What is the name of the lift?", "The name of the lift is Mira.", "The name of the lift is Vela."),
    ],
)
def test_another_value_for_the_same_thing_is_told(question: str, one: str, other: str) -> None:
    assert is_conflict(question, one, other)
    assert is_conflict(question, other, one)


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("How long is the warranty?", "The warranty is two years.", "A warranty of 24 months is given."),
        ("How many days off are there?", "In the north, 27 days off are given.", "In the south there are 30 days off."),
        ("How long does it run?", "The Mira runs for nine hours.", "The Vela runs for 14 hours."),
        ("When was the party?", "The party of 2025 was on 4 July.", "In 2026 the party was on 19 June."),
        ("Can I get a refund?", "You get a refund within 14 days.", "After 14 days we give no refund."),
        ("How many people work here?", "212 people worked here in 2023.", "In 2026, 268 people work here."),
        ("When do the lights go off?", "The lights go off at 22:00.", "The lights go off at 10 p.m."),
        ("How long is the trial?", "The trial is four weeks.", "The trial is one month."),
        ("How heavy is it?", "It weighs 2 kg.", "It weighs 2,000 g."),
        ("Is the gate open on Sundays?", "The gate is closed on Sundays.", "The gate is not open on Sundays."),
        ("What does plan 2 cost?", "Plan 2 costs 5 euros and 10 cents.", "Plan 3 costs 5 euros and 10 cents."),
        ("Where is it told?", "It is told in the guide for all.[3]", "It is told in the guide for all.[7]"),
        ("Is there a limit to get aid?", "There is no limit to get aid.", "You must meet conditions to get aid."),
        ("Which browsers can be used?", "Firefox can be used.", "Chrome can be used."),
    ],
)
def test_other_words_groups_products_years_and_aspects_are_no_conflict(question: str, one: str, other: str) -> None:
    assert not is_conflict(question, one, other)
    assert not is_conflict(question, other, one)


def test_what_is_near_enough_to_the_question_answers_it_in_words_of_its_own() -> None:
    question, one, other = (
        "How long does a session last?",
        "Sessions end after 20 minutes.",
        "A login dies in 60 minutes.",
    )
    assert is_conflict(question, one, other, cosines=(0.9, 0.8))
    assert not is_conflict(question, one, other, cosines=(0.9, 0.6))


def test_names_are_told_apart_in_what_is_near_to_the_question() -> None:
    question, one, other = (
        "Where are the spare keys kept?",
        "The spare keys are kept in the cellar.",
        "The spare keys are kept upstairs.",
    )
    assert is_conflict(question, one, other, cosines=(0.9, 0.8))
    assert not is_conflict(question, one, other, cosines=(0.6, 0.6))


def test_only_documents_apart_are_held_against_each_other() -> None:
    question = "How long are backups kept?"
    old, new = prose("old", "Backups are kept for 30 days."), prose("new", "Backups are kept for 90 days.")
    asked = analyze_question(question)
    assert {one.chunk_id for one in gather_evidence(asked, [old, new]).conflict} == {"old", "new"}
    same = prose("same", "Backups are kept for 30 days. Backups are kept for 90 days.")
    assert gather_evidence(asked, [same]).conflict == ()
