"""`citewell index`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from adapters.files.kinds import NEWER, PANDOC_FORMATS
from adapters.files.pandoc import supported
from bot.commands.terminal import Data, err, note, out, run, say, settings, warn
from bot.config.kinds import collection_name
from pipeline.ingest.ingest import Change, Event, Failed, Summary, Underway
from pipeline.values import Action, replace
from pipeline.words import wording
from pipeline.words.text import one_line

if TYPE_CHECKING:
    from bot.citewell import Citewell


NAMED = 5
"""Files or kinds of files listed in one line."""
SHOWN = 40
"""Characters of a document's label beside the bar."""


def named_collection(collection: str) -> str:
    """What `--collection` takes."""
    try:
        return collection and collection_name(collection)
    except ValueError as error:
        raise typer.BadParameter(f"must be {error}, not {collection!r}") from None


def index(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", exists=True, help="Files and folders; folders are read recursively.")
    ] = [],  # noqa: B006
    collection: Annotated[
        str,
        typer.Option(
            "--collection",
            callback=named_collection,
            help="Collection to fill; default: where it was before, else CITEWELL_DEFAULT_COLLECTION.",
        ),
    ] = "",
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Embed what is not embedded with CITEWELL_EMBEDDER, from the database."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what came of it as JSON.")] = False,
    data: Data = None,
) -> None:
    """Index files and folders; again: take in what is new or changed, forget what is gone.

    Exit status 1: some documents could not be read."""
    if not paths and not rebuild:
        raise typer.BadParameter("Name a file or folder to index, or use --rebuild.")
    found = settings(data)
    summaries: list[Summary] = []
    show = IndexProgress()

    async def work() -> None:
        from bot.desks.authority import AT_THE_TERMINAL
        from bot.doctor.checks import idle_rules, missing_server, not_embedded
        from bot.wiring import open_citewell

        async with open_citewell(found) as citewell:
            warn(await missing_server(found.chroma_url))
            if rebuild:
                await _embed_again(citewell)
            if paths:
                await citewell.authority.require(AT_THE_TERMINAL, Action.INDEX, collection)
                await _tell_apart(citewell, paths, collection)
                with show:
                    summaries.append(await citewell.index(paths, collection=collection, on_event=show))
            warn(await idle_rules(citewell))
            if not any(summary.degraded for summary in summaries):
                warn(await not_embedded(citewell))

    try:
        run(work())
    except KeyboardInterrupt:
        if paths:
            kept = wording.counted(show.taken, "document was", "documents were")
            note(f"Stopped. {kept} taken in and will be kept; the same command goes on from there.")
        raise
    for summary in summaries:
        if json:
            out.print_json(data=summary.model_dump(mode="json"))
            if summary.failed:
                raise typer.Exit(1)
            continue
        summarise(summary)
        if replace(summary, unsupported=(), outside=(), foreign=(), empty=()) == Summary():
            note(
                f"There is nothing to read in {', '.join(map(str, paths))}: {', '.join(supported())} are read, "
                "except hidden files and those that a .gitignore excludes."
            )
        tell_left_out(summary)
        if summary.failed:
            raise typer.Exit(1)


async def _embed_again(citewell: Citewell) -> None:
    from bot.documents.serving import embed_again
    from storage.documents.embedded import EmbeddedDocuments

    if not citewell.embedder:
        out.print("There is no embedder to embed documents with: they are found by words.")
        return
    with err.status("Embedding") as status:
        documents = EmbeddedDocuments(citewell.storage.database)
        embedded = await embed_again(
            documents, citewell.embedder, lambda place, count: status.update(f"Embedding {place} of {count}")
        )
    out.print(f"Embedded {wording.counted(embedded, 'document')}." if embedded else "All documents are embedded.")


