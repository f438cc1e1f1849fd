"""A private answer for everyone in its channel: once, to those who may see it, and as the start of a conversation."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

import structlog

from adapters.chat.press.presser import Presser, Then
from adapters.chat.reply import answer as parts
from adapters.chat.reply.parts import Button
from adapters.chat.words import handoff
from pipeline.errors import CitewellError, Refused
from pipeline.ports import Desk, Inbox
from pipeline.translations import Message
from pipeline.values import Answer, ConversationId, Readers
from pipeline.words import wording

REMEMBERED = 1000
"""Shared answers of which is known without looking that they are shared."""
P = TypeVar("P", bound=Presser)
P_contra = TypeVar("P_contra", bound=Presser, contravariant=True)

log = structlog.get_logger(__name__)


class CannotShare(Refused):
    """The platform does not let us post there; `str()` is for whoever wanted it."""


class Sharer(Protocol[P_contra]):
    """Shows answers in the channels of a platform."""

    async def readers(self, by: P_contra) -> Readers | Message:
        """Everyone who would read it there, or why nothing is shared there."""
        ...

    def post(self, by: P_contra, answer: Answer, above: Sequence[str]) -> AsyncIterator[ConversationId]:
        """Show the answer, under the lines `above`; for each message, as soon as it is there, the conversation that a
        reply to it belongs to. What was posted by a try before is not posted again.

        Raises CannotShare."""
        ...

    async def confirm(self, by: P_contra, answer: Answer) -> None:
        """Put in the place of the message with the button that the answer is shared."""
        ...


class Sharing(Generic[P]):
    def __init__(self, desk: Desk, inbox: Inbox, sharer: Sharer[P]) -> None:
        self._desk = desk
        self._inbox = inbox
        self._sharer = sharer
        self._shared: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)

    @property
    def handlers(self) -> Mapping[str, Callable[[P], Awaitable[None]]]:
        return {Button.SHARE: self._share}

    async def _share(self, by: P) -> None:
        """Post the answer where the button was pressed, if everyone there may see what it rests on; otherwise say why
        it is not there. What goes wrong may be tried again."""
        await by.ack(Then.CHANGED)
        words = await by.words()
        readers = await self._sharer.readers(by)
        try:
            shared = readers if isinstance(readers, str) else await self._posted(by, readers)
        except CannotShare as error:
            await by.say(str(error))
            return
        if isinstance(shared, str):
            await by.say(words(shared))
            return
        try:
            await self._sharer.confirm(by, shared)
        except CitewellError as error:
            log.warning("share_not_confirmed", reason=str(error))

    async def _posted(self, by: P, readers: Readers) -> Answer | Message:
        """Whoever replies to what is posted is answered with it in mind."""
        answer = await self._desk.answer(by.pressed.about, readers)
        if answer is None:
            return wording.NOT_SHARED
        shared = answer.id, by.pressed.conversation.channel
        if shared in self._shared:
            return wording.SHARED_ALREADY
        self._shared.append(shared)
        try:
            who = by.pressed.name or (await by.words())(handoff.COLLEAGUE)
            async for conversation in self._sharer.post(by, answer, parts.asked(answer, by=who)):
                await self._inbox.shared(answer.id, conversation)
        except BaseException:
            self._shared.remove(shared)
            raise
        return answer
