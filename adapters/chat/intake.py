"""Chat events as values that every platform reports, and their handling: questions go into the inbox, messages into
sources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol, runtime_checkable

import structlog

from adapters.chat.words.handoff import UnsentReply, build_unsent_reply
from pipeline.auto_answers import looks_like_question
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
"""Age up to which a message becomes a question by being edited. The inbox knows earlier questions for longer."""
MAX_REPORTED_APPS = 100
"""Apps that are logged at most."""

log = structlog.get_logger(__name__)

# --- What happens ------------------------------------------------------------------------------


class QuestionCandidate(Value):
    """A message that may be a question for the bot. An overheard one is only if the bot has answered in its
    conversation, or if it opens one where unprompted answers are switched on."""

    message: IncomingMessage
    thread_conversation: ConversationId | None = None
    """The conversation where answers open threads of their own; None where that makes no difference."""
    replied_question: str = ""
    """The key of the question whose answer it replies to. It then belongs to that conversation, if known."""


class PersonMessage(Value):
    """A message that a person wrote, addressed to anyone."""

    key: MessageKey
    author: str
    text: str
    reply_targets: tuple[str, ...] = ()
    """The keys of the messages that it may reply to."""
    is_for_bot: bool = False
    """True where it addresses the bot explicitly, and is not only a reply to one of its messages."""


class ChatEventBase(Value):
    """Base of events with a place."""

    said_in: tuple[PlaceId, ...]
    """The places of the event, the widest first; empty in a direct message outside a server."""
    is_shared: bool = False
    """True where other organisations write there, too: such a channel is no source."""


class MessagePosted(ChatEventBase):
    """A person or an app wrote a message."""

    key: MessageKey
    person_message: PersonMessage | None = None
    question: QuestionCandidate | None = None
    is_edited: bool = False
    """True where it is not as first written."""


class MessageEdited(ChatEventBase):
    """A message was edited, or the platform added something to it."""

    key: MessageKey
    text: str | None = None
    """The author's text now; None where it did not change."""
    question: QuestionCandidate | None = None
    """The message now, if it may be a question for the bot."""


class MessageDeleted(ChatEventBase):
    key: MessageKey


class ReactionChanged(ChatEventBase):
    """Somebody marked a message as the solution or as off the record, or removed that mark."""

    key: MessageKey


class ChannelClosed(ChatEventBase):
    """A channel, or a `thread` in it, is gone, or the bot left it."""

    thread: str = ""


class AppMentioned(ChatEventBase):
    """An app that may not ask mentioned the bot."""

    app: str
    allow_setting: str = ""
    """The setting that would allow it, if there is one."""


class StopRequested(Value):
    """Somebody stops the answer that is being written there."""

    conversation: ConversationId


class BotRemoved(Value):
    """The bot was removed from a workspace or server."""

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
"""Loader of an event's message as it is now, in a channel that is a source; None where nobody is to read it. Raises
Unavailable, and Refused where the bot may not read it."""
NotifyAuthor = Callable[[str], Awaitable[None]]
"""Notification of a message's author, best effort."""


class ReplyRegistry(Protocol):
    """The replies that are being written, and those that were posted."""

    def has_pending_reply(self, conversation: ConversationId) -> bool:
        """Return True while a reply is on its way to the conversation that the inbox does not know of yet."""
        ...

    async def delete_reply(self, channel: str, reply: str) -> None:
        """Delete a posted reply, best effort."""
        ...


@runtime_checkable
class SupportsReplyStop(Protocol):
    """Can end a reply while it is written."""

    def stop(self, conversation: ConversationId) -> bool:
        """End the reply that is being written there. Return False if there is none in this process."""
        ...


class Notifier(Protocol):
    """A platform's port that tells the author of a message something, alone if possible, best effort."""

    async def notify(self, message: IncomingMessage, text: str) -> None: ...

    async def offer_handoff_reply(self, message: PersonMessage, unsent: UnsentReply) -> None:
        """Offer, with buttons, to send what the author wrote as the reply to a handoff."""
        ...


# --- What follows ------------------------------------------------------------------------------


