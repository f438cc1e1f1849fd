"""What people do where they chat: a platform tells it as one of these values, and what follows is done here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol, runtime_checkable

import structlog

from adapters.chat.words.handoff import UnsentReply, build_unsent_reply
from pipeline.auto_answers import is_open_question
from pipeline.errors import Busy, Refused
from pipeline.ports import BotServices, Inbox
from pipeline.rules.place_settings import is_auto_answerable, is_listening
from pipeline.values import (
    ChannelMessage,
    ConversationId,
    IncomingMessage,
    MessageKey,
    MessageTrigger,
    PlaceId,
    PlaceSettings,
    Value,
    replace,
)
from pipeline.words import wording
from pipeline.words.language import choose_words, detect_supported_language

MAX_EDIT_AGE = timedelta(days=1)
"""How old a message may be that is for us since it was edited: what was asked before is known for longer."""
MAX_REPORTED_APPS = 100
"""Programs that are told of at most."""

log = structlog.get_logger(__name__)

# --- What happens ------------------------------------------------------------------------------


class QuestionCandidate(Value):
    """A message that may be for us: one that was overheard only if we have answered in its conversation, or it begins
    one where that is wanted."""

    message: IncomingMessage
    thread_conversation: ConversationId | None = None
    """Its conversation where answers go into threads of their own; None where that makes no difference."""
    replied_question: str = ""
    """The key of the question whose answer it replies to: in that one's conversation, where that is known."""


class PersonMessage(Value):
    """What a person said, whoever it was for."""

    key: MessageKey
    author: str
    text: str
    reply_targets: tuple[str, ...] = ()
    """The keys of the messages that it may reply to."""
    is_for_bot: bool = False
    """It is for us, too, and not only a reply to something of ours."""


class ChatEventBase(Value):
    """Something that was done in a place."""

    said_in: tuple[PlaceId, ...]
    """The places where it happened, the widest first; none in a direct message of no server."""
    is_shared: bool = False
    """Other organisations write there, too, so that it is no source."""


class MessagePosted(ChatEventBase):
    """Somebody or something wrote a message."""

    key: MessageKey
    person_message: PersonMessage | None = None
    question: QuestionCandidate | None = None
    is_edited: bool = False
    """It is not as it was first written."""


class MessageEdited(ChatEventBase):
    """A message was edited, or Slack or Discord added something to it."""

    key: MessageKey
    text: str | None = None
    """What its author says now; None where nothing of that has changed."""
    question: QuestionCandidate | None = None
    """The message as it is now, if it may be for us."""


class MessageDeleted(ChatEventBase):
    key: MessageKey


class ReactionChanged(ChatEventBase):
    """Somebody marked a message as what solved it or as what is to be kept out, or took that back."""

    key: MessageKey


class ChannelClosed(ChatEventBase):
    """A channel, or a `thread` in it, is gone, or we are not in it any more."""

    thread: str = ""


class AppMentioned(ChatEventBase):
    """A program mentions us that may not ask."""

    app: str
    allow_setting: str = ""
    """The setting that lets it, where there is one."""


class StopRequested(Value):
    """Somebody does not want the answer that is being written there."""

    conversation: ConversationId


class BotRemoved(Value):
    """We were removed from a workspace or server."""

    space: PlaceId


ChatEvent = (
    MessagePosted
    | MessageEdited
    | MessageDeleted
    | ReactionChanged
    | ChannelClosed
    | AppMentioned
    | StopRequested
    | BotRemoved
)

# --- What it needs -----------------------------------------------------------------------------

MessageLoader = Callable[[PlaceId], Awaitable[ChannelMessage | None]]
"""What a person says to people in the message that it is about, as it is now, in a channel that is a source; None of
what nobody is to read there. Raises Unavailable, and Refused where it is not to be seen."""
NotifyAuthor = Callable[[str], Awaitable[None]]
"""Tells whoever said something; nothing depends on it."""


class ReplyRegistry(Protocol):
    """Those that are being written, and those that were."""

    def has_pending_reply(self, conversation: ConversationId) -> bool:
        """Whether a reply of ours is on its way to it, which the inbox will know of in a moment."""
        ...

    async def delete_reply(self, channel: str, reply: str) -> None:
        """Delete the reply of that name; nothing depends on it."""
        ...


@runtime_checkable
class SupportsReplyStop(Protocol):
    """Where a reply can be ended while it is written."""

    def stop(self, conversation: ConversationId) -> bool:
        """End the reply that is being written there; False where there is none here."""
        ...


