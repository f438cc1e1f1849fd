"""All that a platform hands in so that people can chat with Citewell there: primitives, and pure translation.

Events become the values of `intake.py`, presses an `InteractionContext`; `adapter.py` makes a `PlatformAdapter` of the
rest. A driver answers for what its platform lacks. Optional are a `StreamingSender` in place of an `EditingSender`, and
the ports `SupportsEphemeral`, `SupportsStop` and `SupportsSearch` of an adapter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from adapters.chat.announcements import AnnouncementPoster
from adapters.chat.audience import AudienceFacts
from adapters.chat.history import HistoryReader
from adapters.chat.intake import Notifier
from adapters.chat.post.delivery import ReplyPoster
from adapters.chat.reply.parts import RenderOptions
from pipeline.values import Actor, IncomingMessage, PersonId, PlaceId
from pipeline.values.platform import Platform

P = TypeVar("P")
"""What a platform shows as one message."""


class AudienceResolver(Protocol):
    """Who reaches whom. All raise Unavailable; what cannot be found out adds no group."""

    async def resolve(self, of: IncomingMessage | PlaceId | PersonId) -> AudienceFacts:
        """Of those who will read the reply to a message, or what is posted in a channel or to one person alone."""
        ...

    async def author(self, message: IncomingMessage) -> Actor:
        """Of a direct message."""
        ...


@dataclass(frozen=True)
class PlatformDriver(Generic[P]):
    """One connection to a platform: to a workspace of Slack, to all servers of Discord."""

    reply_poster: ReplyPoster[P]
    announcement_poster: AnnouncementPoster[P]
    history_reader: HistoryReader
    audience_resolver: AudienceResolver
    notifier: Notifier


@dataclass(frozen=True)
class ChatOptions:
    """What holds on all of a platform."""

    platform: Platform
    render_options: RenderOptions
    patience: float
    """Seconds in which it is to be found out which channels people may read."""
    shared_channels: bool = False
    """We answer where other organisations read along."""
    threads: bool = False
    """Answers go into threads of their own where nothing else is set."""
