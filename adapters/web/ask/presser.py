"""Whoever pressed something below an answer; what comes of it is a page."""

from __future__ import annotations

from adapters.chat.press.presser import Pressed, Presser, Then
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Form
from adapters.web.visitor import Visitor
from pipeline.ports import Desk
from pipeline.values import Actor, MessageKey, Readers


class PagePresser(Presser):
    """Collects what they are to see."""

    def __init__(self, pressed: Pressed, visitor: Visitor, desk: Desk) -> None:
        super().__init__(pressed, desk)
        self._visitor = visitor
        self.shown: list[Reply] = []
        self.form: Form | None = None
        self.file = ""
        """Their own data."""

    async def actor(self) -> Actor:
        return self._visitor.actor

    async def reads_alone(self) -> Readers:
        return self._visitor.readers

    async def everyone(self) -> Readers:
        return self._visitor.readers

    async def ack(self, then: Then) -> None:
        """A page waits until all is done."""

    async def tell(self, text: str) -> None:
        self.shown.append(plain(text))

    async def show(self, reply: Reply) -> None:
        self.shown.append(reply)

    async def open(self, form: Form) -> None:
        self.form = form

    async def at_field(self, text: str, field: str) -> bool:
        """No form is left to fill in."""
        self.form = None
        return False

    async def replace(self, text: str) -> None:
        await self.tell(text)

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        await self.tell(heading)

    async def give(self, data: str) -> None:
        self.file = data