class Notifier(Protocol):
    """How whoever said something is told something, alone where that can be; nothing depends on it."""

    async def notify(self, message: IncomingMessage, text: str) -> None: ...

    async def offer_handoff_reply(self, remark: PersonMessage, unsent: UnsentReply) -> None:
        """The same with what they can press."""
        ...


# --- What follows ------------------------------------------------------------------------------


class QuestionIntake:
    """Questions, into the inbox. All raise Unavailable while the inbox is; they may be tried again then."""

    def __init__(
        self,
        inbox: Inbox,
        desk: BotServices,
        appearing: Callable[[ConversationId], bool],
        *,
        shared_channels: bool = True,
        threads: bool = False,
    ) -> None:
        """`appearing`: as `Replies.takes_part`. `shared_channels`: also where other organisations read along.
        `threads`: answers go into threads of their own where nothing else is set."""
        self._inbox = inbox
        self._desk = desk
        self._appearing = appearing
        self._shared_channels = shared_channels
        self._threads = threads
        self._waiting: dict[str, str] = {}
        """Of each channel the last question that waits for a person's answer, which may be just the next message in the
        channel, as far as this process heard it."""

    def pending_question(self, channel: str) -> tuple[str, ...]:
        """The key of what the next thing that is said there, in reply to nothing, may answer."""
        return (self._waiting[channel],) if channel in self._waiting else ()

    async def accept(self, asked: QuestionCandidate, tell: NotifyAuthor, *, edited: bool = False) -> bool:
        """Whether it is for us and was not known as that. Where too much waits already, it is not kept.

        `edited`: as `MessagePosted.edited`."""
        message = asked.message
        place = await self._desk.places.effective_settings(message.said_in)
        if not is_listening(message, place):
            return False
        message = await self._in_its_conversation(asked, place)
        if not await self._is_ours(message, place):
            return False
        overheard = message.manner is MessageTrigger.OVERHEARD
        wait = place.auto_wait if overheard and is_auto_answerable(message, place) else 0
        try:
            new = await self._inbox.accept(message, after=wait or 0)
        except Busy as busy:
            if busy.first and not overheard:
                await tell(choose_words(None, (detect_supported_language(message.text),))(wording.BOT_BUSY))
            return True
        if wait and new and is_open_question(message.text):
            self._waiting[message.place.channel] = message.key
        if edited and not new:
            await self._inbox.amend(message.key, message.text)
        return new

    async def apply_edit(self, key: str, text: str, now: QuestionCandidate | None, tell: NotifyAuthor) -> None:
        """A message was edited: the question changes if it is not answered yet. What is for us only `now` is new."""
        recent = now is not None and datetime.now(UTC) - now.message.sent_at <= MAX_EDIT_AGE
        if not (now and recent and await self.accept(now, tell)):
            await self._inbox.amend(key, text)

    async def _in_its_conversation(self, asked: QuestionCandidate, place: PlaceSettings) -> IncomingMessage:
        threads = self._threads if place.threads is None else place.threads
        where = asked.thread_conversation if threads else None
        if asked.replied_question:
            where = await self._inbox.find_conversation(asked.replied_question) or where
        return replace(asked.message, conversation=where) if where else asked.message

    async def _is_ours(self, message: IncomingMessage, place: PlaceSettings) -> bool:
        """Whether a message is addressed to us, goes on with something we have answered, or may be answered unasked."""
        if message.manner is not MessageTrigger.OVERHEARD:
            return True
        if message.external and not self._shared_channels:
            return False
        if message.starts_conversation:
            return is_auto_answerable(message, place)
        conversation = message.conversation
        return self._appearing(conversation) or await self._inbox.is_participant(conversation, message.sent_at)


