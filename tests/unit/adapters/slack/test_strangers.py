"""Whom the bot's own workspace knows, and whom it does not, whatever their ids look like."""

from __future__ import annotations

import pytest

from pipeline.errors import Refused
from pipeline.values import PersonId, replace
from pipeline.words import wording
from tests.contracts.slack_driver import SlackDriver, user
from tests.doubles.slack.workspace import TEAM


async def test_a_person_of_another_workspace_is_not_taken_for_who_has_the_same_id_here(slack: SlackDriver) -> None:
    here = PersonId(platform="slack", space=TEAM, user=user("ann"))
    readers = await slack.adapter.get_readers(here)
    assert not readers.external
    assert f"slack:{TEAM}" in readers.groups
    for team in ("T0OTHER", ""):
        with pytest.raises(Refused):
            await slack.adapter.get_readers(replace(here, space=team))


async def test_whoever_presses_for_another_organisation_is_shown_nothing_of_ours(slack: SlackDriver) -> None:
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    slack.people.team = "T0OTHER"
    told = await slack._told(said, "ann", "passages")
    assert [one["text"] for one in told] == [wording.ANSWER_UNAVAILABLE]
