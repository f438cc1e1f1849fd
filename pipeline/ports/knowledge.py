"""What somebody in a chat wants to be known, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pipeline.errors import Refused
from pipeline.translations import Message


@dataclass(frozen=True)
class Sent:
    """A file of a message, or a link in it."""

    name: str
    """The file's, or the address."""
    link: str
    """The address that a citation opens."""
    fetch: Callable[[], Awaitable[bytes]] | None = None
    """Downloads the file from the platform, raising NotAdded or Unavailable; None for what is read at `link`."""


@dataclass(frozen=True)
class Added:
    """A document that is in the library now."""

    document: str
    """Its id."""
    title: str
    collection: str
    passages: int
    replaced: bool
    """It was there before, and what it was then is not."""
    flagged: bool
    """It holds instructions to an assistant."""


class NotAdded(Refused):
    """What was sent cannot be a document; `reason` is for whoever sent it, with `fields` to be filled in."""

    def __init__(self, message: str, reason: Message, **fields: object) -> None:
        super().__init__(message)
        self.reason = reason
        self.fields = fields
