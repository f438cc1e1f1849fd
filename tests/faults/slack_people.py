"""People in a Slack that repeats what it has no acknowledgement for, and shows late what was posted."""

from __future__ import annotations

import random

from tests.doubles.slack.people import People
from tests.doubles.slack.rules import EVENTS
from tests.doubles.slack.server import SlackServer
from tests.doubles.slack.workspace import Message

LOST_ACKS, LOST_RESPONSES, LAG = 0.02, 0.01, 0.3


def unreliable(slack: SlackServer, dice: random.Random, retry_after: tuple[float, ...]) -> People:
    """With twenty channels, `C0` to `C19`."""
    people = People(slack, list(EVENTS))
    people.ack_within = 0.5
    people.retry_after = retry_after
    people.lose_ack = lambda: dice.random() < LOST_ACKS
    slack.streams_per_minute = 1_000_000
    slack.workspace.lag = LAG
    for number in range(20):
        slack.workspace.add(f"C{number}")
    return people


def complete(reply: Message) -> bool:
    return not reply.streaming and bool(reply.metadata) and "Last" in reply.shown
