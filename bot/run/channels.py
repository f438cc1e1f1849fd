"""Channels that are a source: their history is read part by part, and each thread that changes a document."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from bot.desks.channels import closed, kept_out
from bot.desks.places import PlaceSettings
from bot.documents.indexing import Indexer
from bot.documents.threads import document
from bot.log import failures_logged
from bot.run.thread_files import ThreadFiles
from pipeline.errors import Refused, Unavailable
from pipeline.ports import PlatformAdapter
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
        self._files = ThreadFiles(adapters, indexer.reader)
        self._told: set[PlaceId] = set()
        self._caught_up: set[PlaceId] = set()
        self._forgotten: dict[PlaceId, datetime] = {}
        self._next: dict[PlaceId, datetime] = {}
        """When a reading may begin again."""
        self._swept = NEVER
        self._places = places
        self._indexer = indexer
        self._adapters = adapters
        self._every = every
        self._reading: dict[PlaceId, asyncio.Task[None]] = {}

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
            for task in self._reading.values():
                task.cancel()

    async def look(self) -> None:
        """Begin to read what is to be read, and forget what is no source any more."""
        looks, wanted = await self._said.looks(), await self._places.indexed()
        for place in {*looks, *self._reading, *await self._orphans()} - wanted.keys():
            self._told.discard(place)
            self._next.pop(place, None)
            await self._stop(place)
            await self._said.forget(place)
            log.info("channel_forgotten", channel=str(place))
        self._reading = {place: task for place, task in self._reading.items() if not task.done()}
        for place, sets in wanted.items():
            await self._forget_old(place, sets)
            look = looks.get(place)
            known = look is not None and look.complete is not None and not look.closed
            if look and not look.closed and place not in self._told:
                self._told.add(place)
                await self._outbox.tell_source(place)
            early = datetime.now(UTC) < self._next.get(place, NEVER)
            if early or place in self._reading or place.platform not in self._adapters:
                continue
            if _due(look):
                self._begin(place, self._read(place, sets, look))
            elif known and place not in self._caught_up:
                self._begin(place, self._catch_up(place))

    def _begin(self, place: PlaceId, reading: Coroutine[Any, Any, None]) -> None:
        """What fails is tried again after a while."""
        self._next[place] = datetime.now(UTC) + RETRY
        self._reading[place] = asyncio.create_task(reading, name=f"read {place}")

    async def _orphans(self) -> set[PlaceId]:
        """Every hour, all that anything is kept of: an event may come while a channel is forgotten."""
        now = datetime.now(UTC)
        if now - self._swept < FORGET_EVERY:
            return set()
        self._swept = now
        return await self._said.channels()

    async def _forget_old(self, place: PlaceId, sets: Place) -> None:
        """What is older than it is to be kept, every hour."""
        now = datetime.now(UTC)
        if now - self._forgotten.get(place, NEVER) > FORGET_EVERY:
            self._forgotten[place] = now
            await self._said.drop_old(place, _oldest(sets))

    async def _stop(self, place: PlaceId) -> None:
        if task := self._reading.pop(place, None):
            task.cancel()
            await asyncio.wait({task})

    async def _read(self, place: PlaceId, sets: Place, look: ChannelLook | None) -> None:
        """Read all of a channel's history, from where it was left."""
        with failures_logged(log, "channel_not_read", channel=str(place)):
            look = look if look and not look.complete else ChannelLook(begun=datetime.now(UTC))
            oldest = _oldest(sets)
            while look.complete is None:
                look = await self._part(place, look, oldest)
            await self._said.drop_unseen(place, look.begun)
            self._caught_up.add(place)
            log.info("channel_read", channel=str(place), messages=look.read)

    async def _catch_up(self, place: PlaceId) -> None:
        """Read what was said last until nothing of it is new: what was said while nobody listened, however long."""
        with failures_logged(log, "channel_not_caught_up", channel=str(place)):
            position, news = "", 1
            while news:
                try:
                    part = await self._adapters[place.platform].history(place, position)
                except Refused as error:
                    await self._shut(place, "", error)
                    return
                news = await self._said.take([one for one in part.said if not kept_out(one)])
                position = part.position
                news = news if position else 0
            self._caught_up.add(place)

    async def _part(self, place: PlaceId, look: ChannelLook, oldest: datetime) -> ChannelLook:
        """How far it is read after the next part; one that we may not read any more is forgotten."""
        try:
            part = await self._adapters[place.platform].history(place, look.position)
        except Unavailable as error:
            log.warning("channel_unavailable", channel=str(place), reason=str(error))
            await asyncio.sleep(max(error.retry_after or 0.0, self._every))
            return look
        except Refused as error:
            return await self._shut(place, look.name, error)
        said = [one for one in part.said if one.at >= oldest and not kept_out(one)]
        back_to = min((one.at for one in part.said), default=look.back_to)
        over = not part.position or (back_to is not None and back_to < oldest)
        look = look.model_copy(
            update={
                "name": part.name or look.name,
                "position": "" if over else part.position,
                "read": look.read + len(said),
                "back_to": back_to,
                "since": max(part.since, oldest),
                "complete": datetime.now(UTC) if over else None,
            }
        )
        await self._said.take(said, place, look)
        return look

    async def _shut(self, place: PlaceId, name: str, error: Refused) -> ChannelLook:
        """We may not read it (any more): nothing of it is kept."""
        log.warning("channel_closed", channel=str(place), reason=str(error))
        await self._said.forget(place)
        shut = closed(name)
        await self._said.take((), place, shut)
        return shut

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


def _oldest(sets: Place) -> datetime:
    """Since when what was said is kept."""
    return datetime.now(UTC) - timedelta(days=sets.index_days or 0)


def _due(look: ChannelLook | None) -> bool:
    if look is None or look.complete is None:
        return True
    return datetime.now(UTC) - look.complete > (SHUT if look.closed else ANEW)
