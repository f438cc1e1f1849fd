"""What somebody passes on is read above a question that points at it."""

from __future__ import annotations

from tests.contracts.slack_driver import CHANNEL, SlackDriver


async def test_a_forwarded_message_stands_above_what_points_at_it(slack: SlackDriver) -> None:
    asked = "How much leave do I get?"
    begun = slack.people.write("U0BOB", CHANNEL, "")
    begun.attachments = [{"is_share": True, "text": asked}]
    await slack.people.mention("U0ANN", CHANNEL, "can you answer this?", thread=begun.ts)
    await slack.rig.settled()
    assert slack.rig.requests[-1].around.said == (asked,)
