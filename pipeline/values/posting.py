"""What is to be posted, and what comes of it: replies, questions handed to people, what somebody waits for, and what
people asked nothing for."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from pipeline.values.answers import Answer
from pipeline.values.base import Value
from pipeline.values.ids import ConversationId, MessageKey, PersonId, PlaceId, split_id
from pipeline.values.insights import Insights
from pipeline.values.people import IncomingMessage, MessageTrigger, Role

# --- What is posted once, whatever happens meanwhile ----------------------------------------------


class OutgoingPost(Value):
    """Something that is posted, with what is recorded of that: after a crash it is completed, not repeated."""

    attempt: int = 1
    last: bool = False
    """It is given up after this attempt."""
    posting_since: datetime | None = None
    """When the intent to post was recorded: something may already be visible."""
    reference: str = ""
    """The platform's name of what was posted, once known."""
    language: str = "en"
    """That of our own words in it."""

    @property
    @abstractmethod
    def key(self) -> str:
        """By which it is found again."""

    @property
    @abstractmethod
    def platform(self) -> str:
        """Where it is posted."""

    @property
    @abstractmethod
    def space(self) -> str:
        """The platform's workspace or server."""


# --- A message that is being answered, and what people think of the answer ------------------------


class LeasedMessage(OutgoingPost):
    """A leased message, with what is already known of its reply."""

    message: IncomingMessage
    crashed_last_attempt: bool = False
    """The last attempt ended the process as well: only an apology is left."""
    answer: Answer | None = None
    """Saved before a crash: deliver it, do not compute it again."""
    is_late: bool = False
    """Older than the age cap when it was reached."""
    has_more: bool = True
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


class RatingReason(StrEnum):
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
    reason: RatingReason | None = None
    comment: str = ""
    role: Role | None = None
    """Their highest, where the bot learns from ratings."""


# --- A question that somebody wants to be told the answer of, once the documents have one ---------

NO_MESSAGE = "0"
"""No message to refer to."""


class AnswerSubscription(Value):
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
    def is_in_group(self) -> bool:
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

    def to_message(self, at: datetime) -> IncomingMessage:
        """The question, asked again."""
        return IncomingMessage(
            place=self.place,
            conversation=self.origin,
            asker=PersonId.parse(self.person),
            text=self.question,
            sent_at=at,
            manner=MessageTrigger.AWAITED,
            external=self.external,
            locale=self.language,
            said_in=self.said_in,
            below=self.message or NO_MESSAGE,
        )


class SubscriptionResult(NamedTuple):
    """What whoever wants to be told hears at once."""

    reply: str
    subscription_id: str = ""
    """What can be taken back; empty where there is nothing."""


# --- A question that goes to people because the documents did not answer it -----------------------


class AnswerInteraction(Value):
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


class NoticeKind(StrEnum):
    """What a notice tells."""

    ASKED = "asked"
    """People, of the question."""
    RESOLVED = "resolved"
    """The asker, of the reply."""
    UNDELIVERED = "undelivered"
    """The asker, that the question could not be posted."""


class HandoffNotice(OutgoingPost):
    """What is posted about a handoff, in the language of whoever asked."""

    about: NoticeKind
    handoff: Handoff
    answer: Answer | None = None
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
        return self.destination.platform

    @property
    def space(self) -> str:
        return self.handoff.target.space if self.about is NoticeKind.ASKED else self.handoff.origin.space

    @property
    def destination(self) -> PlaceId | ConversationId | PersonId:
        """The channel that is asked; the asker where they asked, or alone."""
        if self.about is NoticeKind.ASKED:
            return self.handoff.target
        return PersonId.parse(self.handoff.asker) if self.handoff.private else self.handoff.origin


# --- What is posted to people and channels that asked nothing -------------------------------------


class AddressedPost(OutgoingPost):
    """Anything of that kind."""

    to: str
    """A channel (`slack:T1:C2`, `discord:1:2`) or a person (`slack:T1:U3`, `discord:user:3`)."""

    @property
    def platform(self) -> str:
        return split_id(self.to)[0]

    @property
    def space(self) -> str:
        """Of a person on Discord `user`."""
        return split_id(self.to)[1]


class Digest(AddressedPost):
    """One week's, posted once."""

    week: str
    """As ISO 8601 counts them: `2026-W47`."""
    insights: Insights | None = None
    """What its readers may see."""

    @property
    def key(self) -> str:
        return f"digest:{self.week}"

    @property
    def marker(self) -> str:
        """By which it is found again where nothing else marks it."""
        return self.week


class AutoLimitNotice(AddressedPost):
    """A place has had all the answers of an hour that nobody asked the bot for; told once a day."""

    day: str
    """`2026-11-27`"""
    place: PlaceId
    per_hour: int = 0
    """How many answers that is, as far as is known."""

    @property
    def key(self) -> str:
        return f"spent:{self.day}:{self.place}"

    @property
    def marker(self) -> str:
        """As `Digest.mark`."""
        return f"{self.day} · {self.place}"


class IndexingNotice(AddressedPost):
    """Those in a channel are told, once, that it is read as a source."""

    days: int = 0
    """That what was said is kept."""

    @property
    def key(self) -> str:
        return f"source:{self.to}"


class SharedAnswer(AddressedPost):
    """An answer that somebody had alone, for everyone in a channel; in the language of whoever shares it."""

    answer_id: str
    person: str
    """Who shares it, as `IncomingMessage.author`."""
    name: str
    """What they are called there."""
    answer: Answer | None = None
    """If everyone there may see it."""

    @property
    def key(self) -> str:
        return f"share:{self.answer_id}:{self.to}"


class UploadStatus(AddressedPost):
    """What comes of something that somebody adds to the documents: first that it is read."""

    id: str
    person: str
    """Who adds it, as `IncomingMessage.author`."""
    thread: str = ""
    """Where in a channel it is said."""
    text: str
    small: str = ""
    """In small print."""
    document: str = ""
    """Its id, where it can be taken back."""
    back: str = ""
    """What the button says that takes it back."""

    @property
    def key(self) -> str:
        return f"adding:{self.id}"


Announcement = HandoffNotice | Digest | AutoLimitNotice | IndexingNotice | SharedAnswer | UploadStatus
"""What is posted once, and is no reply."""
