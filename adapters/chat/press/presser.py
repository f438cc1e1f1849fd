"""Whoever pressed a button, sent a form or used a command."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import NamedTuple, Protocol

from adapters.chat.press.offered import Offered
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Filled, Form
from pipeline.errors import CitewellError
from pipeline.translations import Message, Words
from pipeline.values import Actor, Answer, ConversationId, MessageKey, PlaceId, Readers

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


class Presser(Protocol):
    """What a platform knows of them, and does for them. All that it does raises CitewellError only."""

    shows_votes: bool
    """The platform shows by itself that a vote counts; otherwise they are thanked."""

    @property
    def pressed(self) -> Pressed: ...

    async def actor(self) -> Actor: ...

    async def readers(self) -> Readers:
        """Of what they are shown alone."""
        ...

    async def everyone(self) -> Readers:
        """All who read along there."""
        ...

    async def channel(self) -> Readers | Message:
        """All who would read there what they share, or why nothing is shared there."""
        ...

    async def alone(self) -> ConversationId:
        """That with them alone."""
        ...

    async def link(self) -> str:
        """The address of the message that was pressed; empty where it has none."""
        ...

    async def written(self) -> Written | None:
        """What they wrote, as it is now, that the button offers to send; None where it is gone, or not theirs."""
        ...

    async def offered(self) -> Offered | None:
        """What can be added of the message or the form that was pressed; None where it is not known any more."""
        ...

    async def ack(self, then: Then) -> None:
        """Acknowledge what they did, once, before anything else is done about it."""
        ...

    async def tell(self, text: str) -> None:
        """Tell them alone, by the way that needs least."""
        ...

    async def show(self, reply: Reply) -> None:
        """Show it to them alone, where the answer is."""
        ...

    async def open(self, form: Form) -> None: ...

    async def refuse(self, text: str, field: str) -> bool:
        """Say at a field of the form that they sent what is wrong with it; False where it is not open any more."""
        ...

    async def replace(self, text: str) -> None:
        """Put our words in the place of the message that was pressed."""
        ...

    async def confirm(self, answer: Answer) -> None:
        """Put in the place of the message that was pressed that the answer is shared."""
        ...

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        """Say in the place of the heading of the message that was pressed, or that `at`, that it is done, and take its
        buttons away."""
        ...

    async def give(self, data: str, words: Words) -> None:
        """Give them their own data as a file, alone, and say so."""
        ...

    def sorry(self, error: CitewellError, words: Words) -> str:
        """What they are told of what went wrong."""
        ...
