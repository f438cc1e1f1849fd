"""`citewell index` and `citewell documents`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from adapters.console.render import clean
from bot.commands.terminal import Data, err, out, run, settings
from pipeline import wording
from pipeline.ingestion.ingest import Event, Failed, Summary

documents = typer.Typer(help="List or forget what is indexed.", invoke_without_command=True)


def index(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders; folders are read recursively.")] = [],  # noqa: B006
    collection: Annotated[str, typer.Option("--collection", help="Collection to fill.")] = "",
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild the vector index from the database.")] = False,
    data: Data = None,
) -> None:
    """Index documents, or bring the index up to date. Exit status 1: some documents could not be read."""
    if not paths and not rebuild:
        raise typer.BadParameter("Name a file or folder to index, or use --rebuild.")
    found = settings(data)
    summaries: list[Summary] = []

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(found) as citewell:
            if rebuild:
                chunks = await citewell.storage.index.rebuild()
                out.print(f"Rebuilt the vector index: {wording.counted(chunks, 'passage')}.")
            if paths:
                with _progress() as show:
                    summaries.append(await citewell.index(paths, collection=collection, on_event=show))

    run(work())
    for summary in summaries:
        _summarise(summary)
        if summary.failed:
            raise typer.Exit(1)


class _progress:  # noqa: N801 - used like a function
    """A bar on a terminal, a line for each failure elsewhere."""

    def __enter__(self) -> _progress:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=err, disable=not err.is_terminal, transient=True)
        self._task = self._bar.add_task("Indexing", total=None)
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, event: Event) -> None:
        self._bar.update(self._task, completed=event.done, total=event.total, description=clean(event.label)[-40:])
        if isinstance(event, Failed):
            err.print(f"failed: {clean(event.label)}: {clean(event.reason)}", markup=False)


def _summarise(summary: Summary) -> None:
    counts = {
        "added": summary.added,
        "changed": summary.changed,
        "unchanged": summary.unchanged,
        "removed": summary.removed,
        "failed": len(summary.failed),
    }
    out.print(", ".join(f"{count} {name}" for name, count in counts.items()))
    for failure in summary.failed:
        out.print(f"  {clean(failure.label)}: {clean(failure.reason)}", markup=False)


@documents.callback()
def list_documents(context: typer.Context, data: Data = None) -> None:
    """List what is indexed."""
    if context.invoked_subcommand:
        return
    found = settings(data)

    async def work() -> None:
        from bot.wiring import open_citewell

        async with open_citewell(found) as citewell:
            listed = await citewell.storage.library.documents()
        if not listed:
            err.print("Nothing is indexed yet: citewell index PATH")
            return
        table = Table("id", "title", "collection", "file", box=None)
        for document in listed:
            note = " (flagged: holds instructions to an assistant)" if document.flagged else ""
            table.add_row(document.id, clean(document.title), document.collection, clean(document.filename) + note)
        out.print(table)

    run(work())


@documents.command()
def remove(
    ids: Annotated[list[str], typer.Argument(help="Ids as `citewell documents` lists them.")], data: Data = None
) -> None:
    """Forget documents: their text is erased. A file still in an indexed folder comes back with the next index."""
    found = settings(data)
    removed = 0

    async def work() -> None:
        from bot.wiring import open_citewell

        nonlocal removed
        async with open_citewell(found) as citewell:
            removed = await citewell.storage.library.remove(ids)

    run(work())
    out.print(f"{removed} removed")
    if removed < len(set(ids)):
        err.print("Some of these ids are not indexed; citewell documents lists them all.")
        raise typer.Exit(1)
