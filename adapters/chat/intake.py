"""What people say, into the inbox, as far as it is for us."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta

from adapters.chat.waiting import Waiting
from adapters.chat.words.handoff import Unsent, unsent
from pipeline.errors import Busy
from pipeline.ports import Desk, Inbox
from pipeline.rules.places import heard, unasked
from pipeline.unasked import asks
from pipeline.values import ConversationId, IncomingMessage, Manner, MessageKey, Place, PlaceId
from pipeline.words import wording
from pipeline.words.language import speaking, told

RECENT = timedelta(days=1)
"""How old a message may be that is for us since it was edited: what was asked before is known for longer."""
Tell = Callable[[str], Awaitable[None]]
"""Tells whoever said something; nothing depends on it."""
Offering = Callable[[Unsent], Awaitable[None]]
"""The same with what they can press."""
TakeAway = Callable[[str], Awaitable[None]]
"""Deletes the reply of that name; nothing depends on it."""


class Intake:
    """All raise Unavailable while the inbox is; they may be tried again then."""

    def __init__(
        self,
        inbox: Inbox,
        desk: Desk,
        appearing: Callable[[ConversationId], bool],
        *,
        shared_channels: bool = True,
    ) -> None:
        """`appearing`: whether a reply of ours is appearing in a conversation, which the inbox will know of in a
        moment. `shared_channels`: also where other organisations read along."""
        self._inbox = inbox
        self._desk = desk
        self._appearing = appearing
        self._shared_channels = shared_channels
        self._waiting = Waiting()
        self._told: set[tuple[MessageKey, str]] = set()

    async def hear(self, author: str, channel: str, text: str, replied_to: Sequence[str], tell: Offering) -> bool:
        """A person said something, in reply to messages with these keys: a question that waited may be answered, though
        not by another question. Who replies where people were asked is offered to send that to the asker; who asks
        something there, or writes nothing that can be read, is told, once, how the asker hears of a reply. Whether it
        was said there."""
        question = asks(text)
        for key in () if question else replied_to or self._waiting.answered(channel):
            await self._inbox.leave_to_people(key, author)
        desk, told = self._desk.handoffs, False
        nothing = question or not text.strip()
        for notice in map(MessageKey.parse, replied_to):
            if not (handoff := await desk.waits(notice)):
                continue
            told = True
            if nothing and (notice, author) in self._told:
                continue
            self._told |= {(notice, author)} if nothing else set()
            words = await self._desk.words(author, text=text)
            await tell(unsent(notice, words, sendable=not nothing, keep=await desk.keeps(handoff.target)))
        return told

    async def keep(self, message: IncomingMessage, tell: Tell, *, edited: bool = False) -> bool:
        """Whether the message is for us and was not known as that. Where too much waits already, it is not kept.

        `edited`: it is not as it was first written."""
        place = await self._desk.places.of(message.said_in)
        if not heard(message, place) or not await self._is_ours(message, place):
            return False
        overheard = message.manner is Manner.OVERHEARD
        wait = place.auto_wait if overheard and unasked(message, place) else 0
        try:
            new = await self._inbox.accept(message, after=wait or 0)
        except Busy as busy:
            if busy.first and not overheard:
                await tell(speaking(None, (told(message.text),))(wording.BUSY))
            return True
        if wait and new:
            self._waiting.keep(message)
        if edited and not new:
            await self._inbox.amend(message.key, message.text)
        return new

    async def change(self, key: str, text: str, now: IncomingMessage | None, tell: Tell) -> None:
        """A message was edited: the question changes if it is not answered yet. What is for us only `now` is new."""
        recent = now is not None and datetime.now(UTC) - now.sent_at <= RECENT
        if not (now and recent and await self.keep(now, tell)):
            await self._inbox.amend(key, text)

    async def gone(self, key: str, said_in: Sequence[PlaceId], take_away: TakeAway) -> None:
        """A message was deleted: nothing is kept of it, and where that is wanted its answer goes first."""
        place = await self._desk.places.of(said_in)
        if place.retract and (reply := await self._inbox.shown(key)):
            await take_away(reply)
        await self._inbox.cancel(key)

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
