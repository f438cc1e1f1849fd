"""What people do where they chat: a platform tells it as one of these values, and what follows is done here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol, runtime_checkable

import structlog

from adapters.chat.words.handoff import Unsent, unsent
from pipeline.errors import Busy, Refused
from pipeline.ports import Desk, Inbox
from pipeline.rules.places import heard, unasked
from pipeline.unasked import asks
from pipeline.values import ConversationId, IncomingMessage, Manner, MessageKey, Place, PlaceId, Said, Value, replace
from pipeline.words import wording
from pipeline.words.language import speaking, told

RECENT = timedelta(days=1)
"""How old a message may be that is for us since it was edited: what was asked before is known for longer."""
PROGRAMS = 100
"""Programs that are told of at most."""

log = structlog.get_logger(__name__)

# --- What happens ------------------------------------------------------------------------------


class Asked(Value):
    """A message that may be for us: one that was overheard only if we have answered in its conversation, or it begins
    one where that is wanted."""

    message: IncomingMessage
    in_thread: ConversationId | None = None
    """Its conversation where answers go into threads of their own; None where that makes no difference."""
    answers: str = ""
    """The key of the question whose answer it replies to: in that one's conversation, where that is known."""


class Remark(Value):
    """What a person said, whoever it was for."""

    key: MessageKey
    author: str
    text: str
    replied_to: tuple[str, ...] = ()
    """The keys of the messages that it may reply to."""
    names_us: bool = False
    """It is for us, too, and not only a reply to something of ours."""


class Happening(Value):
    """Something that was done in a place."""

    said_in: tuple[PlaceId, ...]
    """The places where it happened, the widest first; none in a direct message of no server."""
    shared: bool = False
    """Other organisations write there, too, so that it is no source."""


class Spoke(Happening):
    """Somebody or something wrote a message."""

    key: MessageKey
    remark: Remark | None = None
    asked: Asked | None = None
    edited: bool = False
    """It is not as it was first written."""


class Edited(Happening):
    """A message was edited, or Slack or Discord added something to it."""

    key: MessageKey
    text: str | None = None
    """What its author says now; None where nothing of that has changed."""
    asked: Asked | None = None
    """The message as it is now, if it may be for us."""


class Deleted(Happening):
    key: MessageKey


class Reacted(Happening):
    """Somebody marked a message as what solved it or as what is to be kept out, or took that back."""

    key: MessageKey


class Closed(Happening):
    """A channel, or a `thread` in it, is gone, or we are not in it any more."""

    thread: str = ""


class Program(Happening):
    """A program mentions us that may not ask."""

    app: str
    allow: str = ""
    """The setting that lets it, where there is one."""


class Stopped(Value):
    """Somebody does not want the answer that is being written there."""

    conversation: ConversationId


class Left(Value):
    """We were removed from a workspace or server."""

    space: PlaceId


Happened = Spoke | Edited | Deleted | Reacted | Closed | Program | Stopped | Left

# --- What it needs -----------------------------------------------------------------------------

Look = Callable[[PlaceId], Awaitable[Said | None]]
"""What a person says to people in the message that it is about, as it is now, in a channel that is a source; None of
what nobody is to read there. Raises Unavailable, and Refused where it is not to be seen."""
Tell = Callable[[str], Awaitable[None]]
"""Tells whoever said something; nothing depends on it."""


class Replies(Protocol):
    """Those that are being written, and those that were."""

    def takes_part(self, conversation: ConversationId) -> bool:
        """Whether a reply of ours is on its way to it, which the inbox will know of in a moment."""
        ...

    async def take_away(self, channel: str, reply: str) -> None:
        """Delete the reply of that name; nothing depends on it."""
        ...


@runtime_checkable
class Stops(Protocol):
    """Where a reply can be ended while it is written."""

    def stop(self, conversation: ConversationId) -> bool:
        """End the reply that is being written there; False where there is none here."""
        ...


class Tells(Protocol):
    """How whoever said something is told something, alone where that can be; nothing depends on it."""

    async def tell(self, message: IncomingMessage, text: str) -> None: ...

    async def offer(self, remark: Remark, unsent: Unsent) -> None:
        """The same with what they can press."""
        ...


# --- What follows ------------------------------------------------------------------------------