class ChatEventHandler:
    """What one connection hears."""

    def __init__(
        self,
        inbox: Inbox,
        desk: BotServices,
        replies: ReplyRegistry,
        tells: Notifier,
        *,
        shared_channels: bool = True,
        threads: bool = False,
    ) -> None:
        """As `QuestionIntake`."""
        self._inbox = inbox
        self._desk = desk
        self._replies = replies
        self._tells = tells
        self._intake = QuestionIntake(
            inbox, desk, replies.has_pending_reply, shared_channels=shared_channels, threads=threads
        )
        self._told: set[tuple[MessageKey, str]] = set()
        self._programs: set[str] = set()

    async def handle(self, happened: ChatEvent, look: MessageLoader | None = None) -> None:
        """Returns once all is durable that follows, and tells people last. Raises Unavailable while something cannot be
        kept; it is heard again then. Without `look`, nobody reads it as a source."""
        if not isinstance(happened, StopRequested | BotRemoved) and (
            channel := await self._desk.channels.find_indexed(happened.said_in)
        ):
            await self._follow(channel, happened, look)
        match happened:
            case MessagePosted():
                await self._spoke(happened)
            case MessageEdited(key=key, text=text, question=asked) if text is not None:
                await self._intake.apply_edit(str(key), text, asked, self._tell(asked))
            case MessageDeleted(key=key, said_in=said_in):
                await self._deleted(key, said_in)
            case AppMentioned(app=app, allow_setting=allow):
                self._tell_of(app, allow)
            case StopRequested(conversation=conversation):
                if not (isinstance(self._replies, SupportsReplyStop) and self._replies.stop(conversation)):
                    await self._inbox.stop(conversation)
            case BotRemoved(space=space):
                await self._inbox.erase_space(space)

    async def _follow(self, channel: PlaceId, happened: ChatEventBase, look: MessageLoader | None) -> None:
        """What people say in `channel` is a source."""
        channels = self._desk.channels
        match happened:
            case ChatEventBase(is_shared=True) | ChannelClosed(thread=""):
                await channels.remove_channel(channel)
            case ChannelClosed(thread=thread):
                await channels.remove_thread(channel, thread)
            case MessageDeleted(key=key):
                await channels.remove_messages(channel, [key.message], deleted=True)
            case MessagePosted(key=key) | MessageEdited(key=key) | ReactionChanged(key=key) if look:
                try:
                    said = await look(channel)
                except Refused:
                    return
                if said:
                    await channels.save_messages([said], fresh=not isinstance(happened, MessagePosted))
                else:
                    await channels.remove_messages(channel, [key.message])

    async def _spoke(self, spoke: MessagePosted) -> None:
        """Who replies where people were asked speaks to them or to the asker, unless it names us."""
        remark, asked = spoke.person_message, spoke.question
        notices = await self._answers(remark) if remark else {}
        if asked and not (notices and remark and not remark.is_for_bot):
            await self._intake.accept(asked, self._tell(asked), edited=spoke.is_edited)
        if remark:
            await self._offer(remark, notices)

    async def _answers(self, remark: PersonMessage) -> dict[MessageKey, PlaceId]:
        """A person said something: a question that waited may be answered, though not by another question. The
        messages that ask people to which it replies, each with where it does."""
        for key in (
            ()
            if is_open_question(remark.text)
            else remark.reply_targets or self._intake.pending_question(remark.key.channel)
        ):
            await self._inbox.drop_if_replied(key, remark.author)
        waiting = {key: await self._desk.handoffs.find_open(key) for key in map(MessageKey.parse, remark.reply_targets)}
        return {key: handoff.target for key, handoff in waiting.items() if handoff}

    async def _offer(self, remark: PersonMessage, notices: dict[MessageKey, PlaceId]) -> None:
        """Who replies where people were asked is offered to send that to the asker; who asks something there, or writes
        nothing that can be read, is told, once, how the asker hears of a reply."""
        sendable = bool(remark.text.strip()) and not is_open_question(remark.text)
        for notice, target in notices.items():
            if sendable or (notice, remark.author) not in self._told:
                words = await self._desk.translator_for(remark.author, text=remark.text)
                keep = await self._desk.handoffs.can_keep_replies(target)
                await self._tells.offer_handoff_reply(
                    remark, build_unsent_reply(notice, words, sendable=sendable, keep=keep)
                )
            if not sendable:
                self._told.add((notice, remark.author))

    async def _deleted(self, key: MessageKey, said_in: tuple[PlaceId, ...]) -> None:
        """Nothing is kept of a question that was deleted, and where that is wanted its answer goes first."""
        place = await self._desk.places.effective_settings(said_in)
        if place.retract and (reply := await self._inbox.posted_reference(str(key))):
            await self._replies.delete_reply(key.channel, reply)
        await self._inbox.cancel(str(key))

    def _tell_of(self, app: str, allow: str) -> None:
        """A program that mentions us and is not answered is told of once."""
        if app not in self._programs and len(self._programs) < MAX_REPORTED_APPS:
            self._programs.add(app)
            log.warning("app_not_answered", app=app, what_to_do=allow or "Nothing lets it ask: let a person.")

    def _tell(self, asked: QuestionCandidate | None) -> NotifyAuthor:
        return partial(self._tells.notify, asked.message) if asked else _nobody


async def _nobody(_: str) -> None:
    """There is nobody to be told."""
