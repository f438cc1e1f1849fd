"""Posts of the bot: replies, handoffs, subscriptions and announcements."""

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

# --- Posts ----------------------------------------------------------------------------------------


class OutgoingPost(Value):
    """A post with its delivery state: after a crash it is completed, not repeated."""

    attempt: int = 1
    last: bool = False
    """True where it is given up after this attempt."""
    posting_since: datetime | None = None
    """Time when the intent to post was recorded: something may already be visible."""
    reference: str = ""
    """The platform's id of the post, once known."""
    language: str = "en"
    """Language of our own words in it."""

    @property
    @abstractmethod
    def key(self) -> str:
        """Key by which it is found again."""

    @property
    @abstractmethod
    def platform(self) -> str:
        """Platform that it is posted on."""

    @property
    @abstractmethod
    def space(self) -> str:
        """The platform's workspace or server."""


# --- Replies and ratings --------------------------------------------------------------------------


class LeasedMessage(OutgoingPost):
    """A message that this process answers, with what is already known of its reply."""

    message: IncomingMessage
    crashed_last_attempt: bool = False
    """True where the last attempt ended the process as well: only an apology is left."""
    answer: Answer | None = None
    """An answer saved before a crash: deliver it, do not compute it again."""
    is_late: bool = False
    """True where the message was too old when its turn came."""
    has_more: bool = True
    """True where other messages may wait to be leased."""

    @property
    def key(self) -> str:
        """Key of the message."""
        return self.message.key

    @property
    def platform(self) -> str:
        """Platform of the conversation."""
        return self.message.conversation.platform

    @property
    def space(self) -> str:
        """Workspace or server of the conversation."""
        return self.message.conversation.space


class Vote(StrEnum):
    """A person's judgement of an answer."""

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
    """A person's rating of an answer."""

    answer_id: str
    person: str
    vote: Vote
    reason: RatingReason | None = None
    comment: str = ""
    role: Role | None = None
    """Their highest role, where the bot learns from ratings."""


# --- Subscriptions --------------------------------------------------------------------------------

NO_MESSAGE = "0"
"""Id of a message that refers to none."""


class AnswerSubscription(Value):
    """A person's wish to be notified once their question can be answered."""

    id: str
    answer_id: str
    """Id of the answer that did not help."""
    person: str
    """Subscriber, as `IncomingMessage.author`."""
    author: str | None = None
    """Author of the question, set by the store: anybody may subscribe."""
    question: str
    """The question, complete by itself."""
    origin: ConversationId
    """Conversation of the notification: that of the answer, or direct messages where only one person saw the answer."""
    message: str = ""
    """The platform's id of that answer; empty where the notification stands apart from it."""
    said_in: tuple[PlaceId, ...] = ()
    external: bool = False
    language: str = "en"
    rated: tuple[str, ...] = ()
    """Ids of the passages that the answer cites, where its sentences were wrong."""

    @property
    def is_in_group(self) -> bool:
        """True where others read the notification."""
        return bool(self.message) and any(place.channel for place in self.said_in)

    @property
    def place(self) -> MessageKey:
        """Logical identity of the message that asks the question again."""
        conversation, message = self.origin, f"wish-{self.id}"
        return MessageKey(
            platform=conversation.platform, space=conversation.space, channel=conversation.channel, message=message
        )

    @property
    def key(self) -> str:
        """Key of that message."""
        return str(self.place)

    def to_message(self, at: datetime) -> IncomingMessage:
        """Return a message that asks the question again."""
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
    """The immediate reply to a person who subscribes."""

    reply: str
    subscription_id: str = ""
    """Id of a subscription that can be cancelled; empty where there is none."""


# --- Handoffs -------------------------------------------------------------------------------------


class AnswerInteraction(Value):
    """A press of a button under an answer that did not help."""

    answer_id: str
    person: str
    chain: tuple[PlaceId, ...] = ()
    """Places of the interaction, the widest first; none in a direct message of no server."""
    origin: ConversationId
    """Conversation of the answer."""
    message: str = ""
    """The platform's id of that answer."""
    private: bool = False
    """True where only the person saw it."""
    external: bool = False
    """True where the person is of another organisation."""


class Handoff(Value):
    """One question that is handed to people, at most once for each answer."""

    id: str
    answer_id: str
    asker: str
    """Person who wanted it, as `IncomingMessage.author`."""
    author: str | None = None
    """Author of the question, set by the store: anybody may hand it over."""
    question: str
    target: PlaceId
    """Channel that is asked, as `PlaceSettings.ask`."""
    origin: ConversationId
    """Conversation of the answer that did not help."""
    message: str = ""
    """The platform's id of that answer."""
    private: bool = False
    """True where only the asker saw it: they are notified alone, and nothing links back to it."""


