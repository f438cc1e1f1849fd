"""Whom the bot's own workspace knows, and whom it does not, whatever their ids look like."""

from __future__ import annotations

import pytest

from pipeline.errors import Refused
from pipeline.values import PersonId, replace
from tests.contracts.slack_driver import SlackDriver, user
from tests.doubles.slack.workspace import TEAM


async def test_a_person_of_another_workspace_is_not_taken_for_who_has_the_same_id_here(slack: SlackDriver) -> None:
    here = PersonId(platform="slack", space=TEAM, user=user("ann"))
    readers = await slack.adapter.readers(here)
    assert not readers.external
    assert f"slack:{TEAM}" in readers.groups
    for team in ("T0OTHER", ""):
        with pytest.raises(Refused):
            await slack.adapter.readers(replace(here, space=team))
