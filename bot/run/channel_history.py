"""What was said in one channel before: read part by part, from where it was left."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import structlog

from bot.desks.channels import closed, kept_out
from pipeline.errors import Refused, Unavailable
from pipeline.ports import AmongPeople
from pipeline.values import ChannelLook, Place, PlaceId, Said, Stretch, replace
from storage.documents.said import SQLSaid

log = structlog.get_logger(__name__)


class ChannelHistory:
    """Reads channels of `platforms`."""

    def __init__(self, said: SQLSaid, platforms: Mapping[str, AmongPeople], *, pause: float) -> None:
        """`pause`: seconds after which a platform that does not say when is asked again."""
        self._said = said
        self._platforms = platforms
        self._pause = pause

    async def read(self, place: PlaceId, sets: Place, look: ChannelLook | None) -> None:
        """Read all of it; of one that we may not read nothing is kept."""
        look = look if look and not look.complete else ChannelLook(begun=datetime.now(UTC))
        while look.complete is None:
            look = await self._part(place, look, oldest(sets))
        if look.begun <= datetime.now(UTC):  # else by a clock that was wrong: nothing would seem to be seen since
            await self._said.drop_unseen(place, look.begun)
        log.info("channel_read", channel=str(place), messages=look.read)

    async def catch_up(self, place: PlaceId, sets: Place) -> None:
        """Read what was said last until nothing of it is new: what was said while nobody listened, as far back as it is
        kept."""
        position, news = "", True
        while news:
            try:
                part = await self._platforms[place.platform].history(place, position)
            except Refused as error:
                await self._shut(place, "", error)
                return
            taken = await self._said.take(_to_keep(part, oldest(sets)))
            position, news = part.position, bool(taken and part.position)

    async def _part(self, place: PlaceId, look: ChannelLook, since: datetime) -> ChannelLook:
        """How far it is read after the next part."""
        try:
            part = await self._platforms[place.platform].history(place, look.position)
        except Unavailable as error:
            log.warning("channel_unavailable", channel=str(place), reason=str(error))
            await asyncio.sleep(max(error.retry_after or 0.0, self._pause))
            return look
        except Refused as error:
            return await self._shut(place, look.name, error)
        said = _to_keep(part, since)
        back_to = min((one.at for one in part.said), default=look.back_to)
        over = not part.position or (back_to is not None and back_to < since)
        look = replace(
            look,
            name=part.name or look.name,
            position="" if over else part.position,
            read=look.read + len(said),
            back_to=back_to,
            since=max(part.since, since),
            complete=datetime.now(UTC) if over else None,
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


def _to_keep(part: Stretch, since: datetime) -> list[Said]:
    return [one for one in part.said if one.at >= since and not kept_out(one)]


def oldest(sets: Place) -> datetime:
    """Since when what was said is kept."""
    return datetime.now(UTC) - timedelta(days=sets.index_days or 0)
