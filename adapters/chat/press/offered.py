"""What of a message can be added to the documents, and how it is said what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

from adapters.chat.words.knowledge import Thing
from pipeline.ports import Sent
from pipeline.translations import Words


class Addition(NamedTuple):
    """What came of one thing."""

    text: str
    small: str = ""
    """In small print."""
    document: str = ""
    """Its id, where it can be taken back."""
    back: str = ""
    """What the button says that takes it back."""


class Offered(Protocol):
    """What of one message can be added."""

    @property
    def things(self) -> Sequence[Thing]: ...

    @property
    def carried(self) -> str:
        """What a form carries by which it is found again."""
        ...

    async def sent(self, thing: Thing) -> Sent:
        """Raises NotAdded, or Unavailable."""
        ...

    async def begin(self, reading: str, words: Words, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        """Say for all there that it is being read, or `alone` to whoever adds it; what comes back puts what came of it
        into the place of that."""
        ...
