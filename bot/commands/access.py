"""`citewell audience explain` and `citewell audit`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from bot import known
from bot.commands.terminal import Data, note, out, run, say, settings
from pipeline.rules.access import Roles, Rules, Sight, roles_of
from pipeline.rules.places import Layer
from pipeline.values import Actor, Decision, PersonId, PlaceId, Readers, Value, replace
from pipeline.values.ids import parts_of

audience = typer.Typer(help="Who sees what.", no_args_is_help=True)
OUTSIDE = "While a guest or somebody of another organisation reads along"


@audience.callback()
def _group() -> None:
    """Keep `explain` a command of its own."""


def _place(value: str) -> PlaceId:
    try:
        return known.platforms().place(value)
    except ValueError as error:
        raise typer.BadParameter(f"must be {error}, not {value!r}") from None


def _person(place: PlaceId, user: str) -> PersonId:
    platform = known.platforms().of(place.platform)
    found = platform.person_id(place.space, ":".join(parts_of(user))) if platform else None
    if platform is None or found is None or not platform.person.fits(found.group):
        raise typer.BadParameter(f"--person must be an id of {place.platform}, not {user!r}")
    return found


@audience.command()
def explain(
    place: Annotated[
        PlaceId,
        typer.Option(
            "--place", parser=_place, metavar="PLACE", help="Where it is asked: slack:T0123:C0456, discord:1234:5678."
        ),
    ],
    person: Annotated[str, typer.Option("--person", help="Who reads a private reply there: U0789.")] = "",
    data: Data = None,
) -> None:
    """Show which collections a place sees, and which rule gives or withholds each."""
    found = settings(data)
    reader = _person(place, person) if person else None

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(found, make=False) as citewell:
            collections = await citewell.storage.library.collections()
            reading = _Reading(place=place, person=reader)
            settings = await citewell.desk.places.origins(place)
            for line in _explained(reading, collections, citewell.rules, citewell.roles, settings):
                say(line)

    run(work())


class _Reading(Value):
    """Who would read a reply: everyone in a place, or one person there in private."""

    place: PlaceId
    person: PersonId | None = None

    @property
    def readers(self) -> Readers:
        """As the platforms tell them: a private reply counts both the person and the channel it was asked for in."""
        groups = [str(place) for place in self.place.chain]
        alone = [self.person.group, str(self.person)] if self.person else []
        return Readers(groups=frozenset([*groups, *alone]))

    @property
    def actor(self) -> Actor:
        return Actor(person=str(self.person or ""), groups=self.readers.groups)


def _explained(
    reading: _Reading,
    collections: Sequence[str],
    rules: Rules,
    roles: Roles,
    settings: Mapping[str, tuple[Any, Layer]],
) -> list[str]:
    """One line for each collection, then what changes when outsiders read along, what is set for the place, and the
    person's roles."""
    readers = reading.readers
    who = f"{reading.person.user} alone" if reading.person else "everyone there"
    lines = [f"{reading.place}, read by {who}"]
    searched, origin = settings.get("collections") or (collections, None)
    width = max(map(len, collections), default=0)
    for name in collections:
        found = rules.sight(readers, name)
        if origin and found.allowed and name not in searched:
            found = Sight(allowed=False, because=f"not among the collections set for {origin.place} ({origin.source})")
        lines.append(f"  {name:<{width}}  {'seen  ' if found.allowed else 'hidden'}  {found.because}")
    readable = [name for name in collections if name in searched]
    outside = replace(readers, external=True)
    public = [name for name in readable if rules.sight(outside, name).allowed]
    lines.append(f"{OUTSIDE}: {', '.join(public) or 'nothing'}")
    lines += [f"{name} = {_toml(value)}  {layer.place}, {layer.source}" for name, (value, layer) in settings.items()]
    if reading.person:
        held = roles_of(reading.actor, roles)
        lines.append(f"Roles given to {reading.person.user} by name: {', '.join(held) or 'none'}")
        platform = rules.platforms.of(reading.place.platform)
        if platform and platform.read_by_role:
            there = f"the roles that this person has in {platform.title}"
            lines.append(f"Not known here: {there}, which may show or allow more.")
    return lines


def _toml(value: Any) -> str:
    """As it would stand in the file."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, default=str)


def audit(
    limit: Annotated[int, typer.Option("--limit", min=1, help="Rows to show.")] = 50,
    json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
    data: Data = None,
) -> None:
    """Show who changed or tried to change something, or looked at others' data; newest first."""
    found = settings(data)

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(found, make=False) as citewell:
            decisions = await citewell.storage.audit.latest(limit)
        if json:
            out.print_json(data=[decision.model_dump(mode="json") for decision in decisions])
            return
        if not decisions:
            note("Nobody has changed anything yet.")
        for decision in decisions:
            say(_line(decision))

    run(work())


def _line(decision: Decision) -> str:
    about = f" ({decision.subject})" if decision.subject else ""
    outcome = "" if decision.allowed else ": not allowed"
    return f"{decision.at:%Y-%m-%d %H:%M} {decision.actor} {decision.action}{about}{outcome}"
