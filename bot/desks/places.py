"""Settings of places: the file's, and over them what admins set in chat."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from bot.config.wrong import allowed
from bot.desks.authority import AuditedAuthority
from pipeline.errors import Refused, WrongSetting
from pipeline.rules.access import Rules
from pipeline.rules.places import Layer, in_force, origins
from pipeline.values import AS_SET, KEPT_OUT, Action, Actor, ChannelLook, Place, PlaceId, Readers, Said
from storage.documents.library import SQLLibrary
from storage.documents.said import SQLSaid
from storage.people.places import SQLPlaces

# --- Settings of places ---------------------------------------------------------------------------


class PlaceSettings:
    """One resolution for the file and for chat."""

    def __init__(
        self,
        file: Mapping[PlaceId, Place],
        rules: Rules,
        store: SQLPlaces,
        library: SQLLibrary,
        authority: AuditedAuthority,
        unindexed: Mapping[str, str],
    ) -> None:
        """`unindexed`: by platform, why no channel of it may be read as a source; "" where they may."""
        self._unindexed = unindexed
        self._file = file
        self._rules = rules
        self._store = store
        self._library = library
        self._authority = authority

    async def of(self, chain: Sequence[PlaceId]) -> Place:
        """What holds in the last place of `chain`, which begins with the widest."""
        return in_force(chain, self._file, await self._store.of(chain))

    async def origins(self, place: PlaceId) -> dict[str, tuple[Any, Layer]]:
        """Each name that is set for `place` or around it, with its value and where it comes from."""
        return origins(place.chain, self._file, await self._store.of(place.chain))

    async def set_here(self, place: PlaceId) -> Place:
        """What was set in chat for this very place."""
        return (await self._store.of([place])).get(place, Place())

    async def indexed(self, platform: str = "") -> dict[PlaceId, Place]:
        """The channels (of one `platform`) that are read as a source, each with what holds there."""
        if platform and self._unindexed.get(platform, platform):
            return {}
        chat = await self._store.all()
        named = {place for place in {*self._file, *chat} if self._rules.platforms.is_channel(place)}
        found = {place: in_force(place.chain, self._file, chat) for place in named}
        return {place: sets for place, sets in found.items() if sets.index and not self._why_not(place)}

    def _why_not(self, place: PlaceId) -> str:
        return self._unindexed.get(place.platform, "There is no such platform here.")

    async def set_up(self, actor: Actor, place: PlaceId, choices: Mapping[str, str]) -> Place:
        """Set what is chosen, by name and as it is written; `default` leaves in force what is set around it.

        Returns what holds there now. Raises NotAllowed, and Refused naming what is wrong; nothing is set then."""
        platform = self._rules.platforms.of(place.platform)
        if platform and platform.threads_only and choices.get("threads") == "false":
            said = f"threads must be true: {platform.title} answers in threads"
            raise Refused(said, what_to_do="Nothing was changed.")
        await self._authority.require(actor, Action.SET_UP, str(place))
        sets = self._chosen(await self.set_here(place), choices)
        await self._refuse_unknown(place, sets)
        if sets.ask and not (sets.ask.around == place.around and self._rules.platforms.is_channel(sets.ask)):
            what_to_do = "Name one; nothing was changed."
            raise WrongSetting(f"ask must be a channel of {place.around}", name="ask", what_to_do=what_to_do)
        if choices.get("index") == "true":
            self._refuse_index(place)
        await self._store.put(place, sets)
        return await self.of(place.chain)

    async def teachable(self, place: PlaceId) -> list[str]:
        """The collections that everyone in `place` may see, those included that have a rule and no document yet."""
        readers = Readers(groups=frozenset(map(str, place.chain)))
        names = {*await self._library.collections(), *self._rules.named}
        return sorted(
            name for name in names if not self._rules.of_channel(name) and self._rules.sight(readers, name).allowed
        )

    def _chosen(self, before: Place, choices: Mapping[str, str]) -> Place:
        if unknown := [name for name in choices if name not in Place.model_fields]:
            near = difflib.get_close_matches(unknown[0], Place.model_fields, n=1)
            raise Refused(
                f"there is no setting {unknown[0]}",
                what_to_do=f"Did you mean {near[0]}?" if near else "See the README.",
            )
        changes = {name: _read(name, value.strip()) for name, value in choices.items()}
        try:
            return Place.model_validate(before.model_dump() | changes)
        except ValidationError as error:
            (wrong, *_) = error.errors(include_url=False)
            name = str(wrong["loc"][0])
            must = allowed(Place.model_fields[name], wrong)
            what_to_do = "Correct that; nothing was changed."
            raise WrongSetting(f"{name} must be {must}", name=name, what_to_do=what_to_do) from None

    def _refuse_index(self, place: PlaceId) -> None:
        why = self._why_not(place) if place.channel else "Channels are read by name: set it for each of them."
        if why:
            raise Refused(f"what is said in {place} cannot be a source", what_to_do=f"{why} Nothing was changed.")

    async def _refuse_unknown(self, place: PlaceId, sets: Place) -> None:
        _refuse_others("collections", sets.collections or (), await self._library.collections())
        if sets.teach:
            _refuse_others("teach", (sets.teach,), await self.teachable(place))


def _refuse_others(setting: str, names: Iterable[str], there: Sequence[str]) -> None:
    for name in names:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=1)
            known = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(there) or 'none yet'}."
            raise WrongSetting(f"there is no collection {name}", name=setting, what_to_do=known, offered=tuple(there))


def _read(name: str, value: str) -> object:
    if not value or value == AS_SET:
        return None
    return tuple(value.replace(",", " ").split()) if name == "collections" else value


# --- Channels in which what people say is a source of answers -------------------------------------


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
