"""What a place sees, and which rule decides it: the same decisions as for an answer, in lines for the operator."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.access import Roles, Rules, Sight, roles_of
from pipeline.places import Layer
from pipeline.values import Actor, PlaceId, Readers, Value

OUTSIDE = "While a guest or somebody of another organisation reads along"


class Reading(Value):
    """Who would read a reply: everyone in a place, or one person there in private."""

    place: PlaceId
    person: str = ""

    @property
    def readers(self) -> Readers:
        """As the platforms tell them: a private reply counts both the person and the channel it was asked for in."""
        platform, space = self.place.platform, self.place.space
        groups = [str(place) for place in self.place.chain]
        if self.person:
            names = [f"{space}:{self.person}"] if platform == "slack" else [f"user:{self.person}", self.person]
            groups += [f"{platform}:{name}" for name in names]
        return Readers(groups=frozenset(groups))

    @property
    def actor(self) -> Actor:
        return Actor(person=self.person, groups=self.readers.groups)


def explained(
    reading: Reading,
    collections: Sequence[str],
    rules: Rules,
    roles: Roles,
    settings: Mapping[str, tuple[Any, Layer]],
) -> list[str]:
    """One line for each collection, then what changes when outsiders read along, what is set for the place, and the
    person's roles."""
    readers = reading.readers
    who = f"{reading.person} alone" if reading.person else "everyone there"
    lines = [f"{reading.place}, read by {who}"]
    searched, origin = settings.get("collections") or (collections, None)
    width = max(map(len, collections), default=0)
    for name in collections:
        found = rules.sight(readers, name)
        if origin and found.allowed and name not in searched:
            found = Sight(allowed=False, because=f"not among the collections set for {origin.place} ({origin.source})")
        lines.append(f"  {name:<{width}}  {'seen  ' if found.allowed else 'hidden'}  {found.because}")
    readable = [name for name in collections if name in searched]
    outside = readers.model_copy(update={"external": True})
    public = [name for name in readable if rules.sight(outside, name).allowed]
    lines.append(f"{OUTSIDE}: {', '.join(public) or 'nothing'}")
    lines += [f"{name} = {_toml(value)}  {layer.place}, {layer.source}" for name, (value, layer) in settings.items()]
    if reading.person:
        held = roles_of(reading.actor, roles)
        lines.append(f"Roles given to {reading.person} by name: {', '.join(held) or 'none'}")
    if reading.place.platform == "discord" and reading.person:
        lines.append("Not known here: the roles that this person has in Discord, which may show or allow more.")
    return lines


def _toml(value: Any) -> str:
    """As it would stand in the file."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, default=str)
