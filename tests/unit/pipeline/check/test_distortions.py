"""The passage's own words do not support what they were cut out of, nor what they say in another order."""

from __future__ import annotations

import pytest
from pipeline.check.validate import judge

from pipeline.values import BlockKind, Sentence
from tests.doubles.llm.walk import passage

PASSAGES = [
    passage(
        "rules",
        "Never delete the production database.",
        "You must not share your password with colleagues.",
        "It is a myth that the office is open on Sundays.",
        "If the alarm rings, leave the building by the stairs.",
        "Staff get 25 days of leave unless they are contractors.",
        "Some teams require approval by the team lead.",
        "Laptops cost at most 1500 dollars.",
        "Is the canteen open on Mondays?",
        "No, it is closed all day.",
        "The shop is open on all days except Sunday.",
        "Encryption is on in Berlin.",
        title="Rules",
    ),
    passage(
        "roles",
        "Alice reports to Bob.",
        "Carol approves the invoices that Dan submits.",
        "The red button stops the machine and the green button starts it.",
        "The payroll team is managed by Erin.",
        title="Roles",
    ),
    passage(
        "figures",
        "The limit is 500 EUR for travel and 100 EUR for meals.",
        "The deadline was moved from 3 May 2024 to 9 June 2024.",
        "The price rose from 5 EUR to 7 EUR in March.",
        "The desk is open from 8:00 to 18:00 on weekdays and from 9:00 to 13:00 on Saturdays.",
        "Carers get 5 days of sick leave and 3 days of parental leave.",
        "Managers get 30 days and trainees get 20 days.",
        title="Figures",
    ),
]


def supported(text: str, kind: BlockKind = BlockKind.PROSE, question: str = "") -> bool:
    named = tuple(one.chunk.id for one in PASSAGES)
    return judge(Sentence(text=text, kind=kind, chunk_ids=named), PASSAGES, question=question).supported


@pytest.mark.parametrize("kind", [BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP, BlockKind.CODE])
@pytest.mark.parametrize(
    "text",
    [
        "delete the production database.",
        "share your password with colleagues.",
        "the office is open on Sundays.",
        "leave the building by the stairs.",
        "the alarm rings",
        "Staff get 25 days of leave",
        "teams require approval by the team lead.",
        "1500 dollars",
        "The shop is open on all days",
    ],
)
def test_a_fragment_that_lost_what_turns_it_is_not_supported(text: str, kind: BlockKind) -> None:
    assert not supported(text, kind)


@pytest.mark.parametrize(
    "text",
    [
        "Carol approves the invoices",
        "500 EUR for travel",
        "at most 1500 dollars",
        "Never delete the production database",
        "Carers get 5 days of sick leave",
        "the red button stops the machine",
    ],
)
def test_a_fragment_that_says_the_same_alone_is_supported(text: str) -> None:
    assert supported(text[0].upper() + text[1:]) or supported(text)


def test_a_condition_may_be_left_out_when_it_was_asked_for() -> None:
    claim = "Leave the building by the stairs."
    assert not supported(claim)
    assert supported(claim, question="What do I do when the alarm rings?")
    assert supported("When the alarm rings, leave the building by the stairs.")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Bob reports to Alice.", id="subject and object"),
        pytest.param("Dan approves the invoices that Carol submits.", id="names of two verbs"),
        pytest.param("The payroll team manages Erin.", id="passive made active"),
        pytest.param("The green button stops the machine.", id="subjects of two clauses"),
        pytest.param("The limit is 500 EUR for meals.", id="number of another noun"),
        pytest.param("The limit is 100 EUR for travel.", id="number of another noun, the other way"),
        pytest.param("The limit is 100 EUR for travel and 500 EUR for meals.", id="numbers exchanged"),
        pytest.param("Carers get 3 days of sick leave.", id="number of the second part"),
        pytest.param("Carers get 5 days of parental leave.", id="number of the first part"),
        pytest.param("Managers get 20 days and trainees get 30 days.", id="numbers of two clauses exchanged"),
        pytest.param("The desk is open from 8:00 to 18:00 on Saturdays.", id="times of other days"),
        pytest.param("The deadline was moved from 9 June 2024 to 3 May 2024.", id="from and to"),
        pytest.param("The deadline is 3 May 2024.", id="what it was before"),
        pytest.param("The price rose to 5 EUR.", id="from for to"),
        pytest.param("The canteen is open on Mondays.", id="question answered no"),
        pytest.param("In Berlin encryption is off.", id="a word that is no content"),
    ],
)
def test_the_same_words_in_other_places_are_not_supported(text: str) -> None:
    assert not supported(text)


@pytest.mark.parametrize(
    "text",
    [
        "Alice reports to her manager, Bob.",
        "Dan submits invoices and Carol approves them.",
        "The invoices that Dan submits are approved by Carol.",
        "Erin manages the payroll team.",
        "The limit for meals is 100 EUR.",
        "The limit is 100 EUR for meals and 500 EUR for travel.",
        "Carers get 3 days of parental leave and 5 days of sick leave.",
        "Trainees get 20 days.",
        "On Saturdays the desk is open from 9:00 to 13:00.",
        "The deadline is 9 June 2024.",
        "The deadline was 3 May 2024 before it was moved to 9 June 2024.",
        "The price is 7 EUR.",
        "In Berlin encryption is on.",
    ],
)
def test_the_same_said_in_another_order_is_supported(text: str) -> None:
    assert supported(text)
