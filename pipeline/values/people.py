"""Who asks, where, and what was said before; what people say in channels that are read as a source; who may change
things."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import ConfigDict, Field

from pipeline.values.base import Value, replace
from pipeline.values.ids import ConversationId, MessageKey, PersonId, PlaceId

OFF_RECORD_TAG = "#offrecord"
"""The word that keeps a message from being read."""


class Attachment(Value):
    """A file that came with a question."""

    id: str = ""
    """The platform's."""
    name: str
    media_type: str = ""
    size: int = 0
    url: str = ""


class MessageTrigger(StrEnum):
    """How the bot was addressed."""

    MENTION = "mention"
    DIRECT = "direct"
    THREAD = "thread"
    """In reply to something it said."""
    COMMAND = "command"
    OVERHEARD = "overheard"
    """Not at all: said among people, in a conversation that it takes part in."""
    AWAITED = "awaited"
    """Not now: somebody wanted to be told once it can be answered."""

    @property
    def is_background(self) -> bool:
        """Nobody waits for a reply now: the work does not show, and where nothing is worth saying nothing is said."""
        return self in (MessageTrigger.OVERHEARD, MessageTrigger.AWAITED)


class IncomingMessage(Value):
    """One message addressed to the bot, the same from every platform."""

    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)

    place: MessageKey = Field(validation_alias="key", serialization_alias="key")
    """Where it was said; `key` in what is stored and what its asker is given out."""
    conversation: ConversationId
    asker: PersonId = Field(validation_alias="author", serialization_alias="author")
    """`author` there."""
    text: str
    pointed: str = ""
    """The words of another message that it passes on, where it has words of its own."""
    attachments: tuple[Attachment, ...] = ()
    sent_at: datetime
    manner: MessageTrigger
    external: bool = False
    """People outside the organisation can read the conversation (Slack Connect)."""
    event_id: str = ""
    """The platform's id of the delivery, kept for tracing; never used to tell messages apart."""
    locale: str = ""
    """The language that the asker chose on the platform, where the message tells: `de`, `es-419`."""
    said_in: tuple[PlaceId, ...] = ()
    """The places that it was said in, the widest first; none for a direct message of no server."""
    reply_to: str = ""
    """For commands: the short-lived address of the private reply (response URL, interaction token)."""
    action_token: str = ""
    """Lets the bot search on the platform for whoever said it, for some minutes."""
    below: str = ""
    """For what is awaited: the platform's id of the message that the reply refers to; "0" for none."""

    @property
    def key(self) -> str:
        """As text."""
        return str(self.place)

    @property
    def author(self) -> str:
        return str(self.asker)

    @property
    def starts_conversation(self) -> bool:
        """It begins a conversation: the first message of a thread, of a post, or one in a channel."""
        return self.place.message in (self.conversation.thread, self.conversation.channel)


class Readers(Value):
    """Who will read the reply, told by the groups that every single reader belongs to."""

    groups: frozenset[str]
    """Such as `slack:T1`, `slack:T1:C2` (a channel), `slack:T1:U3` (one person), `discord:G1:role:R4` (a role)."""
    external: bool = False


class Audience(Value):
    """The collections that everyone who will read the reply may see."""

    collections: frozenset[str]
    """Those that hold documents."""
    external: bool = False
    """Somebody of them is outside the organisation, and sees public collections only."""


class AnswerStyle(StrEnum):
    """How much is said."""

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
"""The choice that is none."""


class Preferences(Value):
    """What one person chose; None leaves the operator's setting in force."""

    style: AnswerStyle | None = None
    citations: CitationStyle | None = None
    language: str | None = None

    def with_choices(self, choices: Mapping[str, str]) -> Preferences:
        """The same with other choices, by field; AS_SET leaves the operator's setting in force. Raises ValueError."""
        changes = {name: None if value == USE_DEFAULT else value for name, value in choices.items()}
        return self.model_validate(self.model_dump() | changes)


class ThreadContext(Value):
    """What people said around a message in its very thread, looked up while it is answered and kept nowhere."""

    replied_to: str = ""
    """What it replies to."""
    messages: tuple[str, ...] = ()
    """What began the thread and what was said last, oldest first; of the bot and of other bots nothing."""


