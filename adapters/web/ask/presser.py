"""Whoever pressed something below an answer: the port `Presser`, whose outcome is a page."""

from __future__ import annotations

from adapters.chat.press.presser import Pressed, Then, Written
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Form
from adapters.web.ask import wording
from adapters.web.visitor import Visitor
from pipeline.errors import CitewellError
from pipeline.translations import Message, Words
from pipeline.values import Actor, Answer, ConversationId, MessageKey, Readers
from pipeline.words.wording import TRY_AGAIN


class PagePresser:
    """Collects what they are to see."""

    shows_votes = False

    def __init__(self, pressed: Pressed, visitor: Visitor) -> None:
        self.pressed = pressed
        self._visitor = visitor
        self.shown: list[Reply] = []
        self.form: Form | None = None
        self.file = ""
        """Their own data."""

    async def actor(self) -> Actor:
        return self._visitor.actor

    async def readers(self) -> Readers:
        return self._visitor.readers

    async def everyone(self) -> Readers:
        return self._visitor.readers

    async def channel(self) -> Readers | Message:
        """There is none."""
        return wording.CANNOT

    async def alone(self) -> ConversationId:
        return self.pressed.conversation

    async def link(self) -> str:
        return ""

    async def written(self) -> Written | None:
        """Nobody is asked on a page."""
        return None

    async def offered(self) -> None:
        """Nothing is sent that could become a document."""

    async def ack(self, then: Then) -> None:
        """A page waits until all is done."""

    async def tell(self, text: str) -> None:
        self.shown.append(plain(text))

    async def show(self, reply: Reply) -> None:
        self.shown.append(reply)

    async def open(self, form: Form) -> None:
        self.form = form

    async def refuse(self, text: str, field: str) -> bool:
        """No form is left to fill in."""
        self.form = None
        return False

    async def replace(self, text: str) -> None:
        await self.tell(text)

    async def confirm(self, answer: Answer) -> None:
        """Nothing is shared."""

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        await self.tell(heading)

    async def give(self, data: str, words: Words) -> None:
        self.file = data

    def sorry(self, error: CitewellError, words: Words) -> str:
        return words(TRY_AGAIN)