class Intake:
    """Questions, into the inbox. All raise Unavailable while the inbox is; they may be tried again then."""

    def __init__(
        self,
        inbox: Inbox,
        desk: Desk,
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

    def waits(self, channel: str) -> tuple[str, ...]:
        """The key of what the next thing that is said there, in reply to nothing, may answer."""
        return (self._waiting[channel],) if channel in self._waiting else ()

    async def keep(self, asked: Asked, tell: Tell, *, edited: bool = False) -> bool:
        """Whether it is for us and was not known as that. Where too much waits already, it is not kept.

        `edited`: as `Spoke.edited`."""
        message = asked.message
        place = await self._desk.places.of(message.said_in)
        if not heard(message, place):
            return False
        message = await self._in_its_conversation(asked, place)
        if not await self._is_ours(message, place):
            return False
        overheard = message.manner is Manner.OVERHEARD
        wait = place.auto_wait if overheard and unasked(message, place) else 0
        try:
            new = await self._inbox.accept(message, after=wait or 0)
        except Busy as busy:
            if busy.first and not overheard:
                await tell(speaking(None, (told(message.text),))(wording.BUSY))
            return True
        if wait and new and asks(message.text):
            self._waiting[message.place.channel] = message.key
        if edited and not new:
            await self._inbox.amend(message.key, message.text)
        return new

    async def change(self, key: str, text: str, now: Asked | None, tell: Tell) -> None:
        """A message was edited: the question changes if it is not answered yet. What is for us only `now` is new."""
        recent = now is not None and datetime.now(UTC) - now.message.sent_at <= RECENT
        if not (now and recent and await self.keep(now, tell)):
            await self._inbox.amend(key, text)

    async def _in_its_conversation(self, asked: Asked, place: Place) -> IncomingMessage:
        threads = self._threads if place.threads is None else place.threads
        where = asked.in_thread if threads else None
        if asked.answers:
            where = await self._inbox.conversation(asked.answers) or where
        return replace(asked.message, conversation=where) if where else asked.message

    async def _is_ours(self, message: IncomingMessage, place: Place) -> bool:
        """Whether a message is addressed to us, goes on with something we have answered, or may be answered unasked."""
        if message.manner is not Manner.OVERHEARD:
            return True
        if message.external and not self._shared_channels:
            return False
        if message.opens:
            return unasked(message, place)
        conversation = message.conversation
        return self._appearing(conversation) or await self._inbox.takes_part(conversation, message.sent_at)


class Hearing:
    """What one connection hears."""

    def __init__(
        self,
        inbox: Inbox,
        desk: Desk,
        replies: Replies,
        tells: Tells,
        *,
        shared_channels: bool = True,
        threads: bool = False,
    ) -> None:
        """As `Intake`."""
        self._inbox = inbox
        self._desk = desk
        self._replies = replies
        self._tells = tells
        self._intake = Intake(inbox, desk, replies.takes_part, shared_channels=shared_channels, threads=threads)
        self._told: set[tuple[MessageKey, str]] = set()
        self._programs: set[str] = set()

    async def hear(self, happened: Happened, look: Look | None = None) -> None:
        """Returns once all is durable that follows, and tells people last. Raises Unavailable while something cannot be
        kept; it is heard again then. Without `look`, nobody reads it as a source."""
        if not isinstance(happened, Stopped | Left) and (
            channel := await self._desk.channels.indexed(happened.said_in)
        ):
            await self._follow(channel, happened, look)
        match happened:
            case Spoke():
                await self._spoke(happened)
            case Edited(key=key, text=text, asked=asked) if text is not None:
                await self._intake.change(str(key), text, asked, self._tell(asked))
            case Deleted(key=key, said_in=said_in):
                await self._deleted(key, said_in)
            case Program(app=app, allow=allow):
                self._tell_of(app, allow)
            case Stopped(conversation=conversation):
                if not (isinstance(self._replies, Stops) and self._replies.stop(conversation)):
                    await self._inbox.stop(conversation)
            case Left(space=space):
                await self._inbox.leave(space)

    async def _follow(self, channel: PlaceId, happened: Happening, look: Look | None) -> None:
        """What people say in `channel` is a source."""
        channels = self._desk.channels
        match happened:
            case Happening(shared=True) | Closed(thread=""):
                await channels.left(channel)
            case Closed(thread=thread):
                await channels.drop_thread(channel, thread)
            case Deleted(key=key):
                await channels.drop(channel, [key.message], deleted=True)
            case Spoke(key=key) | Edited(key=key) | Reacted(key=key) if look:
                try:
                    said = await look(channel)
                except Refused:
                    return
                if said:
                    await channels.take([said], fresh=not isinstance(happened, Spoke))
                else:
                    await channels.drop(channel, [key.message])

    async def _spoke(self, spoke: Spoke) -> None:
        """Who replies where people were asked speaks to them or to the asker, unless it names us."""
        remark, asked = spoke.remark, spoke.asked
        notices = await self._answers(remark) if remark else {}
        if asked and not (notices and remark and not remark.names_us):
            await self._intake.keep(asked, self._tell(asked), edited=spoke.edited)
        if remark:
            await self._offer(remark, notices)

    async def _answers(self, remark: Remark) -> dict[MessageKey, PlaceId]:
        """A person said something: a question that waited may be answered, though not by another question. The
        messages that ask people to which it replies, each with where it does."""
        for key in () if asks(remark.text) else remark.replied_to or self._intake.waits(remark.key.channel):
            await self._inbox.leave_to_people(key, remark.author)
        waiting = {key: await self._desk.handoffs.waits(key) for key in map(MessageKey.parse, remark.replied_to)}
        return {key: handoff.target for key, handoff in waiting.items() if handoff}

    async def _offer(self, remark: Remark, notices: dict[MessageKey, PlaceId]) -> None:
        """Who replies where people were asked is offered to send that to the asker; who asks something there, or writes
        nothing that can be read, is told, once, how the asker hears of a reply."""
        sendable = bool(remark.text.strip()) and not asks(remark.text)
        for notice, target in notices.items():
            if sendable or (notice, remark.author) not in self._told:
                words = await self._desk.words(remark.author, text=remark.text)
                keep = await self._desk.handoffs.keeps(target)
                await self._tells.offer(remark, unsent(notice, words, sendable=sendable, keep=keep))
            if not sendable:
                self._told.add((notice, remark.author))

    async def _deleted(self, key: MessageKey, said_in: tuple[PlaceId, ...]) -> None:
        """Nothing is kept of a question that was deleted, and where that is wanted its answer goes first."""
        place = await self._desk.places.of(said_in)
        if place.retract and (reply := await self._inbox.shown(str(key))):
            await self._replies.take_away(key.channel, reply)
        await self._inbox.cancel(str(key))

    def _tell_of(self, app: str, allow: str) -> None:
        """A program that mentions us and is not answered is told of once."""
        if app not in self._programs and len(self._programs) < PROGRAMS:
            self._programs.add(app)
            log.warning("program_not_answered", app=app, what_to_do=allow or "Nothing lets it ask: let a person.")

    def _tell(self, asked: Asked | None) -> Tell:
        return partial(self._tells.tell, asked.message) if asked else _nobody


async def _nobody(_: str) -> None:
    """There is nobody to be told."""
