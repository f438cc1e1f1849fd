"""Reading a channel of Slack's as a source."""

from __future__ import annotations

from pipeline.values import PlaceSettings, replace
from tests.contracts.slack_driver import SHARED, SlackDriver
from tests.contracts.waiting import eventually


async def test_a_channel_that_another_organisation_writes_in_is_not_read(slack: SlackDriver) -> None:
    place = replace(slack.place, channel=SHARED)
    slack.people.write("U0BOB", SHARED, "The code of the archive is 1234.")
    slack.rig.places[place] = PlaceSettings(index=True)

    async def closed() -> bool:
        look = (await slack.rig.storage.channel_messages.reading_states()).get(place)
        return look is not None and look.closed

    await eventually(closed)
    assert await slack.rig.storage.channel_messages.count(place) == (0, 0)
