"""`citewell documents`, and the documents and sources that a typed name stands for."""

from __future__ import annotations

import asyncio
import difflib
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column

from bot.commands.indexing import join_first
from bot.commands.terminal import (
    DataOption,
    confirm_deletion,
    load_settings,
    no_documents_hint,
    out,
    print_note,
    print_rows,
    print_warnings,
    run_async,
)
from bot.config.settings import Settings
from bot.documents.indexing import is_path_source
from pipeline.values import TAUGHT_SOURCE, Action, Document
from pipeline.words import wording
from pipeline.words.text import to_single_line

# --- Which documents and sources a name stands for that somebody typed ----------------------------

_HINTS = 3


def select_documents(documents: Sequence[Document], name: str) -> list[Document]:
    """Return the documents that `name` stands for: an id, or the path of a file or of a folder with all below it.

    If nothing is at that path, it may also be a file or folder as listed, when only one source has it, or a title that
    only one document has.
    """
    place = _resolve_path(name)
    matches = [
        document
        for document in documents
        if name in (document.id, to_single_line(document.id))
        or place in (document_path(document), *document_path(document).parents)
    ]
    if matches or _exists(place):
        return matches
    matches = [document for document in documents if Path(name) in _listed_paths(document)]
    if matches:
        return matches if len({document.source for document in matches}) == 1 else []
    matches = [document for document in documents if to_single_line(document.title) == name]
    return matches if len(matches) == 1 else []


def document_path(document: Document) -> Path:
    """Return the path of the document's file."""
    source = Path(document.source)
    return source if source.name == document.filename else source / document.filename


def sources_below(sources: set[Path], name: str) -> set[Path]:
    """Return the sources at a path and below it."""
    place = _resolve_path(name)
    return {source for source in sources if place in (source, *source.parents)}


def outermost_sources(sources: set[Path], named: set[Path]) -> set[Path]:
    """Return those of `named` that no other source encloses.

    An enclosing source brings the files back, and they must come back into their own collection.
    """
    return {source for source in named if (sources - named).isdisjoint(source.parents)}


def is_in_source(document: Document, sources: set[Path]) -> bool:
    """Return True if its file still exists in one of the sources; a fetched document counts as existing."""
    path = document_path(document)
    if not is_path_source(document.source):
        return Path(document.source) in sources
    return not sources.isdisjoint((path, *path.parents)) and _exists(path)


def suggest_document(documents: Sequence[Document], name: str) -> str:
    """Return why `name` stands for no document, and what may have been meant."""
    ids = defaultdict(list)
    for document in documents:
        for key in {document.id, document.id.partition("/")[2], *map(str, _listed_paths(document)), document.title}:
            ids[key].append(document.id)
    close = [name] if name in ids else difflib.get_close_matches(name, ids, n=_HINTS, cutoff=0.6)
    meant = list(dict.fromkeys(document for key in close for document in ids[key]))[:_HINTS]
    problem = "stands for several documents" if close == [name] and len(ids[name]) > 1 else "is not indexed"
    return f"{name} {problem}. " + (
        f"Did you mean {' or '.join(meant)}?" if meant else "To list what is: citewell documents"
    )


def _listed_paths(document: Document) -> list[Path]:
    """Return its file and the enclosing folders, as listed."""
    path = Path(to_single_line(document.filename))
    return [path, *path.parents[:-1]]


def _resolve_path(name: str) -> Path | None:
    try:
        return Path(name).expanduser().resolve()
    except (OSError, RuntimeError):  # RuntimeError: a loop of links, or no such user after `~`
        return None


def _exists(path: Path | None) -> bool:
    """Return True also when that cannot be seen."""
    try:
        return path is not None and path.exists()
    except OSError:
        return True


# --- `citewell documents` -------------------------------------------------------------------------

documents_app = typer.Typer(help="List or remove indexed documents.", invoke_without_command=True)


