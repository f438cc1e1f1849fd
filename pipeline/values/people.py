"""People, their messages and conversations, channels that are indexed, and permissions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import ConfigDict, Field

from pipeline.values.base import Value, replace
from pipeline.values.ids import ConversationId, MessageKey, PersonId, PlaceId

OFF_RECORD_TAG = "#offrecord"
"""Word that keeps a message from being indexed."""


class Attachment(Value):
    """A file that came with a message."""

    id: str = ""
    """Id on the platform."""
    name: str
    media_type: str = ""
    size: int = 0
    url: str = ""


class MessageTrigger(StrEnum):
    """How the bot was addressed."""

    MENTION = "mention"
    DIRECT = "direct"
    THREAD = "thread"
    """A reply to something that the bot said."""
    COMMAND = "command"
    OVERHEARD = "overheard"
    """Not addressed: said among people, in a conversation that the bot takes part in."""
    AWAITED = "awaited"
    """A subscription that is due: nobody addresses the bot now."""

    @property
    def is_background(self) -> bool:
        """True where nobody waits for a reply: the work does not show, and without a worthwhile answer nothing is
        said."""
        return self in (MessageTrigger.OVERHEARD, MessageTrigger.AWAITED)


class IncomingMessage(Value):
    """One message addressed to the bot, the same for every platform."""

    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)

    place: MessageKey = Field(validation_alias="key", serialization_alias="key")
    """Key of the message; `key` in stored data and in exports."""
    conversation: ConversationId
    asker: PersonId = Field(validation_alias="author", serialization_alias="author")
    """Author of the message; `author` in stored data and in exports."""
    text: str
    pointed: str = ""
    """Text of another message that this one refers to, where it has text of its own."""
    attachments: tuple[Attachment, ...] = ()
    sent_at: datetime
    manner: MessageTrigger
    external: bool = False
    """True where people outside the organisation can read the conversation (Slack Connect)."""
    event_id: str = ""
    """The platform's id of the delivery, kept for tracing; never used to tell messages apart."""
    locale: str = ""
    """Language that the asker chose on the platform, where the message has it: `de`, `es-419`."""
    said_in: tuple[PlaceId, ...] = ()
    """Places of the message, the widest first; none for a direct message of no server."""
    reply_to: str = ""
    """Short-lived address of the private reply to a command (response URL, interaction token)."""
    action_token: str = ""
    """Token that lets the bot search on the platform for the author, for some minutes."""
    below: str = ""
    """For a subscription: the platform's id of the message that the reply refers to; "0" for none."""

    @property
    def key(self) -> str:
        """Key as text."""
        return str(self.place)

    @property
    def author(self) -> str:
        """Author as text."""
        return str(self.asker)

    @property
    def starts_conversation(self) -> bool:
        """True for the first message of a thread or a post, and for a message in a channel."""
        return self.place.message in (self.conversation.thread, self.conversation.channel)


class Readers(Value):
    """Readers of a reply, described by the groups that every single reader belongs to."""

    groups: frozenset[str]
    """Groups such as `slack:T1`, `slack:T1:C2` (a channel), `slack:T1:U3` (one person), `discord:G1:role:R4` (a
    role)."""
    external: bool = False


class Audience(Value):
    """The collections that all readers of a reply may see."""

    collections: frozenset[str]
    """Collections that hold documents."""
    external: bool = False
    """True where a reader is outside the organisation, and sees public collections only."""


class AnswerStyle(StrEnum):
    """How much an answer says."""

    CONCISE = "concise"
    DETAILED = "detailed"
    BULLET = "bullet"


class CitationStyle(StrEnum):
    """How citations are marked in the text."""

    NUMBERED = "numbered"
    INLINE = "inline"
    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"


USE_DEFAULT = "default"
"""Choice that leaves the default in force."""


class Preferences(Value):
    """Choices of one person; None leaves the operator's setting in force."""

    style: AnswerStyle | None = None
    citations: CitationStyle | None = None
    language: str | None = None

    def with_choices(self, choices: Mapping[str, str]) -> Preferences:
        """Return these preferences with other choices, by field; `USE_DEFAULT` leaves the operator's setting in force.
        Raises ValueError."""
        changes = {name: None if value == USE_DEFAULT else value for name, value in choices.items()}
        return self.model_validate(self.model_dump() | changes)


class ThreadContext(Value):
    """Messages around a message in its thread, read while it is answered and kept nowhere."""

    replied_to: str = ""
    """Text of the message that it replies to."""
    messages: tuple[str, ...] = ()
    """First message of the thread and the latest ones, oldest first; without messages of bots."""


class Turn(Value):
    """One question of a conversation with its answer."""

    question: str
    answer: str
    """Body that was shown."""
    said: str = ""
    """Sentences of the answer, without the marks and references of the body."""
    items: tuple[str, ...] = ()
    """Items and steps among the sentences: `the second one` is `items[1]`."""
    chunk_ids: tuple[str, ...] = ()
    asked_at: datetime
    standalone: str = ""
    """Question as completed from the conversation; empty when it stood alone."""
    topic: str = ""
    """The earlier question that it leaned on; empty when it stood alone."""
    author: str = ""

    @property
    def text(self) -> str:
        """Answer as readable text: the sentences where they were kept, else the body."""
        return self.said or self.answer

    @property
    def question_only(self) -> Turn:
        """The turn without its answer."""
        return replace(self, answer="", said="", items=(), chunk_ids=())


