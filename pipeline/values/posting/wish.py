"""A question that somebody wants to be told the answer of, once the documents have one."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pipeline.values.base import Value
from pipeline.values.ids import ConversationId, MessageKey, PersonId, PlaceId
from pipeline.values.people import IncomingMessage, Manner

NOWHERE = "0"
"""No message to refer to."""


class Wish(Value):
    """One question of one person, told once in the conversation that it was asked in."""

    id: str
    answer_id: str
    """The answer that did not help."""
    person: str
    """Who is told, as `IncomingMessage.author`."""
    author: str | None = None
    """Whose question it is, which the store knows: anybody may want to be told."""
    question: str
    """Complete by itself."""
    origin: ConversationId
    """Where it is told: the conversation of that answer, the direct messages of whoever alone saw it."""
    message: str = ""
    """The platform's id of that answer; empty where it is told apart from it."""
    said_in: tuple[PlaceId, ...] = ()
    external: bool = False
    language: str = "en"
    rated: tuple[str, ...] = ()
    """The ids of the passages that that answer cites, where it said something that was not right."""

    @property
    def among(self) -> bool:
        """Others read along where it is told."""
        return bool(self.message) and any(place.channel for place in self.said_in)

    @property
    def place(self) -> MessageKey:
        """The logical identity of the message as which it is tried."""
        where, message = self.origin, f"wish-{self.id}"
        return MessageKey(platform=where.platform, space=where.space, channel=where.channel, message=message)

    @property
    def key(self) -> str:
        return str(self.place)

    def asked(self, at: datetime) -> IncomingMessage:
        """The question, asked again."""
        return IncomingMessage(
            place=self.place,
            conversation=self.origin,
            asker=PersonId.parse(self.person),
            text=self.question,
            sent_at=at,
            manner=Manner.AWAITED,
            external=self.external,
            locale=self.language,
            said_in=self.said_in,
            below=self.message or NOWHERE,
        )


class Wished(NamedTuple):
    """What whoever wants to be told hears at once."""

    said: str
    wish_id: str = ""
    """What can be taken back; empty where there is nothing."""
