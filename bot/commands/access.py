"""`citewell audience explain` and `citewell audit`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from bot import registry
from bot.commands.terminal import DataOption, load_settings, out, print_line, print_note, run_async
from pipeline.rules.access import AccessDecision, AccessPolicy, RoleGrants, roles_of
from pipeline.rules.place_settings import SettingsLayer
from pipeline.values import Actor, AuditEntry, PersonId, PlaceId, Readers, Value, replace
from pipeline.values.ids import split_id

audience_app = typer.Typer(help="Show who sees which collection.", no_args_is_help=True)
EXTERNAL_READER_NOTE = "While a guest or somebody of another organisation reads along"


@audience_app.callback()
def _group() -> None:
    """Keep `explain` a command of its own."""


def _place(value: str) -> PlaceId:
    try:
        return registry.platforms().parse_place(value)
    except ValueError as error:
        raise typer.BadParameter(f"must be {error}, not {value!r}") from None


def _person(place: PlaceId, user: str) -> PersonId:
    platform = registry.platforms().find_platform(place.platform)
    person_id = platform.person_id(place.space, ":".join(split_id(user))) if platform else None
    if platform is None or person_id is None or not platform.person.matches(person_id.group):
        raise typer.BadParameter(f"--person must be an id of {place.platform}, not {user!r}")
    return person_id


@audience_app.command()
def explain(
    place: Annotated[
        PlaceId,
        typer.Option(
            "--place", parser=_place, metavar="PLACE", help="Place, such as slack:T0123:C0456 or discord:1234:5678."
        ),
    ],
    person: Annotated[str, typer.Option("--person", help="Person who gets a private reply there: U0789.")] = "",
    data: DataOption = None,
) -> None:
    """Show which collections are searched for a place, and the rule that decides each."""
    settings = load_settings(data)
    reader = _person(place, person) if person else None

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            collections = await citewell.storage.library.list_collections()
            reading = _Reading(place=place, person=reader)
            origins = await citewell.services.places.origins(place)
            for line in _explain_lines(reading, collections, citewell.rules, citewell.roles, origins):
                print_line(line)

    run_async(work())


class _Reading(Value):
    """Readers of a reply: everyone in a place, or one person there in private."""

    place: PlaceId
    person: PersonId | None = None

    @property
    def readers(self) -> Readers:
        """The readers as the platforms report them: a private reply counts the person and the channel it was
        asked in."""
        groups = [str(place) for place in self.place.chain]
        alone = [self.person.group, str(self.person)] if self.person else []
        return Readers(groups=frozenset([*groups, *alone]))

    @property
    def actor(self) -> Actor:
        return Actor(person=str(self.person or ""), groups=self.readers.groups)


def _explain_lines(
    reading: _Reading,
    collections: Sequence[str],
    rules: AccessPolicy,
    roles: RoleGrants,
    settings: Mapping[str, tuple[Any, SettingsLayer]],
) -> list[str]:
    """Return one line for each collection, then the effect of outsiders, the place's settings, and the person's
    roles."""
    readers = reading.readers
    reader = f"{reading.person.user} alone" if reading.person else "everyone there"
    lines = [f"{reading.place}, read by {reader}"]
    searched, origin = settings.get("collections") or (collections, None)
    width = max(map(len, collections), default=0)
    for name in collections:
        decision = rules.check_access(readers, name)
        if origin and decision.allowed and name not in searched:
            decision = AccessDecision(
                allowed=False, because=f"not among the collections set for {origin.place} ({origin.source})"
            )
        lines.append(f"  {name:<{width}}  {'seen  ' if decision.allowed else 'hidden'}  {decision.because}")
    readable = [name for name in collections if name in searched]
    outside = replace(readers, external=True)
    public = [name for name in readable if rules.check_access(outside, name).allowed]
    lines.append(f"{EXTERNAL_READER_NOTE}: {', '.join(public) or 'nothing'}")
    lines += [
        f"{name} = {_format_toml(value)}  {layer.place}, {layer.source}" for name, (value, layer) in settings.items()
    ]
    if reading.person:
        granted = roles_of(reading.actor, roles)
        lines.append(f"Roles given to {reading.person.user} by name: {', '.join(granted) or 'none'}")
        platform = rules.platforms.find_platform(reading.place.platform)
        if platform and platform.read_by_role:
            platform_roles = f"the roles that this person has in {platform.title}"
            lines.append(f"This command does not know {platform_roles}. They may show or allow more.")
    return lines


def _format_toml(value: Any) -> str:
    """Return a value as TOML."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, default=str)


def audit(
    limit: Annotated[int, typer.Option("--limit", min=1, help="Rows to show.")] = 50,
    json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
    data: DataOption = None,
) -> None:
    """Show who changed or tried to change something, and who read other people's data. The newest come first."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            decisions = await citewell.storage.audit.latest(limit)
        if json:
            out.print_json(data=[decision.model_dump(mode="json") for decision in decisions])
            return
        if not decisions:
            print_note("Nobody has changed anything yet.")
        for decision in decisions:
            print_line(_format_entry(decision))

    run_async(work())


def _format_entry(decision: AuditEntry) -> str:
    subject = f" ({decision.subject})" if decision.subject else ""
    outcome = "" if decision.allowed else ": not allowed"
    return f"{decision.at:%Y-%m-%d %H:%M} {decision.actor} {decision.action}{subject}{outcome}"