class QuestionIntake:
    """The intake that decides which messages are questions, and puts them into the inbox. All methods raise Unavailable
    while the inbox is unavailable; they may be called again."""

    def __init__(
        self,
        inbox: Inbox,
        services: BotServices,
        has_pending_reply: Callable[[ConversationId], bool],
        *,
        shared_channels: bool = True,
        threads: bool = False,
    ) -> None:
        """Create it. `has_pending_reply` is `ReplyRegistry.has_pending_reply`. `shared_channels`: answer also where
        other organisations read along. `threads`: answers open threads of their own unless a place is set otherwise."""
        self._inbox = inbox
        self._services = services
        self._has_pending_reply = has_pending_reply
        self._shared_channels = shared_channels
        self._threads = threads
        self._waiting: dict[str, str] = {}
        """The last question of each channel that waits for a person's answer, which may be the next message in the
        channel. Only those that this process heard."""

    def pending_question(self, channel: str) -> tuple[str, ...]:
        """Return the key of the question that the channel's next message outside a thread may answer."""
        return (self._waiting[channel],) if channel in self._waiting else ()

    async def accept(self, candidate: QuestionCandidate, notify: NotifyAuthor, *, edited: bool = False) -> bool:
        """Put a question into the inbox. Return True if it is for the bot and new. Drops it where too many wait
        already. `edited`: it is not as first written."""
        message = candidate.message
        place = await self._services.places.effective_settings(message.said_in)
        if not is_listening(message, place):
            return False
        message = await self._move_to_conversation(candidate, place)
        if not await self._is_question(message, place):
            return False
        overheard = message.manner is MessageTrigger.OVERHEARD
        wait = place.auto_wait if overheard and is_auto_answerable(message, place) else 0
        try:
            new = await self._inbox.accept(message, after=wait or 0)
        except Busy as busy:
            if busy.first and not overheard:
                await notify(choose_words(None, (detect_supported_language(message.text),))(wording.BOT_BUSY))
            return True
        if wait and new and looks_like_question(message.text):
            self._waiting[message.place.channel] = message.key
        if edited and not new:
            await self._inbox.amend(message.key, message.text)
        return new

    async def apply_edit(self, key: str, text: str, question: QuestionCandidate | None, notify: NotifyAuthor) -> None:
        """Update the question of an edited message if it is not answered yet. A message that is a `question` only now
        is new."""
        recent = question is not None and datetime.now(UTC) - question.message.sent_at <= MAX_EDIT_AGE
        if not (question and recent and await self.accept(question, notify)):
            await self._inbox.amend(key, text)

    async def _move_to_conversation(self, candidate: QuestionCandidate, place: PlaceSettings) -> IncomingMessage:
        threads = self._threads if place.threads is None else place.threads
        conversation = candidate.thread_conversation if threads else None
        if candidate.replied_question:
            conversation = await self._inbox.find_conversation(candidate.replied_question) or conversation
        return replace(candidate.message, conversation=conversation) if conversation else candidate.message

    async def _is_question(self, message: IncomingMessage, place: PlaceSettings) -> bool:
        """Return True if a message addresses the bot, continues a conversation with it, or may be answered
        unprompted."""
        if message.manner is not MessageTrigger.OVERHEARD:
            return True
        if message.external and not self._shared_channels:
            return False
        if message.starts_conversation:
            return is_auto_answerable(message, place)
        conversation = message.conversation
        return self._has_pending_reply(conversation) or await self._inbox.is_participant(conversation, message.sent_at)


