"""Whoever pressed a button, sent a form or used a command."""

from __future__ import annotations

from typing import Protocol

from adapters.replies.forms import Form
from adapters.replies.parts import Reply
from pipeline.translations import Words
from pipeline.values import Actor, ConversationId, PlaceId, Readers


class Presser(Protocol):
    """What a platform tells of them, and does for them, once."""

    @property
    def person(self) -> str:
        """As the ports name people."""
        ...

    @property
    def places(self) -> tuple[PlaceId, ...]:
        """Where they are, the widest place first."""
        ...

    @property
    def about(self) -> str:
        """What the button carries: the id of an answer, of a question that people are asked, of a document."""
        ...

    @property
    def conversation(self) -> ConversationId:
        """That of the answer."""
        ...

    @property
    def below(self) -> str:
        """The message with the answer; empty where they alone see it."""
        ...

    @property
    def external(self) -> bool:
        """They are of another organisation."""
        ...

    async def told_in(self) -> ConversationId:
        """Where they are told of that answer later: its conversation, or alone what they alone see."""
        ...

    async def words(self, text: str = "") -> Words:
        """Our words to them, who wrote `text`."""
        ...

    async def actor(self) -> Actor: ...

    async def readers(self) -> Readers:
        """Of what they are shown alone."""
        ...

    async def everyone(self) -> Readers:
        """All who read along there."""
        ...

    async def say(self, text: str) -> None:
        """Tell them alone."""
        ...

    async def show(self, reply: Reply) -> None:
        """Show it to them alone, where the answer is."""
        ...

    async def open(self, form: Form) -> None: ...
