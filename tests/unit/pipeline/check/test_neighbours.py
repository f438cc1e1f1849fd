"""Two sentences that are built alike are not mixed into a third."""

from __future__ import annotations

import pytest
from pipeline.check.validate import judge

from pipeline.values import Sentence
from tests.doubles.llm.walk import passage

PAIRS = {
    "leave": ("Staff in Berlin get 28 days of leave.", "Staff in Paris get 25 days of leave."),
    "errors": ("Error E3 means that the tank is empty.", "Error E4 means that the filter is blocked."),
    "limits": (
        "Requests up to 500 euros are approved by the team lead.",
        "Requests above 500 euros are approved by the director.",
    ),
    "years": ("In 2022 revenue was 4 million euros.", "In 2023 revenue was 6 million euros."),
    "lights": ("If the light is red, the battery is empty.", "If the light is green, the battery is full."),
    "access": ("New employees get access on the first day.", "New contractors get access after a security check."),
    "career": ("Alice joined Acme in 2019 as an engineer.", "Alice left Acme in 2021 as a manager."),
    "token": ("The VPN token expires after 90 days.", "The VPN token must be renewed in the portal."),
    "meetings": ("Team A meets on Monday in room 4.", "Team B meets on Tuesday in room 5."),
}
WORDS_BETWEEN = "Parking is free for everybody."


def supported(pair: str, text: str, *more: str, apart: bool = False) -> bool:
    """Whether the pair supports the text: in one passage, or each in one of its own."""
    one, other = PAIRS[pair]
    if apart:
        named = [passage("c1", one), passage("c2", other, *more)]
    else:
        named = [passage("c1", one, WORDS_BETWEEN, other, *more)]
    return judge(Sentence(text=text, chunk_ids=tuple(found.chunk.id for found in named)), named).supported


@pytest.mark.parametrize("apart", [False, True], ids=["one passage", "two passages"])
@pytest.mark.parametrize(
    ("pair", "text"),
    [
        ("leave", "Staff in Paris get 28 days of leave."),
        ("leave", "In the Paris office, employees get 28 days of leave."),
        ("leave", "Staff in Paris get 28 days of leave and staff in Berlin get 25 days of leave."),
        ("errors", "Error E4 means that the tank is empty."),
        ("limits", "Requests above 500 euros are approved by the team lead."),
        ("years", "In 2023 revenue was 4 million euros."),
        ("lights", "If the light is green, the battery is empty."),
        ("access", "New contractors get access on the first day."),
        ("meetings", "Team B meets on Monday in room 5."),
    ],
)
def test_what_is_said_of_one_thing_is_not_said_of_its_neighbour(pair: str, text: str, apart: bool) -> None:
    assert not supported(pair, text, apart=apart)


@pytest.mark.parametrize("apart", [False, True], ids=["one passage", "two passages"])
@pytest.mark.parametrize(
    ("pair", "text"),
    [
        ("leave", "Employees in Paris get 25 days of leave."),
        ("leave", "Staff get 28 days of leave in Berlin and 25 days in Paris."),
        ("leave", "Staff in Berlin and Paris get 28 and 25 days of leave."),
        ("leave", "While staff in Paris get 25 days of leave, those in Berlin get 28."),
        ("errors", "If the filter is blocked, error E4 is shown."),
        ("limits", "Requests over 500 euros are approved by the director."),
        ("limits", "The team lead approves requests up to 500 euros, the director those above."),
        ("years", "Revenue rose from 4 million euros in 2022 to 6 million euros in 2023."),
        ("lights", "A red light means an empty battery, a green light a full one."),
        ("access", "Contractors who are new get access after a security check."),
        ("career", "Alice joined Acme in 2019 and left as a manager."),
        ("token", "The VPN token must be renewed in the portal, as it expires after 90 days."),
        ("meetings", "The teams meet in rooms 4 and 5."),
    ],
)
def test_two_sentences_that_are_built_alike_may_be_told_together(pair: str, text: str, apart: bool) -> None:
    assert supported(pair, text, apart=apart)


def test_what_a_third_sentence_says_is_supported() -> None:
    text = "In Paris staff now get 28 days of leave."
    assert not supported("leave", text)
    assert supported("leave", text, "Since May staff in Paris get 28 days of leave.")


def test_what_stands_under_one_heading_is_not_said_of_the_other() -> None:
    named = [
        passage("c1", "Staff get 28 days of leave a year.", title="Berlin office 2023"),
        passage("c2", "Staff get 25 days of leave a year.", title="Paris office 2024"),
    ]

    def told(text: str) -> bool:
        return judge(Sentence(text=text, chunk_ids=("c1", "c2")), named).supported

    assert not told("Staff in the Paris office get 28 days of leave a year.")
    assert not told("In 2024 staff get 28 days of leave a year.")
    assert told("Staff in the Paris office get 25 days of leave a year.")
    assert told("Staff get 28 days of leave in Berlin and 25 days in Paris.")
