"""`citewell backup [FILE]`, `citewell backup verify [FILE]` and `citewell restore FILE`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from bot.commands.terminal import DataOption, load_settings, print_line, print_note, print_warnings, run_async
from pipeline.errors import Refused
from pipeline.words import wording

if TYPE_CHECKING:
    from bot.config.settings import Settings
    from pipeline.values.api_access import ApiKey
    from storage.sqlite.verify import BackupContents

MAKE_COMMAND = "make"


class _MadeByDefault(TyperGroup):
    """A group for which `backup` and `backup FILE` make a backup."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override] # typer's own click
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = [MAKE_COMMAND, *args]
        return super().parse_args(ctx, args)


backup_app = typer.Typer(
    cls=_MadeByDefault,
    help="Back up the database, also while `citewell run` uses it. `verify` checks a backup.",
    subcommand_metavar="[FILE] [--data FOLDER] | verify [FILE] [--data FOLDER]",
)


@backup_app.command(MAKE_COMMAND, hidden=True)
def make(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="New file, or a folder; default: `backups` in the data folder."),
    ] = None,
    data: DataOption = None,
) -> None:
    """Back up all data: documents, passages, vectors, questions and answers.

    The backup has no settings and no tokens. Keep .env and citewell.toml elsewhere."""
    settings = _sqlite_settings(data)

    async def work() -> None:
        from storage.open import open_storage
        from storage.sqlite.verify import read_contents

        async with open_storage(settings.data, make=False) as storage:
            backup = await storage.back_up(file)
        _print_contents(
            f"Backed up and verified {_name_and_size(backup)}", await asyncio.to_thread(read_contents, backup)
        )

    run_async(work())


@backup_app.command()
def verify(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Backup to read; default: the last one in the data folder.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Read a backup and say what it contains. Exit status 2: it cannot be restored."""
    settings = _sqlite_settings(data)

    async def work() -> None:
        from storage.sqlite.backup import newest_backup
        from storage.sqlite.verify import read_contents

        chosen = file or newest_backup(settings.data / "backups")
        if chosen is None:
            raise Refused(f"there is no backup in {settings.data / 'backups'}", what_to_do="Make one: citewell backup")
        _print_contents(f"Verified {_name_and_size(chosen)}", await asyncio.to_thread(read_contents, chosen))

    run_async(work())


def restore(file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")], data: DataOption = None) -> None:
    """Restore a backup. The data folder is kept under another name. Stop `citewell run` first.

    Sessions and links to sources end. Keys that were revoked after the backup stay revoked."""
    settings = _sqlite_settings(data)

    async def work() -> None:
        from storage.sqlite.restore import restore_backup

        restored = await restore_backup(file, settings.data)
        _print_contents(f"{settings.data} is restored from {file}", restored.contents)
        print_line("People have to sign in to the page again. Links to sources in earlier answers no longer work.")
        if restored.revoked:
            print_line(f"Keys that were revoked since stay revoked: {_join_names(restored.revoked)}.")
        if restored.unchecked:
            print_warnings([f"keys that may have been revoked work again: {_join_names(restored.unchecked)}"])
            print_note("To revoke one: citewell keys revoke NAME")
        if old_folder := restored.old_folder:
            print_line(
                f"The former data folder is {old_folder}. "
                "It contains people's questions. Delete it when everything works."
            )
        print_note("Questions that were sent before the restore are not answered. People have to ask them again.")

    run_async(work())


def _sqlite_settings(data: Path | None) -> Settings:
    """Return the settings. Raises Refused when the data is in PostgreSQL."""
    settings = load_settings(data)
    if settings.database:
        raise Refused(
            "the data is in PostgreSQL, which has its own backups",
            what_to_do="Use pg_dump and pg_restore: docs/operations/postgresql.md",
        )
    return settings


def _join_names(keys: Iterable[ApiKey]) -> str:
    return ", ".join(f"{key.name} ({key.id})" for key in keys)


def _name_and_size(file: Path) -> str:
    return f"{file} ({file.stat().st_size / 1e6:.1f} MB)"


def _print_contents(heading: str, contents: BackupContents) -> None:
    counted = (
        wording.count_noun(contents.documents, "document"),
        wording.count_noun(contents.passages, "passage"),
        wording.count_noun(contents.answers, "answer"),
    )
    waiting = f"; {wording.count_noun(contents.waiting, 'question')} waiting" if contents.waiting else ""
    print_line(f"{heading}: {', '.join(counted)}{waiting}.")