class Conversation(Value):
    """The latest turns of a conversation."""

    id: ConversationId
    turns: tuple[Turn, ...] = ()
    """Turns, oldest first."""
    around: ThreadContext = ThreadContext()


class ChannelMessage(Value):
    """One message of a person, in a channel that is indexed."""

    channel: PlaceId
    thread: str
    """Id of the message that begins its thread; its own where it begins one or stands alone."""
    message: str
    author: str
    """`PersonId` as text."""
    name: str = ""
    """Display name of the author."""
    at: datetime
    edited: datetime | None = None
    """Time of the last edit: an event that comes late has an earlier text."""
    text: str
    url: str = ""
    """Address that opens the message; empty where the platform did not say."""
    title: str = ""
    """Title of its forum post or thread."""
    files: tuple[Attachment, ...] = ()
    accepted: bool = False
    """True where the message, or its thread, was marked as the solution."""


class HistoryPage(Value):
    """One page of a channel's history."""

    messages: tuple[ChannelMessage, ...]
    next_cursor: str
    """Cursor of the next page, in the platform's own form; empty once all is read."""
    channel_name: str = ""
    """Name of the channel."""
    created_at: datetime
    """Time when the channel was created."""


class ChannelSyncState(Value):
    """How far a channel's history is read."""

    name: str = ""
    position: str = ""
    """`HistoryPage.next_cursor` of the page read last."""
    begun: datetime
    """Time when reading the history began."""
    read: int = 0
    """Number of messages that were indexed from it."""
    back_to: datetime | None = None
    """Time of the oldest message read so far."""
    since: datetime | None = None
    """Time when the channel was created."""
    complete: datetime | None = None
    """Time when all of it was read; None while it is not."""
    closed: bool = False
    """True where it could not be read: nothing of it is kept."""

    def remaining_time(self, now: datetime) -> timedelta | None:
        """Estimate how long reading the rest takes, if people wrote as much before as since; None where there is too
        little to go by."""
        if self.back_to is None or self.since is None or not self.back_to < self.begun:
            return None
        return (now - self.begun) * ((self.back_to - self.since) / (self.begun - self.back_to))


class ConversationSummary(Value):
    """One conversation, as a list shows it."""

    conversation: ConversationId
    question: str
    """Its first question that is kept."""
    at: datetime
    """Time of its latest question."""


class ExchangeStatus(StrEnum):
    """The state of a question."""

    WAITING = "waiting"
    ANSWERED = "answered"
    FAILED = "failed"
    """Ended without an answer."""


class HandoffResult(Value):
    """The state of a handoff, for the person who asked."""

    replied: bool
    by: str = ""
    reply: str = ""
    """Text of the reply; may be empty."""


class Exchange(Value):
    """A question, and what became of it."""

    key: str
    """Key of its message."""
    question: str
    at: datetime
    status: ExchangeStatus
    answer_id: str = ""
    handoff: HandoffResult | None = None


class ExchangePage(Value):
    """Consecutive exchanges of a conversation."""

    exchanges: tuple[Exchange, ...]
    start: int
    """Place of the first exchange in the conversation; 0-based."""
    total: int
    """Number of exchanges in the conversation."""


# --- Roles, actions and the audit -----------------------------------------------------------------


class Role(StrEnum):
    """A role that the operator gives to people; each role includes the ones after it."""

    ADMIN = "admin"
    CONTRIBUTOR = "contributor"


class Action(StrEnum):
    """An action that changes knowledge or settings, or shows what is kept about others."""

    SET_UP = "set up a place"
    TEACH = "keep an answer"
    ADD = "add a document"
    TAKE_BACK = "take back a document"
    TAKE_BACK_OTHERS = "take back another's document"
    INDEX = "index documents"
    REMOVE = "remove documents"
    READ_RATINGS = "read ratings"
    READ_INSIGHTS = "read insights"
    READ_PERSON = "read what is kept about a person"
    MAKE_KEY = "make a key"
    REVOKE_KEY = "revoke a key"
    ERASE_PERSON = "erase what is kept about a person"


class Actor(Value):
    """The person who wants to do something, as the platform vouches for them: never from a name that people choose."""

    person: str
    """Id as in `IncomingMessage.author`."""
    groups: frozenset[str] = frozenset()
    """Names that a role may be given to: `slack:T1:U3`, `slack:T1:group:S5`, `discord:user:3`, `discord:1:role:4`."""


class AuditEntry(Value):
    """A row of the audit. It names people, places and collections; no question, answer or document."""

    at: datetime
    actor: str
    action: Action
    subject: str = ""
    """Object of the action: a place, a collection, an answer's id, a person."""
    allowed: bool
