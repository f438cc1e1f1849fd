"""`citewell links rotate`."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.commands.terminal import Data, out, run, settings

links = typer.Typer(help="Look after the links that open sources on the page.", no_args_is_help=True)


@links.callback()
def _group() -> None:
    """Keep `rotate` a command of its own."""


@links.command()
def rotate(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: Data = None,
) -> None:
    """Sign links to sources with a new key. Those in answers that were given before open nothing any more."""
    found = settings(data)
    if not yes:
        typer.confirm("Close every link to a source that is in an answer until now?", abort=True)

    async def work() -> None:
        from bot.wiring import open_citewell
        from storage.settings import rotate_link_key

        async with open_citewell(found, make=False) as citewell:
            await rotate_link_key(citewell.storage.database)
        out.print("Links that were made before open nothing any more, from now on. New answers have new ones.")

    run(work())
