"""A message that is being answered, and what people think of the answer."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pipeline.values.answers import Answer
from pipeline.values.base import Value
from pipeline.values.people import IncomingMessage


class Work(Value):
    """A leased message, with what is already known of its reply."""

    message: IncomingMessage
    attempt: int = 1
    last: bool = False
    """The message is given up after this attempt."""
    hopeless: bool = False
    """The last attempt ended the process as well: only an apology is left."""
    answer: Answer | None = None
    """Saved before a crash: deliver it, do not compute it again."""
    posting_since: datetime | None = None
    """When the intent to post was recorded: a reply may already be visible."""
    reference: str = ""
    """The platform's name of the reply, once known."""
    language: str = "en"
    """That of our own words about it."""
    late: bool = False
    """Older than the age cap when it was reached."""


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
