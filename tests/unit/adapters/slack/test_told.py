"""Told when fixed, as far as Slack is different: channels that are shared later, private answers in threads."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipeline.values import AnswerSubscription, ConversationId
from pipeline.words import wording
from tests.contracts.rig import once
from tests.contracts.slack_driver import CHANNEL, SlackDriver, user, value_of
from tests.contracts.test_told import QUESTION, script, unanswered, wanted
from tests.contracts.waiting import until
from tests.doubles.slack.workspace import TEAM


async def test_a_channel_that_is_shared_with_others_by_now_is_told_nothing(slack: SlackDriver) -> None:
    slack.rig.script = lambda asked: once(unanswered(asked))
    said = await wanted(slack)
    slack.workspace.channels[CHANNEL].shared = True
    slack.rig.script = script()
    await slack.rig.changed()
    assert slack.told(said) == []


@pytest.mark.parametrize("shared", [False, True])
async def test_others_who_read_a_channel_by_now_are_told_public_things_alone(slack: SlackDriver, shared: bool) -> None:
    slack.workspace.channels[CHANNEL].shared = shared
    origin = ConversationId(platform="slack", space=TEAM, channel=CHANNEL, thread="1.0")
    person = slack.key("bob")
    wish = AnswerSubscription(id="w1", answer_id="n1", person=person, question=QUESTION, origin=origin, message="1.5")
    assert (await slack.adapter.get_readers(wish.to_message(datetime.now(UTC)))).external is shared


async def test_after_a_private_answer_in_a_thread_that_did_not_help_it_is_told_in_private(slack: SlackDriver) -> None:
    slack.rig.script = script()
    said = await slack.ask("bob", QUESTION)
    await slack.rig.settled()
    answer = next(one for one in said.handle if "blocks" in one)
    (rate,) = [one for one in answer["blocks"] if one["type"] == "context_actions"]
    vote = rate["elements"][0]["negative_button"]["value"]
    down = await slack.people.click_private(user("bob"), CHANNEL, "rate", vote, said.handle, 0, thread="1.5")
    await until(lambda: down)
    tell = value_of(down[-1]["blocks"], "tell")
    noted = await slack.people.click_private(user("bob"), CHANNEL, "tell", tell, down, 0, thread="1.5")
    await until(lambda: noted)
    assert noted[-1]["text"] == wording.SUBSCRIBED_PRIVATELY