class ChatEventHandler:
    """The handler of every event of one connection."""

    def __init__(
        self,
        inbox: Inbox,
        services: BotServices,
        replies: ReplyRegistry,
        notifier: Notifier,
        *,
        shared_channels: bool = True,
        threads: bool = False,
    ) -> None:
        """Create it; see `QuestionIntake` for the options."""
        self._inbox = inbox
        self._services = services
        self._replies = replies
        self._notifier = notifier
        self._intake = QuestionIntake(
            inbox, services, replies.has_pending_reply, shared_channels=shared_channels, threads=threads
        )
        self._hinted: set[tuple[MessageKey, str]] = set()
        self._reported_apps: set[str] = set()

    async def handle(self, event: ChatEvent, load: MessageLoader | None = None) -> None:
        """Handle one event. Returns once everything that follows is durable; people are told last. Raises Unavailable
        while something cannot be stored; the event is then to be delivered again. Without `load` the message is not
        indexed as a source."""
        if not isinstance(event, StopRequested | BotRemoved) and (
            channel := await self._services.channels.find_indexed(event.said_in)
        ):
            await self._update_source(channel, event, load)
        match event:
            case MessagePosted():
                await self._handle_posted(event)
            case MessageEdited(key=key, text=text, question=question) if text is not None:
                await self._intake.apply_edit(str(key), text, question, self._notifier_of(question))
            case MessageDeleted(key=key, said_in=said_in):
                await self._handle_deleted(key, said_in)
            case AppMentioned(app=app, allow_setting=allow):
                self._report_app(app, allow)
            case StopRequested(conversation=conversation):
                if not (isinstance(self._replies, SupportsReplyStop) and self._replies.stop(conversation)):
                    await self._inbox.stop(conversation)
            case BotRemoved(space=space):
                await self._inbox.erase_space(space)

    async def _update_source(self, channel: PlaceId, event: ChatEventBase, load: MessageLoader | None) -> None:
        """Update the source that `channel` is."""
        channels = self._services.channels
        match event:
            case ChatEventBase(is_shared=True) | ChannelClosed(thread=""):
                await channels.remove_channel(channel)
            case ChannelClosed(thread=thread):
                await channels.remove_thread(channel, thread)
            case MessageDeleted(key=key):
                await channels.remove_messages(channel, [key.message], deleted=True)
            case MessagePosted(key=key) | MessageEdited(key=key) | ReactionChanged(key=key) if load:
                try:
                    message = await load(channel)
                except Refused:
                    return
                if message:
                    await channels.save_messages([message], fresh=not isinstance(event, MessagePosted))
                else:
                    await channels.remove_messages(channel, [key.message])

    async def _handle_posted(self, event: MessagePosted) -> None:
        """Handle a new message. A reply where people were asked addresses them or the asker, unless it mentions the
        bot."""
        message, question = event.person_message, event.question
        notices = await self._drop_answered(message) if message else {}
        if question and not (notices and message and not message.is_for_bot):
            await self._intake.accept(question, self._notifier_of(question), edited=event.is_edited)
        if message:
            await self._offer_reply(message, notices)

    async def _drop_answered(self, message: PersonMessage) -> dict[MessageKey, PlaceId]:
        """Drop waiting questions that the message may answer; another question answers none. Return the handoff notices
        it replies to, each with its target."""
        for key in (
            ()
            if looks_like_question(message.text)
            else message.reply_targets or self._intake.pending_question(message.key.channel)
        ):
            await self._inbox.drop_if_replied(key, message.author)
        waiting = {
            key: await self._services.handoffs.find_open(key) for key in map(MessageKey.parse, message.reply_targets)
        }
        return {key: handoff.target for key, handoff in waiting.items() if handoff}

    async def _offer_reply(self, message: PersonMessage, notices: dict[MessageKey, PlaceId]) -> None:
        """Offer the author of a reply to a handoff notice to send it to the asker. A question, or a message without
        text, only gets a hint, once, how to reply."""
        sendable = bool(message.text.strip()) and not looks_like_question(message.text)
        for notice, target in notices.items():
            if sendable or (notice, message.author) not in self._hinted:
                translator = await self._services.translator_for(message.author, text=message.text)
                keep = await self._services.handoffs.can_keep_replies(target)
                await self._notifier.offer_handoff_reply(
                    message, build_unsent_reply(notice, translator, sendable=sendable, keep=keep)
                )
            if not sendable:
                self._hinted.add((notice, message.author))

    async def _handle_deleted(self, key: MessageKey, said_in: tuple[PlaceId, ...]) -> None:
        """Erase a deleted question, after deleting its answer where that is switched on."""
        place = await self._services.places.effective_settings(said_in)
        if place.retract and (reply := await self._inbox.posted_reference(str(key))):
            await self._replies.delete_reply(key.channel, reply)
        await self._inbox.cancel(str(key))

    def _report_app(self, app: str, allow: str) -> None:
        """Log once that an app mentions the bot and is not answered."""
        if app not in self._reported_apps and len(self._reported_apps) < MAX_REPORTED_APPS:
            self._reported_apps.add(app)
            log.warning("app_not_answered", app=app, what_to_do=allow or "Nothing lets it ask: let a person.")

    def _notifier_of(self, candidate: QuestionCandidate | None) -> NotifyAuthor:
        return partial(self._notifier.notify, candidate.message) if candidate else _notify_nobody


async def _notify_nobody(_: str) -> None:
    """Tell nobody."""
