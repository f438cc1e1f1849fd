"""Whoever pressed a button, sent a form or used a command."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from enum import Enum, auto
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import structlog

from adapters.chat.press.offered import Offered
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Filled, Form
from pipeline.errors import CitewellError
from pipeline.ports import Desk
from pipeline.translations import Message, Words
from pipeline.values import Actor, Answer, ConversationId, MessageKey, PlaceId, Readers, replace
from pipeline.words.language import speaking
from pipeline.words.wording import TRY_AGAIN

log = structlog.get_logger(__name__)

EMPTY: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class Pressed(NamedTuple):
    """What they pressed or sent, and where, in no platform's words."""

    action: str
    """A `Button`, the name of a form, or a command."""
    about: str
    """What it carries: the id of an answer, of a question that people are asked, of a document."""
    person: str
    """As the ports name people."""
    places: tuple[PlaceId, ...]
    """Where they are, the widest place first; none in a direct message of no server."""
    conversation: ConversationId
    """That of the answer."""
    message: str = ""
    """The message that was pressed."""
    below: str = ""
    """The message with the answer; empty where they alone see it."""
    name: str = ""
    """Theirs; empty where the platform does not say."""
    external: bool = False
    """They are of another organisation."""
    filled: Filled = EMPTY
    """What a form says."""
    told_in: ConversationId | None = None
    """Where others see what they are told of the answer later; None where they alone see it."""
    locale: str = ""
    """The language they set the platform to; empty where that is not known."""


class Then(Enum):
    """What follows: a platform wants to know before it is done."""

    TOLD = auto()
    """Something is shown to them alone."""
    CHANGED = auto()
    """What they pressed changes, or nothing does."""
    OPENED = auto()
    """A form opens, or a message appears; that acknowledges it."""
    CHECKED = auto()
    """The form is taken, or refused."""


class Written(NamedTuple):
    """What somebody wrote where people were asked."""

    text: str
    notice: MessageKey
    """The message that asks people."""
    link: str
    """Its address; empty where it has none."""


class Presser(ABC):
    """What a platform knows of them and does for them, until it is done. All that it does raises CitewellError only."""

    shows_votes: ClassVar[bool] = False
    """The platform shows by itself that a vote counts; otherwise they are thanked."""

    def __init__(self, pressed: Pressed, desk: Desk) -> None:
        self.pressed = pressed
        self._desk = desk

    @abstractmethod
    async def actor(self) -> Actor: ...

    @abstractmethod
    async def reads_alone(self) -> Readers:
        """As what they are shown alone; `readers` knows where they are from, too."""

    @abstractmethod
    async def everyone(self) -> Readers:
        """All who read along there."""

    @abstractmethod
    async def ack(self, then: Then) -> None:
        """Acknowledge what they did, once, before anything else is done about it."""

    @abstractmethod
    async def tell(self, text: str) -> None:
        """Tell them alone, by the way that needs least."""

    @abstractmethod
    async def show(self, reply: Reply) -> None:
        """Show it to them alone, where the answer is."""

    @abstractmethod
    async def open(self, form: Form) -> None: ...

    @abstractmethod
    async def at_field(self, text: str, field: str) -> bool:
        """Say at a field of the form that they sent what is wrong with it; False where it is not open any more."""

    @abstractmethod
    async def replace(self, text: str) -> None:
        """Put our words in the place of the message that was pressed."""

    @abstractmethod
    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        """Say in the place of the heading of the message that was pressed, or that `at`, that it is done, and take its
        buttons away."""

    @abstractmethod
    async def give(self, data: str) -> None:
        """Give them their own data as a file, alone, and say so."""

    def sorry(self, error: CitewellError, words: Words) -> str:
        """What they are told of what went wrong."""
        return words(TRY_AGAIN)

    # --- The same on every platform ---

    async def words(self, text: str = "") -> Words:
        """Our words to them, who wrote `text`."""
        return await self._desk.words(self.pressed.person, text=text, locale=self.pressed.locale)

    async def readers(self) -> Readers:
        """Of what they are shown alone."""
        readers = await self.reads_alone()
        return replace(readers, external=readers.external or self.pressed.external)

    async def told_in(self) -> ConversationId:
        """Where they are told of the answer later."""
        return self.pressed.told_in or self.pressed.conversation

    async def say(self, text: str) -> None:
        """Tell them alone. Nothing depends on it."""
        try:
            await self.tell(text)
        except CitewellError as error:
            log.warning("not_told", action=self.pressed.action, reason=str(error))

    async def refuse(self, text: str, field: str = "") -> None:
        """Say what is wrong with what they sent, at that field if the form is still open."""
        if not await self.at_field(text, field):
            await self.say(text)

    @asynccontextmanager
    async def honest(self) -> AsyncIterator[None]:
        """When what is done inside goes wrong, they are told so."""
        try:
            yield
        except CitewellError as error:
            log.warning("interaction_failed", action=self.pressed.action, reason=str(error))
            await self.refuse(self.sorry(error, await self._words_at_hand()))

    async def _words_at_hand(self) -> Words:
        try:
            return await self.words()
        except CitewellError:
            return speaking(None, locale=self.pressed.locale)


class AmongOthers(Presser):
    """Where others write and read, too."""

    @abstractmethod
    async def channel(self) -> Readers | Message:
        """All who would read there what they share, or why nothing is shared there."""

    @abstractmethod
    async def alone(self) -> ConversationId:
        """That with them alone."""

    @abstractmethod
    async def link(self) -> str:
        """The address of the message that was pressed; empty where it has none."""

    @abstractmethod
    async def written(self) -> Written | None:
        """What they wrote, as it is now, that the button offers to send; None where it is gone, or not theirs."""

    @abstractmethod
    async def offered(self) -> Offered | None:
        """What can be added of the message or the form that was pressed; None where it is not known any more."""

    @abstractmethod
    async def confirm(self, answer: Answer) -> None:
        """Put in the place of the message that was pressed that the answer is shared."""

    async def told_in(self) -> ConversationId:
        """Its conversation, or alone what they alone see."""
        return self.pressed.told_in or await self.alone()