class IndexProgress:
    """A line for each failure as it happens, and on a terminal a bar; of the source called `name`, where it has one."""

    def __init__(self, name: str = "") -> None:
        self.taken = 0
        """Documents that are in the library now and were not before, or not like this."""
        self._name = name

    def __enter__(self) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self._bar = Progress(*columns, console=err, disable=not err.is_terminal, transient=True)
        self._task = self._bar.add_task(self._name or "Indexing", total=None)
        self._bar.start()

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, event: Event) -> None:
        self.taken += event.change in (Change.ADDED, Change.CHANGED)
        read = f" {event.share:.0%}" if isinstance(event, Underway) else ""
        label = one_line(event.label)
        cut = label if len(label) <= SHOWN else f"…{label[1 - SHOWN :]}"
        description = f"{self._name}: {cut}{read}" if self._name else f"{cut}{read}"
        self._bar.update(self._task, completed=event.done, total=event.total, description=description)
        if isinstance(event, Failed):
            failed = self._name if self._name and event.whole else f"failed: {label}"
            note(f"{failed}: {event.reason}")


async def _tell_apart(citewell: Citewell, paths: list[Path], collection: str) -> None:
    """Where a collection is asked for, say what inside the paths is not moved there."""
    for path in paths if collection else ():
        for source, own in (await citewell.indexer.inside(path.resolve())).items():
            if own != collection:
                note(f"{source} stays in the collection {own}: it was indexed there on its own.")


def tell_left_out(summary: Summary) -> None:
    """What was passed over, and why."""
    if files := summary.unsupported:
        kinds = Counter(PurePath(label).suffix.lower() or "without a suffix" for label in files)
        shown = files if len(files) <= NAMED else [f"{number} {kind}" for kind, number in kinds.most_common()]
        count = wording.counted(len(files), "file was", "files were")
        note(f"{count} left out because of the format: {some(shown)}")
        if by_pandoc := sorted(set(PANDOC_FORMATS).intersection(kinds)):
            note(f"Install pandoc to have {', '.join(by_pandoc)} read, too.")
        if newer := ", ".join(f"{old} as {NEWER[old]}" for old in sorted(set(NEWER).intersection(kinds))):
            note(f"To have them read, save {newer}.")
    if links := summary.outside:
        count = wording.counted(len(links), "link was", "links were")
        note(f"{count} not followed, leading out of the folder: {some(links)}. To index what is there, name it.")
    if foreign := summary.foreign:
        note(f"Left out as fetched, built or minified: {some(foreign)}. To index what is there, name it.")
    for reason, labels in _by_reason(summary.skipped).items():
        note(f"{wording.counted(len(labels), 'document was', 'documents were')} left out ({reason}): {some(labels)}")
    if empty := summary.empty:
        note(f"{wording.counted(len(empty), 'file is', 'files are')} empty: {some(empty)}")


def _by_reason(skipped: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for label, reason in skipped:
        found[reason].append(label)
    return found


def some(labels: Sequence[str], between: str = ", ") -> str:
    """The first of them, and that there are more."""
    return between.join([*labels[:NAMED], *(["…"] if len(labels) > NAMED else [])])


def summarise(summary: Summary, name: str = "") -> None:
    """What came of it, behind the name of the source."""
    counts = {
        "added": summary.added,
        "changed": summary.changed,
        "unchanged": summary.unchanged,
        "removed": summary.removed,
        "failed": sum(not failed.whole for failed in summary.failed),
    }
    if summary.denied:
        note(f"{name}: its documents are in no answer until it can be read again".removeprefix(": "))
    if summary.unreached and not any(counts.values()):
        return
    told = ", ".join(f"{count} {change}" for change, count in counts.items())
    told += "; not all of it was reached, and what is known of the rest is kept" if summary.unreached else ""
    say(f"{name}: {told}" if name else told)
    for label in summary.flagged:
        note(f"flagged: {label}: holds instructions to an assistant, which are ignored")
    for label, parts in summary.unread:
        note(f"not read: {label}: {some(parts, '; ')}")
    for label, forms in summary.keys:
        note(f"keys: {label}: holds {', '.join(forms)}: revoke what is real, and take it out")
    if summary.degraded:
        note(f"Searched by words only until indexed again: {summary.degraded}")
