"""Which channels that are a source somebody may read: looked at when it is asked, and believed for a minute at most."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, NamedTuple

import structlog

from adapters.slack.events.incoming import Me
from adapters.slack.pages import pages
from adapters.slack.web import Web
from pipeline.errors import CitewellError
from pipeline.values import PlaceId

BELIEVED = 60.0
"""Seconds; whoever leaves a channel is told to us, too."""

log = structlog.get_logger(__name__)


class _Seen(NamedTuple):
    at: float
    public: bool
    members: frozenset[str] | None = None
    """None: not looked at."""


class Sight:
    """What cannot be found out in time is closed."""

    def __init__(self, web: Web, me: Me) -> None:
        self._web = web
        self._me = me
        self._seen: dict[str, _Seen] = {}

    async def open_to(self, channels: Iterable[PlaceId], user: str = "") -> frozenset[str]:
        """As groups, those that everyone inside may read; with `user`, those they are a member of, too."""
        asked = [one.channel for one in channels]
        try:
            async with asyncio.timeout(self._web.pace.standing):
                found = await asyncio.gather(*(self._open(channel, user) for channel in asked))
        except TimeoutError:
            log.warning("slack_channels_late", channels_count_as="closed")
            return frozenset()
        return frozenset(str(self._me.place(channel)) for channel, seen in zip(asked, found, strict=True) if seen)

    async def left(self, event: dict[str, Any]) -> None:
        """Somebody left a channel."""
        self._seen.pop(str(event.get("channel") or ""), None)

    async def _open(self, channel: str, user: str) -> bool:
        now = asyncio.get_running_loop().time()
        seen = self._seen.get(channel)
        try:
            if seen is None or now - seen.at > BELIEVED:
                shown = (await self._web.call("conversations.info", channel=channel)).get("channel") or {}
                seen = _Seen(now, shown.get("id") == channel and shown.get("is_private") is False)
            if user and not seen.public and seen.members is None:
                listed = pages(self._web, "conversations.members", "members", channel=channel, limit=500)
                seen = seen._replace(members=frozenset([str(one) async for page in listed for one in page]))
        except CitewellError as error:
            log.warning("slack_channel_unseen", channel=channel, channel_counts_as="closed", reason=str(error))
            return False
        self._seen[channel] = seen
        return seen.public or user in (seen.members or ())
