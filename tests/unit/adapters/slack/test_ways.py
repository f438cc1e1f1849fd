"""What is particular to Slack: private channels, group messages, the Home tab, prompts, guests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from adapters.chat.post.delivery import OUTSIDER_MESSAGE
from adapters.slack.adapter import SlackAdapter
from adapters.slack.settings import SlackSettings
from pipeline.errors import Misconfigured
from pipeline.values import AnswerEvent, AnswerRequest, PlaceSettings
from pipeline.words import wording
from tests.contracts.answers import cited, not_found
from tests.contracts.rig import held_until, once
from tests.contracts.slack_driver import CHANNEL, MANIFEST, SlackDriver, granted, user
from tests.contracts.waiting import until
from tests.doubles.slack import eyes
from tests.doubles.slack.rules import Json
from tests.doubles.slack.workspace import BOT


async def test_a_group_message_needs_no_optional_scope(tmp_path: Path) -> None:
    driver = SlackDriver(tmp_path / "data", granted() - {"mpim:history", "mpim:read"})
    await driver.start()
    driver.workspace.add("G0PLACE", "mpim")
    message = await driver.people.mention(user("ann"), "G0PLACE", "How much leave do I get?")
    await driver.rig.settled()
    assert len(driver.workspace.replies(message)) == 1
    await driver.close()


async def test_a_mention_in_a_channel_points_at_the_message_above_it(slack: SlackDriver) -> None:
    await slack.aside("carol", "Lunch?")
    await slack.aside("ann", "How much leave do I get?")
    await slack.mention("bob", "can you answer this?")
    await slack.rig.settled()
    assert [request.around.messages for request in slack.rig.requests] == [("How much leave do I get?",)]


async def test_a_forwarded_message_stands_above_what_points_at_it(slack: SlackDriver) -> None:
    begun = slack.people.write(user("bob"), CHANNEL, "")
    begun.attachments = [{"is_share": True, "text": "How much leave do I get?"}]
    await slack.people.mention(user("ann"), CHANNEL, "can you answer this?", thread=begun.ts)
    await slack.rig.settled()
    assert [request.around.messages for request in slack.rig.requests] == [("How much leave do I get?",)]


@pytest.mark.parametrize("failure", ["missing_scope", "internal_error"])
async def test_a_question_is_answered_where_nothing_can_be_read_around_it(slack: SlackDriver, failure: str) -> None:
    slack.workspace.without["conversations.history"] = failure
    said = await slack.mention("bob", "and how much of it?")
    await slack.rig.settled()
    assert len(slack.replies(said)) == 1


async def test_a_question_that_comes_after_its_edit_is_answered_as_it_is_now(slack: SlackDriver) -> None:
    message = slack.people.write(user("ann"), CHANNEL, "<@U0BOT> How much leaf?")
    late = slack.people.told(message)
    await slack.people.edit(message, "<@U0BOT> How much leave?")
    for event in late:
        await slack.people.event(event)
    await slack.rig.settled()
    assert [request.text for request in slack.rig.requests] == ["How much leave?"]


async def test_what_was_said_days_ago_is_not_answered_because_it_is_edited(slack: SlackDriver) -> None:
    slack.workspace.clock = lambda: time.time() - 2 * 86_400
    aside = await slack.aside("ann", "How much leave do I get?")
    await slack.edit_in_mention(aside, "How much leave?")
    await slack.rig.settled()
    assert slack.rig.requests == []


async def test_a_missed_first_delivery_is_answered_when_it_comes_again(slack: SlackDriver) -> None:
    message = slack.people.write(user("ann"), CHANNEL, "<@U0BOT> How much leave do I get?")
    body = slack.people.body(slack.people.told(message)[1])
    await slack.people._send("events_api", body, attempt=2)
    await slack.rig.settled()
    assert len(slack.workspace.replies(message)) == 1


async def test_the_home_tab_says_what_is_indexed(slack: SlackDriver) -> None:
    await slack.people.open_home(user("ann"))
    await until(lambda: user("ann") in slack.workspace.views)
    text = eyes.readable(slack.workspace.views[user("ann")])
    assert "What is indexed" in text
    assert "Your data" in text


async def test_prompts_are_offered_in_the_messages_tab(slack: SlackDriver) -> None:
    await slack.people.open_home(user("ann"), "messages")
    await until(lambda: slack.workspace.prompts)
    assert slack.workspace.prompts["D0ANN"][0]["title"] == "What can I ask?"


async def test_a_guest_is_outside(slack: SlackDriver) -> None:
    slack.workspace.guests.add(user("guest"))
    await slack.direct("guest", "How much leave do I get?")
    await slack.rig.settled()
    assert slack.rig.readers[0].external


async def test_every_subscribed_event_is_acknowledged(slack: SlackDriver) -> None:
    """Bolt leaves what nobody handles unacknowledged, and Slack then counts it as failed."""
    slack.workspace.add("G0PRIVATE", "private")
    places = {"channels": CHANNEL, "groups": "G0PRIVATE", "im": "D0ANN"}
    slack.workspace.dm(user("ann"))
    for name in MANIFEST["settings"]["event_subscriptions"]["bot_events"]:
        kind, _, place = name.partition(".")
        channel = places.get(place, CHANNEL)
        event = {"type": kind, "channel": channel, "user": user("ann"), "text": "x", "ts": "1.1", "tab": "home"}
        assert await slack.people.event({**event, "thread_ts": "1.0"}), name


async def test_the_stop_button_ends_the_answer_and_says_so(slack: SlackDriver) -> None:
    async def endless(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        await asyncio.Event().wait()
        yield cited("Never.")

    slack.rig.script = endless
    said = await slack.mention("ann", "How much leave do I get?")
    await until(lambda: "processing" in slack.workspace.sessions.values())
    await slack.people.stop(CHANNEL, said.handle.ts, user("ann"))
    await slack.rig.settled()
    (reply,) = slack.replies(said)
    assert reply.text == wording.STOPPED
    assert set(slack.workspace.sessions.values()) == {"active"}


async def test_a_direct_message_from_another_organisation_is_not_sent_to_a_direct_message(slack: SlackDriver) -> None:
    slack.workspace.dm(user("ann")).shared = True
    said = await slack.direct("ann", "How much leave do I get?")
    await slack.rig.settled()
    (reply,) = slack.replies(said)
    assert reply.text == OUTSIDER_MESSAGE
    assert slack.rig.requests == []


async def test_a_full_inbox_is_said_once(slack: SlackDriver) -> None:
    slack.rig.storage.inbox._capacity = 0
    await slack.mention("ann", "How much leave do I get?")
    await slack.mention("ann", "And my colleagues?")
    await until(lambda: slack.workspace.ephemerals)
    assert [message["text"] for message in slack.workspace.ephemerals] == [wording.BOT_BUSY]


async def test_a_question_in_a_channel_that_we_may_not_write_to_is_explained_directly(slack: SlackDriver) -> None:
    free = asyncio.Event()
    slack.rig.script = held_until(free)
    said = await slack.mention("ann", "How much leave do I get?")
    slack.workspace.channels[CHANNEL].member = False
    free.set()
    await slack.rig.settled()
    (told,) = [message for message in slack.workspace.messages.values() if message.channel == "D0ANN"]
    assert "/invite" in told.text
    assert slack.replies(said) == []


async def test_nobody_is_told_directly_that_what_they_did_not_ask_for_could_not_be_posted(slack: SlackDriver) -> None:
    async def refused(method: str, arguments: Json, when: str) -> str | None:
        at_channel = method == "chat.postMessage" and arguments.get("channel") == CHANNEL
        return "msg_too_long" if at_channel and when == "before" else None

    slack.rig.places[slack.place] = PlaceSettings(auto=True)
    slack.slack.hook = refused
    await slack.aside("ann", "How many days of leave do part-timers get?")
    await slack.rig.settled()
    assert slack.rig.requests != []
    assert [message for message in slack.workspace.messages.values() if message.user == BOT] == []


async def test_start_up_says_who_and_where_and_what_is_missing(tmp_path: Path) -> None:
    driver = SlackDriver(tmp_path / "data", granted() - {"users:read", "im:history"})
    await driver.start()
    public_only = "answers from all collections; now everybody counts as a guest and gets public ones only"
    assert driver.said == [
        "Slack: I am @docs-answers in Acme (T0TEAM), connected by Socket Mode.",
        "Slack: the scope im:history is missing; it would enable direct messages.",
        f"Slack: the scope users:read is missing; it would enable {public_only}.",
    ]
    await driver.close()


@pytest.mark.parametrize(
    ("bot", "app", "setting"), [("xoxb-no", "xapp-double-1", "BOT"), ("xoxb-double-1", "no", "APP")]
)
async def test_a_wrong_token_is_named(slack: SlackDriver, bot: str, app: str, setting: str) -> None:
    settings = SlackSettings(bot_token=bot, app_token=app, api_url=slack.slack.api_url)
    adapter = SlackAdapter(settings, echo=lambda line: None)
    with pytest.raises(Misconfigured) as caught:
        await adapter.listen(slack.rig.storage.inbox, slack.rig.desk)
    assert caught.value.setting == f"SLACK_{setting}_TOKEN"
    await adapter.close()


@pytest.mark.parametrize("failure", ["user_not_in_channel", "internal_error"])
async def test_what_slack_does_not_show_to_one_person_alone_is_left(slack: SlackDriver, failure: str) -> None:
    first = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    slack.rig.script = lambda request: once(not_found(request.text))
    slack.workspace.without["chat.postEphemeral"] = failure
    said = await slack.among("bob", "And how much annual leave?", first)
    await slack.rig.settled()
    assert slack.whispered(said) == []
    assert "open" not in await slack.rig.state()
