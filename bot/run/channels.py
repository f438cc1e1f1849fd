"""Channels that are a source: each is read when it is due, and each thread that changes is made a document."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog

from bot.desks.places import PlaceSettings
from bot.documents.indexing import Indexer
from bot.documents.threads import document
from bot.log import failures_logged
from bot.run.channel_history import ChannelHistory, oldest
from bot.run.thread_files import ThreadFiles
from pipeline.ports import AmongPeople, PlatformAdapter
from pipeline.values import ChannelLook, Place, PlaceId
from storage.documents.said import DueThread, SQLSaid
from storage.messages.outbox import SQLOutbox

EVERY = 1.0
"""Seconds between two looks at what is due: what is deleted is found no more within a few of them."""
PART = 50
"""Threads that are made documents between two looks at the channels."""
ANEW = timedelta(days=7)
"""How old a whole reading may become: what was edited or deleted while nobody listened is seen by the next one."""
SHUT = timedelta(minutes=10)
"""How long one that may not be read is left alone."""
RETRY = timedelta(minutes=1)
"""After which a reading that failed is begun again."""
FORGET_EVERY = timedelta(hours=1)
NEVER = datetime.min.replace(tzinfo=UTC)

log = structlog.get_logger(__name__)


@dataclass
class _Channel:
    """What this process has done for one."""

    told: bool = False
    caught_up: bool = False
    tidied: datetime = NEVER
    """When what was too old went last."""
    begun: datetime = NEVER
    """When the last reading began."""
    reading: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        return self.reading is not None and not self.reading.done()


class ChannelReader:
    """Runs in one process at a time."""

    def __init__(
        self,
        said: SQLSaid,
        outbox: SQLOutbox,
        places: PlaceSettings,
        indexer: Indexer,
        adapters: Mapping[str, PlatformAdapter],
        *,
        every: float = EVERY,
    ) -> None:
        self._said = said
        self._outbox = outbox
        self._places = places
        self._indexer = indexer
        self._platforms = {name: one for name, one in adapters.items() if isinstance(one, AmongPeople)}
        self._every = every
        self._files = ThreadFiles(self._platforms, indexer.reader)
        self._history = ChannelHistory(said, self._platforms, pause=every)
        self._channels: dict[PlaceId, _Channel] = {}
        self._swept = NEVER

    async def run(self) -> None:
        """Keep up until cancelled."""
        try:
            while True:
                with failures_logged(log, "channels_not_read"):
                    await self.look()
                with failures_logged(log, "threads_not_taken_in"):
                    while await self.make() == PART:
                        pass
                await asyncio.sleep(self._every)
        finally:
            for channel in self._channels.values():
                if channel.reading:
                    channel.reading.cancel()

    async def look(self) -> None:
        """Begin to read what is to be read, and forget what is no source any more."""
        looks, wanted = await self._said.looks(), await self._places.indexed()
        for place in {*looks, *self._channels, *await self._orphans()} - wanted.keys():
            await self._forget(place)
        for place, sets in wanted.items():
            await self._keep_up(place, sets, looks.get(place), self._channels.setdefault(place, _Channel()))

    async def _keep_up(self, place: PlaceId, sets: Place, look: ChannelLook | None, channel: _Channel) -> None:
        now = datetime.now(UTC)
        if abs(now - channel.tidied) > FORGET_EVERY:
            channel.tidied = now
            await self._said.drop_old(place, oldest(sets))
        if look and not look.closed and not channel.told:
            channel.told = True
            await self._outbox.tell_source(place)
        if channel.busy or abs(now - channel.begun) < RETRY or place.platform not in self._platforms:
            return
        if _due(look):
            self._begin(place, channel, partial(self._history.read, place, sets, look))
        elif look and not look.closed and not channel.caught_up:
            self._begin(place, channel, partial(self._history.catch_up, place, sets))

    def _begin(self, place: PlaceId, channel: _Channel, history: Callable[[], Awaitable[None]]) -> None:
        """What fails is tried again after a while."""

        async def read() -> None:
            with failures_logged(log, "channel_not_read", channel=str(place)):
                await history()
                channel.caught_up = True

        channel.begun = datetime.now(UTC)
        channel.reading = asyncio.create_task(read(), name=f"read {place}")

    async def _forget(self, place: PlaceId) -> None:
        channel = self._channels.pop(place, _Channel())
        if channel.reading:
            channel.reading.cancel()
            await asyncio.wait({channel.reading})
        await self._said.forget(place)
        log.info("channel_forgotten", channel=str(place))

    async def _orphans(self) -> set[PlaceId]:
        """Every hour, all that anything is kept of: an event may come while a channel is forgotten."""
        now = datetime.now(UTC)
        if abs(now - self._swept) < FORGET_EVERY:
            return set()
        self._swept = now
        return await self._said.channels()

    async def make(self) -> int:
        """Make documents of some threads that changed; how many were made. One that fails keeps no other waiting."""
        due = await self._said.due(PART)
        names = {place: look.name for place, look in (await self._said.looks()).items()} if due else {}
        made = 0
        for one in due:
            with failures_logged(log, "thread_not_taken_in", document=one.document):
                await self._make(one, names.get(one.channel, ""))
                made += 1
                continue
            await self._said.later(one)
        return made

    async def _make(self, due: DueThread, name: str) -> None:
        said = await self._said.thread(due)
        parsed = document(due, name, said, [await self._files.blocks(each) for each in said])
        if parsed:
            await self._indexer.keep(parsed)
        else:
            await self._indexer.library.remove([due.document])
        await self._said.made(due)


def _due(look: ChannelLook | None) -> bool:
    if look is None or look.complete is None:
        return True
    return abs(datetime.now(UTC) - look.complete) > (SHUT if look.closed else ANEW)
