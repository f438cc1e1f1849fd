"""Slack's own search for whoever asks: what it finds of people, and nothing where Slack does not let us."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipeline.values import ConversationId, IncomingMessage, MessageTrigger
from tests.contracts.slack_driver import CHANNEL, SlackDriver, user
from tests.doubles.slack.rules import Json
from tests.doubles.slack.workspace import BOT, TEAM

SAID = "The quetzal room has a new projector."


def asking(slack: SlackDriver, token: str = "token") -> IncomingMessage:
    """A message that came with a token, which Slack knows unless it is another."""
    slack.workspace.action_tokens.add("token")
    asked = slack.people.write(user("ann"), CHANNEL, "Which room has the projector?")
    return IncomingMessage(
        place=f"slack:{TEAM}:{CHANNEL}:{asked.ts}",
        conversation=ConversationId(platform="slack", space=TEAM, channel=CHANNEL, thread=asked.ts),
        asker=f"slack:{TEAM}:{user('ann')}",
        text=asked.text,
        sent_at=datetime.now(UTC),
        manner=MessageTrigger.MENTION,
        action_token=token,
    )


async def found(slack: SlackDriver, message: IncomingMessage) -> list[str]:
    return [one.text for one in await slack.adapter.search(message, "Which room has the projector?")]


async def test_what_people_said_is_found_and_neither_the_question_nor_a_bot(slack: SlackDriver) -> None:
    slack.people.write(user("bob"), CHANNEL, SAID)
    slack.workspace.put(CHANNEL, BOT, "The projector of the room is old.")
    assert await found(slack, asking(slack)) == [SAID]


@pytest.mark.parametrize("refusal", ["429", "feature_not_enabled", "drop"])
async def test_where_slack_limits_or_refuses_it_nothing_is_found_and_nothing_breaks(
    slack: SlackDriver, refusal: str
) -> None:
    slack.people.write(user("bob"), CHANNEL, SAID)
    message = asking(slack)
    if refusal == "feature_not_enabled":
        slack.workspace.without["assistant.search.context"] = refusal

    async def hook(method: str, arguments: Json, when: str) -> str | None:
        return refusal if method == "assistant.search.context" and when == "before" and len(refusal) < 5 else None

    slack.slack.hook = hook
    assert await found(slack, message) == []


async def test_a_token_that_is_spent_or_missing_finds_nothing(slack: SlackDriver) -> None:
    slack.people.write(user("bob"), CHANNEL, SAID)
    assert await found(slack, asking(slack, "old")) == []
    assert await found(slack, asking(slack, "")) == []
