"""The ports that a platform implements so that people can chat with Citewell there: primitives, and pure translation.

Platform events become the values of `intake.py`, interactions an `InteractionContext`; `adapter.py` builds a
`PlatformAdapter` from the driver. The driver answers for what its platform lacks. Optional abilities are protocols of
their own: a sender is a `StreamingSender` or an `EditingSender`, an adapter may implement `SupportsEphemeral`,
`SupportsStop` and `SupportsSearch`.
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
"""The type that a platform shows as one message."""


class AudienceResolver(Protocol):
    """A platform's port that tells who reads what. All methods raise Unavailable; unknown facts add no group."""

    async def resolve(self, target: IncomingMessage | PlaceId | PersonId) -> AudienceFacts:
        """Return facts about the readers of the reply to a message, or of a post to a channel or to one person."""
        ...

    async def author(self, message: IncomingMessage) -> Actor:
        """Return the author of a direct message."""
        ...


@dataclass(frozen=True)
class PlatformDriver(Generic[P]):
    """The ports of one connection to a platform: one workspace of Slack, all servers of Discord."""

    reply_poster: ReplyPoster[P]
    announcement_poster: AnnouncementPoster[P]
    history_reader: HistoryReader
    audience_resolver: AudienceResolver
    notifier: Notifier


@dataclass(frozen=True)
class ChatOptions:
    """Options of a whole platform."""

    platform: Platform
    render_options: RenderOptions
    patience: float
    """Seconds in which the channels that people may read are looked up."""
    shared_channels: bool = False
    """True where the bot answers where other organisations read along."""
    threads: bool = False
    """True where answers open threads of their own unless a place is set otherwise."""
