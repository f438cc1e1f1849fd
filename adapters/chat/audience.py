"""The readers of a reply: a platform's facts about them, as the groups that collections are opened to.

This is the border that no document crosses. Unknown facts add no group and count as outside. Nothing here adds a group
that the platform did not name, except channels that are a source, and each of those is asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import structlog

from pipeline.errors import CitewellError
from pipeline.rules.access import channel_group
from pipeline.values import PlaceId, Readers

MAX_CACHED_FACTS = 10_000
"""Entries of a cache. A full cache is cleared."""
K = TypeVar("K")
V = TypeVar("V")
CanReadChannel = Callable[[PlaceId], Awaitable[bool]]
SourceChannels = Callable[[str], Awaitable[frozenset[PlaceId]]]
"""Lookup of the channels of a workspace (`slack:T1`) that are a source."""

log = structlog.get_logger(__name__)


async def _read_none(_: PlaceId) -> bool:
    return False


@dataclass(frozen=True)
class AudienceFacts:
    """Facts about the people who will read something."""

    groups: frozenset[str]
    """Groups that every one of them is in."""
    all_inside: bool = False
    """True where it is certain that nobody is outside the organisation."""
    spaces: frozenset[str] = frozenset()
    """Workspaces in which they may read some channels."""
    can_read_channel: CanReadChannel = _read_none
    """Check whether all of them may read a channel now. An error counts as no."""


class ReadersBuilder:
    """Builder of readers from facts. A channel not resolved within `patience` seconds counts as closed."""

    def __init__(self, source_channels: SourceChannels, *, patience: float) -> None:
        self._source_channels = source_channels
        self._patience = patience
        self._late_checks: set[asyncio.Task[bool]] = set()

    async def build(self, facts: AudienceFacts) -> Readers:
        channels: set[PlaceId] = set()
        if facts.all_inside:
            for space in facts.spaces:
                channels |= await self._source_channels(space)
        return build_readers(facts, await self._readable(facts.can_read_channel, channels))

    async def _readable(self, can_read: CanReadChannel, channels: Iterable[PlaceId]) -> list[PlaceId]:
        checks = {asyncio.create_task(_check(can_read, channel)): channel for channel in channels}
        if not checks:
            return []
        done, late = await asyncio.wait(checks, timeout=self._patience)
        if late:  # they go on, and the next question finds what they saw
            log.warning("channel_access_timeout", channels=len(late), channels_count_as="closed")
            self._late_checks |= late
            for task in late:
                task.add_done_callback(self._late_checks.discard)
        return [checks[task] for task in done if task.result()]


def build_readers(facts: AudienceFacts, readable: Iterable[PlaceId]) -> Readers:
    """Return the readers with the channels that all of them may read; none of the channels where somebody is
    outside."""
    groups = {channel_group(channel) for channel in readable} if facts.all_inside else set[str]()
    return Readers(groups=facts.groups | groups, external=not facts.all_inside)


async def _check(can_read: CanReadChannel, channel: PlaceId) -> bool:
    try:
        return await can_read(channel)
    except CitewellError as error:
        log.warning("channel_access_unknown", channel=str(channel), channel_counts_as="closed", reason=str(error))
        return False


class TtlCache(Generic[K, V]):
    """Cache of awaited values that expire after `seconds`. Errors are not cached."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._entries: dict[K, tuple[float, V]] = {}

    async def get(self, key: K, ask: Callable[[], Awaitable[V]]) -> V:
        """Return the cached value of `key`, or await `ask` for it. Raises the errors of `ask`."""
        now = asyncio.get_running_loop().time()
        if key in self._entries:
            at, value = self._entries[key]
            if now - at < self._seconds:
                return value
        value = await ask()
        if len(self._entries) >= MAX_CACHED_FACTS:
            self._entries.clear()
        self._entries[key] = now, value
        return value

    def forget(self, key: K) -> None:
        self._entries.pop(key, None)
