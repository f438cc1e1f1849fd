"""Which channels that are a source somebody may read: looked at when it is asked, and believed for a minute at most."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, NamedTuple

import structlog

from adapters.slack.events.incoming import Me, is_outside
from adapters.slack.pages import pages
from adapters.slack.web import Web
from pipeline.errors import CitewellError
from pipeline.rules.access import reader_of
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
        self._late: set[asyncio.Task[bool]] = set()

    async def open_to(self, channels: Iterable[PlaceId], user: str = "") -> frozenset[str]:
        """As groups, those that everyone inside may read; with `user`, those they are a member of, too."""
        looking = {asyncio.create_task(self._open(one.channel, user)): one for one in channels}
        if not looking:
            return frozenset()
        done, late = await asyncio.wait(looking, timeout=self._web.pace.standing)
        if late:  # they go on, and the next question finds what they saw
            log.warning("slack_channels_late", channels=len(late), channels_count_as="closed")
            self._late |= late
            for task in late:
                task.add_done_callback(self._late.discard)
        return frozenset(reader_of(looking[task]) for task in done if task.result())

    async def left(self, event: dict[str, Any]) -> None:
        """Somebody left a channel."""
        self._seen.pop(str(event.get("channel") or ""), None)

    async def _open(self, channel: str, user: str) -> bool:
        now = asyncio.get_running_loop().time()
        seen = self._seen.get(channel)
        try:
            if seen is None or now - seen.at > BELIEVED:
                shown = (await self._web.call("conversations.info", channel=channel)).get("channel") or {}
                open_to_all = shown.get("is_private") is False and not is_outside(shown, self._me.team)
                seen = _Seen(now, shown.get("id") == channel and open_to_all)
            if user and not seen.public and seen.members is None:
                listed = pages(self._web, "conversations.members", "members", channel=channel, limit=500)
                seen = seen._replace(members=frozenset([str(one) async for page in listed for one in page]))
        except CitewellError as error:
            log.warning("slack_channel_unseen", channel=channel, channel_counts_as="closed", reason=str(error))
            return False
        self._seen[channel] = seen
        return seen.public or user in (seen.members or ())