class NoticeKind(StrEnum):
    """The kind of a handoff notice."""

    ASKED = "asked"
    """To people: the question."""
    RESOLVED = "resolved"
    """To the asker: the reply."""
    UNDELIVERED = "undelivered"
    """To the asker: the question could not be posted."""


class HandoffNotice(OutgoingPost):
    """A notice about a handoff, in the language of the asker."""

    about: NoticeKind
    handoff: Handoff
    answer: Answer | None = None
    """The answer that did not help, as far as those who are asked may see it."""
    resolver: str = ""
    """Name of the person who resolved it."""
    reply: str = ""
    """Their reply; may be empty."""

    @property
    def key(self) -> str:
        """Key of the kind and the handoff."""
        return f"{self.about}:{self.handoff.id}"

    @property
    def platform(self) -> str:
        """Platform of the destination."""
        return self.destination.platform

    @property
    def space(self) -> str:
        """Workspace or server of the destination."""
        return self.handoff.target.space if self.about is NoticeKind.ASKED else self.handoff.origin.space

    @property
    def destination(self) -> PlaceId | ConversationId | PersonId:
        """Channel that is asked; for the asker the conversation, or the person alone."""
        if self.about is NoticeKind.ASKED:
            return self.handoff.target
        return PersonId.parse(self.handoff.asker) if self.handoff.private else self.handoff.origin


# --- Announcements --------------------------------------------------------------------------------


class AddressedPost(OutgoingPost):
    """A post to a channel or a person that did not ask for it."""

    to: str
    """A channel (`slack:T1:C2`, `discord:1:2`) or a person (`slack:T1:U3`, `discord:user:3`)."""

    @property
    def platform(self) -> str:
        """Platform of the recipient."""
        return split_id(self.to)[0]

    @property
    def space(self) -> str:
        """Workspace or server of the recipient; `user` for a person on Discord."""
        return split_id(self.to)[1]


class Digest(AddressedPost):
    """The digest of one week, posted once."""

    week: str
    """ISO 8601 week: `2026-W47`."""
    insights: Insights | None = None
    """Insights, limited to what its readers may see."""

    @property
    def key(self) -> str:
        """Key of the week."""
        return f"digest:{self.week}"

    @property
    def marker(self) -> str:
        """Text by which it is found again where nothing else marks it."""
        return self.week


class AutoLimitNotice(AddressedPost):
    """The notice that a place has had all unprompted answers of an hour; posted once a day."""

    day: str
    """`2026-11-27`"""
    place: PlaceId
    per_hour: int = 0
    """Number of unprompted answers in an hour, as far as it is known."""

    @property
    def key(self) -> str:
        """Key of the day and the place."""
        return f"spent:{self.day}:{self.place}"

    @property
    def marker(self) -> str:
        """Text by which it is found again where nothing else marks it."""
        return f"{self.day} · {self.place}"


class IndexingNotice(AddressedPost):
    """The notice in a channel, posted once, that it is indexed as a source."""

    days: int = 0
    """Days that messages are kept."""

    @property
    def key(self) -> str:
        """Key of the channel."""
        return f"source:{self.to}"


class SharedAnswer(AddressedPost):
    """An answer that one person saw, shared with everyone in a channel, in that person's language."""

    answer_id: str
    person: str
    """Person who shares it, as `IncomingMessage.author`."""
    name: str
    """Display name of that person."""
    answer: Answer | None = None
    """The answer, if everyone there may see it."""

    @property
    def key(self) -> str:
        """Key of the answer and the channel."""
        return f"share:{self.answer_id}:{self.to}"


class UploadStatus(AddressedPost):
    """The progress of an upload to the documents."""

    id: str
    person: str
    """Person who adds it, as `IncomingMessage.author`."""
    thread: str = ""
    """Thread of a channel that it is posted in."""
    text: str
    small: str = ""
    """Text in small print."""
    document: str = ""
    """Id of the document, where it can be removed again."""
    back: str = ""
    """Label of the button that removes it."""

    @property
    def key(self) -> str:
        """Key of the upload."""
        return f"adding:{self.id}"


Announcement = HandoffNotice | Digest | AutoLimitNotice | IndexingNotice | SharedAnswer | UploadStatus
"""A post that is made once, and is no reply."""
