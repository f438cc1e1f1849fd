"""`citewell run`: every platform whose tokens are set, until stopped."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated

import typer

from bot import known
from bot.commands.terminal import Data, say, settings
from bot.commands.terminal import run as run_to_end
from bot.run.roles import parts
from pipeline.rules.platforms import alternatives


def _part(value: str) -> str:
    if value not in parts():
        raise typer.BadParameter(f"must be {alternatives(parts())}, not {value!r}")
    return value


OnlyOption = Annotated[
    str | None,
    typer.Option(
        "--only",
        parser=_part,
        metavar="|".join(parts()),
        help="Of several processes on PostgreSQL, do this and leave the rest to others.",
    ),
]


def described() -> str:
    """The help of `run`, which names every platform."""
    platforms = known.platforms()
    titles = " and ".join(platform.title for platform in platforms)
    needs = ", ".join(f"{platform.title} needs {platform.needs}" for platform in platforms)
    return f"Answer on {titles}, until Ctrl-C or SIGTERM.\n\n{needs}; what is not set is left out."


def run(data: Data = None, only: OnlyOption = None) -> None:
    """Answer where people ask, until Ctrl-C or SIGTERM."""
    found = settings(data, service=True)

    async def work() -> None:
        from bot.run.service import serve

        status = await serve(found, say, only)
        if status:
            raise typer.Exit(status)

    run_to_end(work())
    _leave()


def _leave() -> None:
    """End the process: all is closed, and tearing down what was imported takes a second that a supervisor waits for."""
    logging.shutdown()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os._exit(0)
