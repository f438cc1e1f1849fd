"""Two documents differ when they give different values for the same thing, and at no other time."""

import pytest

from pipeline.read.asked import read
from pipeline.read.differing import differ, differing
from pipeline.read.evidence import gather
from tests.unit.pipeline.compose.build import passage


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("How long are backups kept?", "Backups are kept for 30 days.", "We delete backups after 90 days."),
        ("How many keys are there?", "There are three keys.", "Five keys are there."),
        ("When does the shop open?", "The shop opens on 1 March 2026.", "The shop opens on 1 May 2026."),
        ("On which day is the bin emptied?", "The bin is emptied on Mondays.", "The bin is emptied on Fridays."),
        ("What is the late fee?", "The late fee is $25.", "A late fee of $40 is charged."),
        ("When is the stand-up?", "The stand-up is at 9:15.", "We meet for the stand-up at 10 a.m."),
        ("Are backups encrypted?", "Backups are encrypted.", "Backups are not encrypted."),
        ("Does leave expire?", "Leave expires at the end of March.", "Leave never expires."),
        ("How long is the trial?", "The trial is six weeks.", "The trial is two months."),
        ("How deep is the well?", "The well is 30 metres deep.", "The well is 30 feet deep."),
        ("When is the audit?", "The audit is in March.", "The audit is in October."),
        ("Is the gate open on Sundays?", "The gate is open on Sundays.", "The gate is closed on Sundays."),
        (
            "Where are the spare keys kept?",
            "The spare keys are kept in the cellar.",
            "The spare keys are kept upstairs.",
        ),
        ("Which port does the proxy use?", "The proxy uses port blue.", "The proxy uses port green."),
    ],
)
def test_another_value_for_the_same_thing_is_told(question: str, one: str, other: str) -> None:
    assert differ(question, one, other)
    assert differ(question, other, one)


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("How long is the warranty?", "The warranty is two years.", "A warranty of 24 months is given."),
        ("How many days off are there?", "In the north, 27 days off are given.", "In the south there are 30 days off."),
        ("How long does it run?", "The Mira runs for nine hours.", "The Vela runs for 14 hours."),
        ("When was the party?", "The party of 2025 was on 4 July.", "In 2026 the party was on 19 June."),
        ("What about the shuttle?", "The shuttle comes every 20 minutes.", "The shuttle has 18 seats."),
        ("Can I get a refund?", "You get a refund within 14 days.", "After 14 days we give no refund."),
        ("How long does a review take?", "A review takes about two weeks.", "A review takes 12 days."),
        ("How many people work here?", "212 people worked here in 2023.", "In 2026, 268 people work here."),
        ("How many people work here?", "More than 500 people work here.", "534 people work here."),
        (
            "What do customers get off?",
            "New customers get 20 percent off.",
            "We give regular customers 10 percent off.",
        ),
        ("When do the lights go off?", "The lights go off at 22:00.", "The lights go off at 10 p.m."),
        ("Is the report public?", "The report is public.", "Drafts of the report are not public."),
        ("How long is the trial?", "The trial is four weeks.", "The trial is one month."),
        ("How heavy is it?", "It weighs 2 kg.", "It weighs 2,000 g."),
        ("Is the gate open on Sundays?", "The gate is closed on Sundays.", "The gate is not open on Sundays."),
        ("Which browsers can be used?", "Firefox can be used.", "Chrome can be used."),
        ("Who gets a yearly bonus?", "Engineers get a yearly bonus.", "Sellers get a yearly bonus."),
        (
            "Where is the first meeting?",
            "The first meeting is in the hall.",
            "If it rains, the first meeting is inside.",
        ),
        ("Where is the guest desk?", "The guest desk is at the door.", "The guest desk is at the door of the hall."),
        ("Which desk helps with visas?", "The travel desk helps with visas.", "The travel desk is never empty."),
        ("Who is told?", "The lead is told.", "The warden is told."),
    ],
)
def test_other_words_groups_products_years_and_aspects_are_no_conflict(question: str, one: str, other: str) -> None:
    assert not differ(question, one, other)
    assert not differ(question, other, one)


def test_what_is_near_enough_to_the_question_answers_it_in_words_of_its_own() -> None:
    question, one, other = (
        "How long does a session last?",
        "Sessions end after 20 minutes.",
        "A login dies in 60 minutes.",
    )
    assert differ(question, one, other, cosines=(0.9, 0.8))
    assert not differ(question, one, other, cosines=(0.9, 0.6))


def test_only_documents_apart_are_held_against_each_other() -> None:
    question = "How long are backups kept?"
    old, new = passage("old", "Backups are kept for 30 days."), passage("new", "Backups are kept for 90 days.")
    asked = read(question)
    assert {one.chunk_id for one in differing(question, gather(asked, [old, new]).units)} == {"old", "new"}
    same = passage("same", "Backups are kept for 30 days. Backups are kept for 90 days.")
    assert differing(question, gather(asked, [same]).units) == ()
