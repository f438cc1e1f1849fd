"""What is done for somebody who pressed a button, sent a form or used a command, the same on every platform."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from adapters.chat.press.offered import Offered
from adapters.chat.press.presser import Pressed, Presser, Then, Written
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Form
from pipeline.errors import CitewellError
from pipeline.ports import Desk
from pipeline.translations import Message, Words
from pipeline.values import Actor, Answer, ConversationId, MessageKey, Readers, replace
from pipeline.words.language import speaking

log = structlog.get_logger(__name__)


class Interaction:
    """One press, form or command, until it is done."""

    def __init__(self, presser: Presser, desk: Desk) -> None:
        self._presser = presser
        self._desk = desk
        self.pressed: Pressed = presser.pressed
        self.shows_votes = presser.shows_votes

    async def words(self, text: str = "") -> Words:
        """Our words to them, who wrote `text`."""
        return await self._desk.words(self.pressed.person, text=text, locale=self.pressed.locale)

    async def actor(self) -> Actor:
        return await self._presser.actor()

    async def readers(self) -> Readers:
        """Of what they are shown alone."""
        readers = await self._presser.readers()
        return replace(readers, external=readers.external or self.pressed.external)

    async def everyone(self) -> Readers:
        """All who read along there."""
        return await self._presser.everyone()

    async def channel(self) -> Readers | Message:
        """All who would read there what they share, or why nothing is shared there."""
        return await self._presser.channel()

    async def told_in(self) -> ConversationId:
        """Where they are told of the answer later: its conversation, or alone what they alone see."""
        return self.pressed.told_in or await self._presser.alone()

    async def link(self) -> str:
        return await self._presser.link()

    async def written(self) -> Written | None:
        return await self._presser.written()

    async def offered(self) -> Offered | None:
        return await self._presser.offered()

    async def ack(self, then: Then) -> None:
        await self._presser.ack(then)

    async def say(self, text: str) -> None:
        """Tell them alone. Nothing depends on it."""
        try:
            await self._presser.tell(text)
        except CitewellError as error:
            log.warning("not_told", action=self.pressed.action, reason=str(error))

    async def show(self, reply: Reply) -> None:
        await self._presser.show(reply)

    async def open(self, form: Form) -> None:
        await self._presser.open(form)

    async def refuse(self, text: str, field: str = "") -> None:
        """Say what is wrong with what they sent, at that field if the form is still open."""
        if not await self._presser.refuse(text, field):
            await self.say(text)

    async def replace(self, text: str) -> None:
        await self._presser.replace(text)

    async def confirm(self, answer: Answer) -> None:
        """Nothing depends on it."""
        try:
            await self._presser.confirm(answer)
        except CitewellError as error:
            log.warning("share_not_confirmed", reason=str(error))

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        await self._presser.tick(heading, at)

    async def give(self, data: str) -> None:
        await self._presser.give(data, await self.words())

    @asynccontextmanager
    async def honest(self) -> AsyncIterator[None]:
        """When what is done inside goes wrong, they are told so."""
        try:
            yield
        except CitewellError as error:
            log.warning("interaction_failed", action=self.pressed.action, reason=str(error))
            await self.refuse(self._presser.sorry(error, await self._words_at_hand()))

    async def _words_at_hand(self) -> Words:
        try:
            return await self.words()
        except CitewellError:
            return speaking(None, locale=self.pressed.locale)
