"""Whoever pressed something below an answer: the port `Presser`, whose outcome is a page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from adapters.chat.press.presser import Pressed, Then, Written
from adapters.chat.press.sharing import CannotShare
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Form
from adapters.web.ask import wording
from adapters.web.visitor import Visitor
from pipeline.ports import Desk
from pipeline.translations import Message, Words
from pipeline.values import Actor, Answer, ConversationId, MessageKey, Readers


class PagePresser:
    """Collects what they are to see."""

    shows_votes = False

    def __init__(self, pressed: Pressed, visitor: Visitor, desk: Desk, locale: str) -> None:
        self.pressed = pressed
        self._visitor = visitor
        self._desk = desk
        self._locale = locale
        self.shown: list[Reply] = []
        self.form: Form | None = None
        self.file = ""
        """Their own data."""

    async def words(self, text: str = "") -> Words:
        return await self._desk.words(self.pressed.person, text=text, locale=self._locale)

    async def actor(self) -> Actor:
        return self._visitor.actor

    async def readers(self) -> Readers:
        return self._visitor.readers

    async def everyone(self) -> Readers:
        return self._visitor.readers

    async def told_in(self) -> ConversationId:
        return self.pressed.conversation

    async def link(self) -> str:
        return ""

    async def ack(self, then: Then) -> None:
        """A page waits until all is done."""

    async def say(self, text: str) -> None:
        self.shown.append(plain(text))

    async def show(self, reply: Reply) -> None:
        self.shown.append(reply)

    async def open(self, form: Form) -> None:
        self.form = form

    async def refuse(self, text: str, field: str = "") -> None:
        """No form is left to fill in."""
        self.form = None
        await self.say(text)

    async def replace(self, text: str) -> None:
        await self.say(text)

    async def written(self) -> Written | None:
        """Nobody is asked on a page."""
        return None

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        await self.say(heading)

    async def give(self, data: str) -> None:
        self.file = data


class Nowhere:
    """There is no channel to share in, and nothing is sent that could become a document: `Sharer` and `Shelf`."""

    async def readers(self, by: PagePresser) -> Readers | Message:
        return wording.CANNOT

    async def post(self, by: PagePresser, answer: Answer, above: Sequence[str]) -> AsyncIterator[ConversationId]:
        raise CannotShare((await by.words())(wording.CANNOT))
        yield

    async def confirm(self, by: PagePresser, answer: Answer) -> None: ...

    async def offered(self, by: PagePresser) -> None:
        return None
