"""Settings of places: the file's, and over them what admins set in chat."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from bot.authority import Authority
from bot.wrong_settings import allowed
from pipeline.errors import Refused, WrongSetting
from pipeline.places import Layer, around, in_force, origins
from pipeline.values import AS_SET, Action, Actor, Place, place_id
from storage.library import SQLiteLibrary
from storage.places import SQLitePlaces


class Places:
    """One resolution for the file and for chat."""

    def __init__(
        self, file: Mapping[str, Place], store: SQLitePlaces, library: SQLiteLibrary, authority: Authority
    ) -> None:
        self._file = file
        self._store = store
        self._library = library
        self._authority = authority
        self._chat: dict[str, Place] | None = None
        """What was set in chat: this process alone does that, and asks for every message."""

    async def of(self, chain: Sequence[str]) -> Place:
        """What holds in the last place of `chain`, which begins with the widest."""
        return in_force(chain, self._file, await self._set())

    async def origins(self, place: str) -> dict[str, tuple[Any, Layer]]:
        """Each name that is set for `place` or around it, with its value and where it comes from."""
        chain = around(place)
        return origins(chain, self._file, await self._set())

    async def set_here(self, place: str) -> Place:
        """What was set in chat for this very place."""
        return (await self._set()).get(place, Place())

    async def set_up(self, actor: Actor, place: str, choices: Mapping[str, str]) -> Place:
        """Set what is chosen, by name and as it is written; `default` leaves in force what is set around it.

        Returns what holds there now. Raises NotAllowed, and Refused naming what is wrong; nothing is set then."""
        _refuse_elsewhere(place)
        if place.startswith("slack:") and "threads" in choices and choices["threads"] == "false":
            raise Refused("threads must be true: Slack answers in threads", what_to_do="Nothing was changed.")
        await self._authority.require(actor, Action.SET_UP, place)
        sets = self._chosen(await self.set_here(place), choices)
        await self._refuse_unknown(sets)
        space = around(place)[0]
        if sets.ask and not sets.ask.startswith(f"{space}:"):
            what_to_do = "Name one; nothing was changed."
            raise WrongSetting(f"ask must be a channel of {space}", name="ask", what_to_do=what_to_do)
        await self._store.put(place, sets)
        self._chat = None
        return await self.of(around(place))

    async def _set(self) -> dict[str, Place]:
        if self._chat is None:
            self._chat = await self._store.all()
        return self._chat

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
            must = allowed(Place.model_fields[name], wrong["loc"], wrong)
            what_to_do = "Correct that; nothing was changed."
            raise WrongSetting(f"{name} must be {must}", name=name, what_to_do=what_to_do) from None

    async def _refuse_unknown(self, sets: Place) -> None:
        there = await self._library.collections()
        for name in sets.collections or ():
            if name not in there:
                near = difflib.get_close_matches(name, there, n=1)
                known = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(there) or 'none yet'}."
                refused = f"there is no collection {name}"
                raise WrongSetting(refused, name="collections", what_to_do=known, offered=tuple(there))


def _refuse_elsewhere(place: str) -> None:
    try:
        place_id(place)
    except ValueError as error:
        raise Refused(f"{place} is no place", what_to_do=f"Name {error}.") from None


def _read(name: str, value: str) -> object:
    if not value or value == AS_SET:
        return None
    return tuple(value.replace(",", " ").split()) if name == "collections" else value
