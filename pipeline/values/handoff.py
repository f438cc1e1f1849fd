"""A question that goes to people because the documents did not answer it, and what is posted about it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pipeline.values.base import Value
from pipeline.values.ids import ConversationId, PlaceId


class Press(Value):
    """A button under an answer that did not help: who pressed it, and where."""

    answer_id: str
    person: str
    chain: tuple[PlaceId, ...] = ()
    """The places that it was pressed in, the widest first; none in a direct message of no server."""
    origin: ConversationId
    """Where the answer stands."""
    message: str = ""
    """The platform's id of that answer."""
    private: bool = False
    """Only the person saw it."""
    external: bool = False
    """The person is of another organisation."""


class Handoff(Value):
    """One question, once: for each answer that did not help there is at most one."""

    id: str
    answer_id: str
    asker: str
    """Who wanted it, as `IncomingMessage.author`."""
    author: str | None = None
    """Whose question it is, which the store knows: anybody may pass it on."""
    question: str
    target: PlaceId
    """The channel that is asked, as `Place.ask`."""
    origin: ConversationId
    """Where the answer stands that did not help."""
    message: str = ""
    """The platform's id of that answer."""
    private: bool = False
    """Only the asker saw it: they are told alone, and nothing leads back to it."""


class About(StrEnum):
    """What a notice tells."""

    ASKED = "asked"
    """People, of the question."""
    RESOLVED = "resolved"
    """The asker, of the reply."""
    UNDELIVERED = "undelivered"
    """The asker, that the question could not be posted."""


class Notice(Value):
    """A message that the bot posts by itself, exactly once, whatever happens meanwhile."""

    about: About
    handoff: Handoff
    language: str = "en"
    """In which it is said: that of whoever asked."""
    resolver: str = ""
    """The name of who resolved it."""
    reply: str = ""
    """What they wrote; may be empty."""
    posting_since: datetime | None = None
    """When the intent to post was recorded: it may be there already."""
    reference: str = ""
    """The platform's name of the message, once known."""
    attempt: int = 0

    @property
    def key(self) -> str:
        return f"{self.about}:{self.handoff.id}"

    @property
    def platform(self) -> str:
        """Where it is posted."""
        return self._where.platform

    @property
    def space(self) -> str:
        return self._where.space

    @property
    def _where(self) -> PlaceId | ConversationId:
        return self.handoff.target if self.about is About.ASKED else self.handoff.origin
