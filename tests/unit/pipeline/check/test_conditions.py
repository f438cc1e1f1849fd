"""An exception, a condition, or that something did not come to be is not dropped by saying the rest."""

from __future__ import annotations

import pytest
from pipeline.check.validate import judge

from pipeline.values import Sentence
from tests.doubles.llm.walk import passage

UNLESS = "Leave is granted unless the manager objects."
FRONTED = "Unless the manager objects, leave is granted."
BACKUPS = "Backups are kept for 30 days except in Germany."
LAPTOPS = "All staff except interns get a laptop."
TRAVEL = "Travel is paid, apart from meals."
OTHERS = "Employees other than interns get a bonus."
PROPOSAL = "The proposal to give staff 40 days of leave was rejected."
REJECTED = "The board rejected the proposal to give staff 40 days of leave."
UNTIL = "Until 2024 the meal allowance was 40 euros; since then it is 45 euros."
VISITORS = "Visitors were allowed in the lab until 2020."


def supported(source: str, text: str, question: str = "") -> bool:
    named = [passage("c1", source, "Managers get a phone.")]
    return judge(Sentence(text=text, chunk_ids=("c1",)), named, question=question).supported


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (UNLESS, "Leave is granted if the manager objects."),
        (UNLESS, "Leave is granted."),
        (FRONTED, "The manager objects, leave is granted."),
        ("Leave is granted if the manager agrees.", "Leave is granted unless the manager agrees."),
        (BACKUPS, "Backups are kept for 30 days in Germany."),
        (BACKUPS, "Backups are kept for 30 days."),
        (LAPTOPS, "All staff get a laptop."),
        (LAPTOPS, "Interns get a laptop."),
        (LAPTOPS, "All interns except staff get a laptop."),
        (LAPTOPS, "All staff except managers get a laptop."),
        (TRAVEL, "Travel and meals are paid."),
        (OTHERS, "Employees and interns get a bonus."),
        ("Everything is paid, save for meals.", "Everything is paid, meals too."),
    ],
)
def test_a_claim_without_the_exception_is_not_supported(source: str, text: str) -> None:
    assert not supported(source, text)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (UNLESS, "Unless the manager objects, leave is granted."),
        (UNLESS, "Leave is granted if the manager does not object."),
        (UNLESS, "Leave is not granted if the manager objects."),
        ("Requests are not granted unless the manager agrees.", "Requests are granted if the manager agrees."),
        (BACKUPS, "Except in Germany, backups are kept for 30 days."),
        (BACKUPS, "Outside Germany, backups are kept for 30 days."),
        (LAPTOPS, "All employees other than interns receive a laptop."),
        (LAPTOPS, "Except for interns, all staff get a laptop."),
        (TRAVEL, "Travel is paid except for meals."),
        ("Apart from leave, staff get a bonus in May.", "Staff get a bonus in May."),
    ],
)
def test_an_exception_may_be_said_in_other_words(source: str, text: str) -> None:
    assert supported(source, text)


def test_an_exception_stays_even_where_it_was_asked_for() -> None:
    assert not supported(BACKUPS, "Backups are kept for 30 days.", "How long are backups kept in Germany?")
    assert not supported(LAPTOPS, "All staff get a laptop.", "Do interns get a laptop?")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (PROPOSAL, "Staff have 40 days of leave."),
        (REJECTED, "Staff have 40 days of leave."),
        ("The request for a second canteen in Berlin was declined.", "There is a second canteen in Berlin."),
        (VISITORS, "Visitors are allowed in the lab."),
        (UNTIL, "Since 2024 the meal allowance is 40 euros."),
    ],
)
def test_what_did_not_come_to_be_or_has_ended_is_not_said_to_be(source: str, text: str) -> None:
    assert not supported(source, text)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (PROPOSAL, "The proposal of 40 days of leave was rejected."),
        ("The proposal to give staff 40 days of leave was accepted.", "Staff get 40 days of leave."),
        ("The plan costs 10 euros a month and can be cancelled at any time.", "The plan costs 10 euros a month."),
        ("The plan for small teams costs 10 euros and is cancelled by email.", "The plan for small teams is 10 euros."),
        (VISITORS, "Until 2020, visitors could enter the lab."),
        (UNTIL, "The meal allowance was 40 euros until 2024."),
    ],
)
def test_what_came_to_be_or_is_told_as_past_is_supported(source: str, text: str) -> None:
    assert supported(source, text)
