"""Channels in which what people say is a source of answers: the port `Channels`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from bot.desks.places import PlaceSettings
from pipeline.values import KEPT_OUT, ChannelLook, PlaceId, Said
from storage.documents.said import SQLSaid


class ChannelDesk:
    def __init__(self, said: SQLSaid, places: PlaceSettings) -> None:
        self._said = said
        self._places = places

    async def of(self, space: str) -> frozenset[PlaceId]:
        """Those of a workspace or server (`slack:T1`)."""
        there = await self._places.indexed(PlaceId.parse(space).platform)
        return frozenset(place for place in there if str(place.around) == space)

    async def indexed(self, chain: Sequence[PlaceId]) -> PlaceId | None:
        """The one that the places of `chain`, the widest first, are or lie in."""
        there = await self._places.indexed(chain[0].platform) if len(chain) > 1 else {}
        return next((place for place in chain if place in there), None)

    async def take(self, said: Sequence[Said], *, fresh: bool = False) -> None:
        """Keep messages as they are now; one that is kept out is forgotten. Durable when it returns. `fresh`: they were
        read just now, and not told of."""
        await self._said.take([one for one in said if not kept_out(one)], fresh=fresh)
        for one in filter(kept_out, said):
            await self._said.drop(one.channel, [one.message])

    async def drop(self, channel: PlaceId, messages: Collection[str], *, deleted: bool = False) -> None:
        """Nothing rests on messages any more: they are kept out, or `deleted` for good."""
        await self._said.drop(channel, messages, deleted=deleted)

    async def drop_thread(self, channel: PlaceId, thread: str) -> None:
        """All that was said in a thread is gone."""
        await self._said.drop_thread(channel, thread)

    async def left(self, channel: PlaceId) -> None:
        """A channel is gone, or we are not in it any more: nothing is kept of it."""
        await self._said.forget(channel)
        await self._said.take((), channel, closed())


def closed(name: str = "") -> ChannelLook:
    """Of a channel that may not be read now."""
    now = datetime.now(UTC)
    return ChannelLook(name=name, begun=now, complete=now, closed=True)


def kept_out(said: Said) -> bool:
    """Whether it says that it is not to be read, or says nothing."""
    return KEPT_OUT in said.text.lower() or not (said.text.strip() or said.files)
