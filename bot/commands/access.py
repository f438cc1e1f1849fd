"""`citewell audience explain` and `citewell audit`."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from bot.commands.terminal import Data, note, out, run, settings
from pipeline.text import visible
from pipeline.values import Decision, PlaceId

audience = typer.Typer(help="Who sees what.", no_args_is_help=True)
_PERSON = {"slack": re.compile(r"[UW][A-Z0-9]+"), "discord": re.compile(r"[0-9]+")}


@audience.callback()
def _group() -> None:
    """Keep `explain` a command of its own."""


def _place(value: str) -> PlaceId:
    try:
        return PlaceId.parse(value)
    except ValueError as error:
        raise typer.BadParameter(f"must be {error}, not {value!r}") from None


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
    if person and not _PERSON[place.platform].fullmatch(person):
        raise typer.BadParameter(f"--person must be an id of {place.platform}, not {person!r}")

    async def work() -> None:
        from bot.explain import Reading, explained
        from bot.wiring import open_citewell

        async with open_citewell(found, make=False) as citewell:
            collections = await citewell.storage.library.collections()
            reading = Reading(place=place, person=person)
            settings = await citewell.desk.places.origins(place)
            for line in explained(reading, collections, citewell.rules, citewell.roles, settings):
                out.print(visible(line), markup=False, soft_wrap=True)

    run(work())


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
            out.print(visible(_line(decision)), markup=False, soft_wrap=True)

    run(work())


def _line(decision: Decision) -> str:
    about = f" ({decision.subject})" if decision.subject else ""
    outcome = "" if decision.allowed else ": not allowed"
    return f"{decision.at:%Y-%m-%d %H:%M} {decision.actor} {decision.action}{about}{outcome}"
