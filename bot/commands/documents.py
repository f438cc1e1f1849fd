"""`citewell documents`: list what is indexed, and forget some of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from bot.commands.selection import comes_back, ended, hint, named, path_of, select
from bot.commands.terminal import EMPTY, Data, note, out, run, settings, warn
from bot.settings import Settings
from pipeline import wording
from pipeline.errors import Refused
from pipeline.text import visible
from pipeline.values import Action, Document

documents = typer.Typer(help="List or forget what is indexed.", invoke_without_command=True)


@documents.callback()
def list_documents(context: typer.Context, data: Data = None) -> None:
    """List what is indexed: as a table on a terminal, elsewhere one document a line with tabs between."""
    if context.invoked_subcommand:
        return
    found = settings(data)

    async def work() -> None:
        from bot.checks import idle_rules
        from bot.wiring import open_citewell

        async with open_citewell(found, make=False) as citewell:
            listed = await citewell.storage.library.documents()
            warn(await idle_rules(citewell))
        if not listed:
            note(EMPTY)
            return
        rows = [_row(document) for document in listed]
        if not out.is_terminal:
            for row in rows:
                typer.echo("\t".join(row))
            return
        widest = min(max(len(row[0]) for row in rows), out.width // 2)
        table = Table(Column("id", overflow="fold", min_width=widest), "title", "collection", "file", box=None)
        for row in rows:
            table.add_row(*map(Text, row))
        out.print(table)

    run(work())


def _refuse_empty(names: list[str]) -> list[str]:
    """An empty path is the current folder: a variable that is not set would forget everything below it."""
    if not all(name.strip() for name in names):
        raise typer.BadParameter("A name is empty. Name a document, a file or a folder; for this folder, `.`.")
    return names


@documents.command()
def remove(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            callback=_refuse_empty,
            help="Ids, files or titles as `citewell documents` lists them, or paths of files and folders.",
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a name forgets several documents.")] = False,
    data: Data = None,
) -> None:
    """Forget documents: their text is erased. A name that stands for several is asked about first.

    Exit status 1: some names fit nothing that is indexed, or the answer was no."""
    found = settings(data)
    unknown: list[str] = []
    if not yes:
        _confirm(asyncio.run(_several(found, names)))

    async def work() -> None:
        from bot.authority import AT_THE_TERMINAL
        from bot.wiring import open_citewell

        async with open_citewell(found, make=False) as citewell:
            library = citewell.storage.library
            listed = await library.documents()
            chosen = {name: select(listed, name) for name in names}
            gone = {document.id: document for documents in chosen.values() for document in documents}
            for collection in sorted({document.collection for document in gone.values()}):
                await citewell.authority.require(AT_THE_TERMINAL, Action.REMOVE, collection)
            removed = await library.remove(gone.keys())
            sources = set(map(Path, await library.sources()))
            places = {name: named(sources, name) for name in names}
            unknown.extend(hint(listed, name) for name in names if not chosen[name] and not places[name])
            left = {document.source for document in listed if document.id not in gone}
            emptied = {path_of(one) for one in gone.values() if one.source not in left}
            over = ended(sources, (sources & emptied).union(*places.values()))
            await library.release([source.as_posix() for source in over])
        out.print(f"{wording.counted(removed, 'document')} removed")
        if back := sum(comes_back(one, sources - over) for one in gone.values()):
            files = wording.counted(back, "of these files is", "of these files are")
            note(f"{files} still in an indexed folder and will come back with its next index.")

    run(work())
    for line in unknown:
        note(visible(line))
    if unknown:
        raise typer.Exit(1)


async def _several(found: Settings, names: Sequence[str]) -> dict[str, int]:
    """The names that stand for more than one document, and for how many."""
    from bot.wiring import open_citewell

    async with open_citewell(found, make=False) as citewell:
        listed = await citewell.storage.library.documents()
    counts = {name: len(select(listed, name)) for name in names}
    return {name: count for name, count in counts.items() if count > 1}


def _confirm(several: dict[str, int]) -> None:
    """Raises Abort for a no, and Refused where nobody can be asked."""
    if not several:
        return
    what = visible(" and ".join(f"all {count} documents of {name}" for name, count in several.items()))
    if not sys.stdin.isatty():
        raise Refused(f"this would forget {what}", what_to_do="If that is meant, add --yes.")
    typer.confirm(f"Forget {what}?", abort=True)


def _row(document: Document) -> tuple[str, str, str, str]:
    note = " (flagged: holds instructions to an assistant)" if document.flagged else ""
    named = (document.id, document.title, document.collection, document.filename + note)
    identity, title, collection, filename = map(visible, named)
    return identity, title, collection, filename
