"""What a person asked on a platform that keeps its conversations here."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pipeline.values.base import Value
from pipeline.values.ids import ConversationId


class Talk(Value):
    """One conversation, as a list names it."""

    conversation: ConversationId
    question: str
    """The first of it that is kept."""
    at: datetime
    """When something was last asked there."""


class Standing(StrEnum):
    WAITING = "waiting"
    ANSWERED = "answered"
    FAILED = "failed"
    """It came to an end without an answer."""


class Passed(Value):
    """People were asked what did not help."""

    replied: bool
    by: str = ""
    reply: str = ""
    """May be empty."""


class Exchange(Value):
    """A question, and what became of it."""

    key: str
    """That of its message."""
    question: str
    at: datetime
    standing: Standing
    answer_id: str = ""
    passed: Passed | None = None


class TalkPart(Value):
    """Exchanges of a conversation that follow on each other."""

    exchanges: tuple[Exchange, ...]
    start: int
    """The place of the first in the conversation; 0-based."""
    total: int
    """How many the conversation has."""
