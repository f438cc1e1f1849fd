"""All that a platform hands in so that people can chat with Citewell there: primitives, and pure translation.

Events become the values of `hear.py`, presses a `Presser`; `adapter.py` makes a `PlatformAdapter` of the rest. What a
platform lacks is its driver's to answer. What is offered where it is to be had: a sender is one of `Streams` instead of
`Edits`, an adapter one of the ports `Whispers`, `Stoppable` and `Searches`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from adapters.chat.announce import Announces
from adapters.chat.audience import Facts
from adapters.chat.before import Reads
from adapters.chat.hear import Tells
from adapters.chat.post.deliver import Posts
from adapters.chat.reply.parts import Look
from pipeline.values import Actor, IncomingMessage, PersonId, PlaceId
from pipeline.values.platform import Platform

P = TypeVar("P")
"""What a platform shows as one message."""


class Reaches(Protocol):
    """Who reaches whom. All raise Unavailable; what cannot be found out adds no group."""

    async def reaches(self, of: IncomingMessage | PlaceId | PersonId) -> Facts:
        """Of those who will read the reply to a message, or what is posted in a channel or to one person alone."""
        ...

    async def author(self, message: IncomingMessage) -> Actor:
        """Of a direct message."""
        ...


@dataclass(frozen=True)
class Driver(Generic[P]):
    """One connection to a platform: to a workspace of Slack, to all servers of Discord."""

    posts: Posts[P]
    announces: Announces[P]
    reads: Reads
    reaches: Reaches
    tells: Tells


@dataclass(frozen=True)
class ChatOptions:
    """What holds on all of a platform."""

    platform: Platform
    look: Look
    patience: float
    """Seconds in which it is to be found out which channels people may read."""
    shared_channels: bool = False
    """We answer where other organisations read along."""
    threads: bool = False
    """Answers go into threads of their own where nothing else is set."""
