"""A question that goes to people because the documents did not answer it, and what is posted about it."""

from __future__ import annotations

from enum import StrEnum

from pipeline.values.answers import Answer
from pipeline.values.base import Value
from pipeline.values.ids import ConversationId, PersonId, PlaceId
from pipeline.values.posting.outgoing import Outgoing


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


class Notice(Outgoing):
    """What is posted about a handoff, in the language of whoever asked."""

    about: About
    handoff: Handoff
    found: Answer | None = None
    """What those who are asked may see of the answer that did not help."""
    resolver: str = ""
    """The name of who resolved it."""
    reply: str = ""
    """What they wrote; may be empty."""

    @property
    def key(self) -> str:
        return f"{self.about}:{self.handoff.id}"

    @property
    def platform(self) -> str:
        return self.where.platform

    @property
    def space(self) -> str:
        return self.handoff.target.space if self.about is About.ASKED else self.handoff.origin.space

    @property
    def where(self) -> PlaceId | ConversationId | PersonId:
        """The channel that is asked; the asker where they asked, or alone."""
        if self.about is About.ASKED:
            return self.handoff.target
        return PersonId.parse(self.handoff.asker) if self.handoff.private else self.handoff.origin
