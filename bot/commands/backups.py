"""`citewell backup [FILE]`, `citewell backup verify [FILE]` and `citewell restore FILE`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from bot.commands.terminal import Data, note, run, say, settings, warn
from pipeline.errors import Refused
from pipeline.words import wording

if TYPE_CHECKING:
    from bot.config.settings import Settings
    from pipeline.values.keys import Key
    from storage.sqlite.verify import Contents

MAKE = "make"


class _MadeByDefault(TyperGroup):
    """`backup` and `backup FILE` make a backup."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override] # typer's own click
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = [MAKE, *args]
        return super().parse_args(ctx, args)


backup = typer.Typer(
    cls=_MadeByDefault,
    help="Back up the database, also while `citewell run` uses it; `verify` reads a backup and says what it holds.",
    subcommand_metavar="[FILE] [--data FOLDER] | verify [FILE] [--data FOLDER]",
)


@backup.command(MAKE, hidden=True)
def make(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A new file, or a folder; default: `backups` in the data folder."),
    ] = None,
    data: Data = None,
) -> None:
    """Back up everything that is kept: documents, passages, vectors, questions and answers.

    Settings and tokens are not in it: keep .env and citewell.toml elsewhere."""
    found = _embedded(data)

    async def work() -> None:
        from storage.open import open_storage
        from storage.sqlite.verify import contents

        async with open_storage(found.data, make=False) as storage:
            made = await storage.back_up(file)
        _tell(f"Backed up and verified {_size(made)}", await asyncio.to_thread(contents, made))

    run(work())


@backup.command()
def verify(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A backup; default: the last one in the data folder.")
    ] = None,
    data: Data = None,
) -> None:
    """Read all of a backup and say what it holds; exit status 2 where it could not be restored."""
    found = _embedded(data)

    async def work() -> None:
        from storage.sqlite.backup import newest
        from storage.sqlite.verify import contents

        chosen = file or newest(found.data / "backups")
        if chosen is None:
            raise Refused(f"there is no backup in {found.data / 'backups'}", what_to_do="Make one: citewell backup")
        _tell(f"Verified {_size(chosen)}", await asyncio.to_thread(contents, chosen))

    run(work())


def restore(file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")], data: Data = None) -> None:
    """Put a backup in the place of the data folder, which is kept beside it. Stop `citewell run` first.

    Sessions and links to sources end, and keys that were revoked since stay revoked."""
    found = _embedded(data)

    async def work() -> None:
        from storage.sqlite.restore import restore

        restored = await restore(file, found.data)
        _tell(f"{found.data} is restored from {file}", restored.contents)
        say("Whoever was signed in to the page signs in again, and links to sources in earlier answers open nothing.")
        if restored.revoked:
            say(f"Keys that were revoked since stay revoked: {_named(restored.revoked)}.")
        if restored.unchecked:
            warn([f"keys open again of which nothing says whether they were revoked: {_named(restored.unchecked)}"])
            note("To close one that should not open: citewell keys revoke NAME")
        if kept := restored.kept:
            say(f"What was there before is kept in {kept}. It holds what people asked: delete it once all is well.")
        note("Questions sent before the restored database took over are not answered; whoever waits has to ask again.")

    run(work())


def _embedded(data: Path | None) -> Settings:
    """The settings. Raises Refused where everything is kept in PostgreSQL."""
    found = settings(data)
    if found.database:
        raise Refused(
            "what is kept is in PostgreSQL, which has its own backups",
            what_to_do="Use pg_dump and pg_restore: docs/operations/postgresql.md",
        )
    return found


def _named(keys: Iterable[Key]) -> str:
    return ", ".join(f"{key.name} ({key.id})" for key in keys)


def _size(file: Path) -> str:
    return f"{file} ({file.stat().st_size / 1e6:.1f} MB)"


def _tell(what: str, contents: Contents) -> None:
    counted = (
        wording.counted(contents.documents, "document"),
        wording.counted(contents.passages, "passage"),
        wording.counted(contents.answers, "answer"),
    )
    waiting = f"; {wording.counted(contents.waiting, 'question')} waiting" if contents.waiting else ""
    say(f"{what}: {', '.join(counted)}{waiting}.")