@documents_app.callback()
def list_documents(
    context: typer.Context,
    due: Annotated[bool, typer.Option("--due", help="List only replies of people that are due for review.")] = False,
    data: DataOption = None,
) -> None:
    """List the documents. On a terminal this is a table, elsewhere one line per document with tabs."""
    if context.invoked_subcommand:
        return
    settings = load_settings(data)

    async def work() -> None:
        from bot.doctor.config_warnings import find_unused_rules
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            documents = await citewell.storage.library.list_documents()
            print_warnings(await find_unused_rules(citewell))
        if not documents:
            print_note(no_documents_hint(settings))
            return
        if due:
            documents = _select_due(documents, datetime.now(UTC).date())
            if not documents:
                print_note("No kept reply is due for review.")
                return
        rows = [_row(document) for document in documents]
        widest = min(max(len(row[0]) for row in rows), out.width // 2)
        headings = (
            Column("id", overflow="fold", width=widest),
            "title",
            "collection",
            Column("file", overflow="fold"),
        )
        print_rows(headings, rows)

    run_async(work())


def _refuse_empty(names: list[str]) -> list[str]:
    """Refuse an empty path. It is the current folder, so an unset variable would forget everything below it."""
    if not all(name.strip() for name in names):
        raise typer.BadParameter("A name is empty. Name a document, a file or a folder; for this folder, `.`.")
    return names


@documents_app.command()
def remove(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            callback=_refuse_empty,
            help="Ids, files or titles as `citewell documents` lists them, or paths of files and folders.",
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask when a name matches several documents.")] = False,
    data: DataOption = None,
) -> None:
    """Remove documents and erase their text. If a name matches several, the command asks first.

    Exit status 1: some names match no document, or the answer was no."""
    settings = load_settings(data)
    unknown: list[str] = []
    if not yes:
        _confirm(asyncio.run(_count_matches(settings, names)))

    async def work() -> None:
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            library = citewell.storage.library
            all_documents = await library.list_documents()
            selected = {name: select_documents(all_documents, name) for name in names}
            removed_documents = {document.id: document for documents in selected.values() for document in documents}
            for collection in sorted({document.collection for document in removed_documents.values()}):
                await citewell.authority.require(OPERATOR_ACTOR, Action.REMOVE, collection)
            sources = set(map(Path, await library.list_sources()))
            places = {name: sources_below(sources, name) for name in names}
            unknown.extend(
                suggest_document(all_documents, name) for name in names if not selected[name] and not places[name]
            )
            remaining_sources = {document.source for document in all_documents if document.id not in removed_documents}
            emptied = {
                document_path(document)
                for document in removed_documents.values()
                if document.source not in remaining_sources
            }
            forgotten = outermost_sources(sources, (sources & emptied).union(*places.values()))
            await library.forget_sources([source.as_posix() for source in forgotten])
            removed = await library.remove_documents(removed_documents.keys())
        out.print(f"{wording.count_noun(removed, 'document')} removed")
        if back := sum(is_in_source(document, sources - forgotten) for document in removed_documents.values()):
            files = wording.count_noun(back, "of these files is", "of these files are")
            print_note(f"{files} still in an indexed folder or source and will come back with its next index or sync.")

    run_async(work())
    for line in unknown:
        print_note(line)
    if unknown:
        raise typer.Exit(1)


async def _count_matches(settings: Settings, names: Sequence[str]) -> dict[str, int]:
    """Return the names that stand for more than one document, and their numbers of documents."""
    from bot.wiring import open_citewell

    async with open_citewell(settings, make=False) as citewell:
        documents = await citewell.storage.library.list_documents()
    counts = {name: len(select_documents(documents, name)) for name in names}
    return {name: count for name, count in counts.items() if count > 1}


def _confirm(several: dict[str, int]) -> None:
    """Ask before a name forgets several documents. Raises Abort for a no, and Refused without a terminal."""
    if several:
        confirm_deletion(" and ".join(f"all {count} documents of {name}" for name, count in several.items()))


def _select_due(documents: Sequence[Document], today: date) -> list[Document]:
    """Return people's replies whose day of review has come, the longest overdue first."""
    dated = [(document.metadata["review"], document) for document in documents if "review" in document.metadata]
    due = [(day, document) for day, document in dated if document.source == TAUGHT_SOURCE and day <= today.isoformat()]
    return [document for _, document in sorted(due, key=lambda item: item[0])]


def _row(document: Document) -> tuple[str, str, str, str]:
    note = " (flagged: contains instructions to an assistant)" if document.flagged else ""
    note += f" (holds {', '.join(document.keys)})" if document.keys else ""
    note += f" (not read: {join_first(document.unread, '; ')})" if document.unread else ""
    if document.source == TAUGHT_SOURCE:
        note += f" (by {document.metadata.get('author', '')}, to be reviewed {document.metadata.get('review', '')})"
    return document.id, document.title, document.collection, document.filename + note