class Turn(Value):
    """One question of a conversation with the answer given."""

    question: str
    answer: str
    """The body that was shown."""
    said: str = ""
    """Its sentences, without the marks and references of the body."""
    items: tuple[str, ...] = ()
    """The items and steps among them: `the second one` is `items[1]`."""
    chunk_ids: tuple[str, ...] = ()
    asked_at: datetime
    standalone: str = ""
    """The question as completed from the conversation; empty when it stood alone."""
    topic: str = ""
    """The earlier question that it leaned on; empty when it stood alone."""
    author: str = ""

    @property
    def text(self) -> str:
        """What was answered, to be read: the sentences where they were kept, else the body."""
        return self.said or self.answer

    @property
    def question_only(self) -> Turn:
        """The question alone."""
        return replace(self, answer="", said="", items=(), chunk_ids=())


class Conversation(Value):
    id: ConversationId
    turns: tuple[Turn, ...] = ()
    """Oldest first."""
    around: ThreadContext = ThreadContext()


class ChannelMessage(Value):
    """One message of a person, in a channel that is read."""

    channel: PlaceId
    thread: str
    """The message that its thread begins with; itself where it begins one or stands alone."""
    message: str
    author: str
    """The `PersonId` as text."""
    name: str = ""
    """What its author is called there."""
    at: datetime
    edited: datetime | None = None
    """When it was edited last: an event that comes late tells an earlier text."""
    text: str
    url: str = ""
    """Where it is read; empty where the platform did not say."""
    title: str = ""
    """Of the forum's post or the thread that it was said in."""
    files: tuple[Attachment, ...] = ()
    accepted: bool = False
    """It was marked as what solved it, or its thread was."""


class HistoryPage(Value):
    """A part of a channel's history, read in one go."""

    messages: tuple[ChannelMessage, ...]
    next_cursor: str
    """Where the next one begins, in the platform's own words; empty once all is read."""
    channel_name: str = ""
    """What the channel is called."""
    created_at: datetime
    """When it was made."""


class ChannelSyncState(Value):
    """How far a channel is read."""

    name: str = ""
    position: str = ""
    """As in `Stretch`."""
    begun: datetime
    """When reading the history began."""
    read: int = 0
    """Messages that were taken in from it."""
    back_to: datetime | None = None
    """The oldest that was seen so far."""
    since: datetime | None = None
    """When the channel was made."""
    complete: datetime | None = None
    """When all of it was read; None while it is not."""
    closed: bool = False
    """It could not be read: nothing of it is kept."""

    def remaining_time(self, now: datetime) -> timedelta | None:
        """How long reading the rest takes, if people wrote as much then as since; None where that cannot be told."""
        if self.back_to is None or self.since is None or not self.back_to < self.begun:
            return None
        return (now - self.begun) * ((self.back_to - self.since) / (self.begun - self.back_to))


class ConversationSummary(Value):
    """One conversation, as a list names it."""

    conversation: ConversationId
    question: str
    """The first of it that is kept."""
    at: datetime
    """When something was last asked there."""


class ExchangeStatus(StrEnum):
    WAITING = "waiting"
    ANSWERED = "answered"
    FAILED = "failed"
    """It came to an end without an answer."""


class HandoffResult(Value):
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
    status: ExchangeStatus
    answer_id: str = ""
    handoff: HandoffResult | None = None


class ExchangePage(Value):
    """Exchanges of a conversation that follow on each other."""

    exchanges: tuple[Exchange, ...]
    start: int
    """The place of the first in the conversation; 0-based."""
    total: int
    """How many the conversation has."""


# --- Who may change things, and what was done or tried --------------------------------------------


class Role(StrEnum):
    """What the operator lets people do; each role may all that the ones after it may."""

    ADMIN = "admin"
    CONTRIBUTOR = "contributor"


class Action(StrEnum):
    """What changes knowledge or settings, or shows what is kept about others."""

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
    """Who wants to do something, as the platform vouches for them: never from a name that people choose."""

    person: str
    """As `IncomingMessage.author`."""
    groups: frozenset[str] = frozenset()
    """What a role may be given to: `slack:T1:U3`, `slack:T1:group:S5`, `discord:user:3`, `discord:1:role:4`."""


class AuditEntry(Value):
    """A row of the audit. It names people, places and collections; no question, answer or document."""

    at: datetime
    actor: str
    action: Action
    subject: str = ""
    """What it was about: a place, a collection, an answer's id, a person."""
    allowed: bool
