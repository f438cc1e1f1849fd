"""A message that is being answered, and what people think of the answer."""

from __future__ import annotations

from enum import StrEnum

from pipeline.values.answers import Answer
from pipeline.values.base import Value
from pipeline.values.people import IncomingMessage
from pipeline.values.posting.outgoing import Outgoing
from pipeline.values.roles import Role


class Work(Outgoing):
    """A leased message, with what is already known of its reply."""

    message: IncomingMessage
    hopeless: bool = False
    """The last attempt ended the process as well: only an apology is left."""
    answer: Answer | None = None
    """Saved before a crash: deliver it, do not compute it again."""
    late: bool = False
    """Older than the age cap when it was reached."""
    more: bool = True
    """Others may wait to be leased."""

    @property
    def key(self) -> str:
        return self.message.key

    @property
    def platform(self) -> str:
        return self.message.conversation.platform

    @property
    def space(self) -> str:
        return self.message.conversation.space


class Vote(StrEnum):
    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"


class Reason(StrEnum):
    """Why an answer did not help."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OUTDATED = "outdated"
    NOT_FOUND = "not_found"
    UNCLEAR = "unclear"


class Rating(Value):
    answer_id: str
    person: str
    vote: Vote
    reason: Reason | None = None
    comment: str = ""
    role: Role | None = None
    """Their highest, where the bot learns from ratings."""
