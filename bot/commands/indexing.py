"""`citewell index`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from adapters.files.formats import LEGACY_FORMATS, PANDOC_FORMATS
from adapters.files.pandoc import supported_suffixes
from bot.commands.index_progress import IndexProgress
from bot.commands.terminal import DataOption, err, load_settings, out, print_line, print_note, print_warnings, run_async
from bot.config.field_types import check_collection_name
from pipeline.ingest.ingest import IngestSummary
from pipeline.values import Action, replace
from pipeline.words import wording

if TYPE_CHECKING:
    from bot.citewell import Citewell


MAX_NAMED_FILES = 5
"""Files or kinds of files listed in one line."""


def parse_collection(collection: str) -> str:
    """Check the value of `--collection`. Raises BadParameter."""
    try:
        return collection and check_collection_name(collection)
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
            callback=parse_collection,
            help="Collection to add to; default: the same as before, else CITEWELL_DEFAULT_COLLECTION.",
        ),
    ] = "",
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Embed with CITEWELL_EMBEDDER what it has not embedded yet."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    data: DataOption = None,
) -> None:
    """Index files and folders. A second run adds what is new or changed and removes what is gone.

    Exit status 1: some documents could not be read.
    """
    if not paths and not rebuild:
        raise typer.BadParameter("Name a file or folder to index, or use --rebuild.")
    settings = load_settings(data)
    summaries: list[IngestSummary] = []
    show = IndexProgress()

    async def work() -> None:
        from bot.doctor.config_warnings import find_unused_rules, warn_stale_embeddings, warn_unreachable_server
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings) as citewell:
            print_warnings(await warn_unreachable_server(settings.chroma_url))
            if rebuild:
                await _reembed(citewell)
            if paths:
                await citewell.authority.require(OPERATOR_ACTOR, Action.INDEX, collection)
                await _note_nested_sources(citewell, paths, collection)
                with show:
                    summaries.append(await citewell.index(paths, collection=collection, on_event=show))
            print_warnings(await find_unused_rules(citewell))
            if not any(summary.degraded for summary in summaries):
                print_warnings(await warn_stale_embeddings(citewell))

    try:
        run_async(work())
    except KeyboardInterrupt:
        if paths:
            count = wording.count_noun(show.taken, "document was", "documents were")
            print_note(f"Stopped. {count} indexed and kept. The same command continues from there.")
        raise
    for summary in summaries:
        if json:
            out.print_json(data=summary.model_dump(mode="json"))
            if summary.failed:
                raise typer.Exit(1)
            continue
        print_summary(summary)
        if replace(summary, unsupported=(), outside=(), foreign=(), empty=()) == IngestSummary():
            print_note(
                f"There is nothing to read in {', '.join(map(str, paths))}: "
                f"{', '.join(supported_suffixes())} are read, "
                "except hidden files and those that a .gitignore excludes."
            )
        print_skipped(summary)
        if summary.failed:
            raise typer.Exit(1)


async def _reembed(citewell: Citewell) -> None:
    from bot.documents.reembedding import reembed
    from storage.documents.embeddings import EmbeddedDocuments

    if not citewell.embedder:
        out.print("No embedder is set, so documents are found by words only.")
        return
    with err.status("Embedding") as status:
        documents = EmbeddedDocuments(citewell.storage.database)
        embedded = await reembed(
            documents, citewell.embedder, lambda place, count: status.update(f"Embedding {place} of {count}")
        )
    out.print(f"Embedded {wording.count_noun(embedded, 'document')}." if embedded else "All documents are embedded.")


async def _note_nested_sources(citewell: Citewell, paths: list[Path], collection: str) -> None:
    """Note which sources inside the paths keep their own collection when another is given."""
    for path in paths if collection else ():
        for source, source_collection in (await citewell.indexer.nested_sources(path.resolve())).items():
            if source_collection != collection:
                print_note(f"{source} stays in the collection {source_collection}: it was indexed there on its own.")


def print_skipped(summary: IngestSummary) -> None:
    """Print what was skipped, and why."""
    if files := summary.unsupported:
        kinds = Counter(PurePath(label).suffix.lower() or "without a suffix" for label in files)
        listed = (
            files if len(files) <= MAX_NAMED_FILES else [f"{number} {kind}" for kind, number in kinds.most_common()]
        )
        count = wording.count_noun(len(files), "file was", "files were")
        print_note(f"{count} left out because of the format: {join_first(listed)}")
        if by_pandoc := sorted(set(PANDOC_FORMATS).intersection(kinds)):
            print_note(f"Install pandoc to have {', '.join(by_pandoc)} read, too.")
        if newer := ", ".join(
            f"{old} as {LEGACY_FORMATS[old]}" for old in sorted(set(LEGACY_FORMATS).intersection(kinds))
        ):
            print_note(f"To have them read, save {newer}.")
    if links := summary.outside:
        count = wording.count_noun(len(links), "link was", "links were")
        print_note(
            f"{count} not followed, leading out of the folder: {join_first(links)}. To index what is there, name it."
        )
    if foreign := summary.foreign:
        print_note(f"Left out as fetched, built or minified: {join_first(foreign)}. To index what is there, name it.")
    for reason, labels in _by_reason(summary.skipped).items():
        print_note(
            f"{wording.count_noun(len(labels), 'document was', 'documents were')}"
            f" left out ({reason}): {join_first(labels)}"
        )
    if empty := summary.empty:
        print_note(f"{wording.count_noun(len(empty), 'file is', 'files are')} empty: {join_first(empty)}")


def _by_reason(skipped: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    labels_by_reason = defaultdict(list)
    for label, reason in skipped:
        labels_by_reason[reason].append(label)
    return labels_by_reason


def join_first(labels: Sequence[str], between: str = ", ") -> str:
    """Return the first labels, and "…" if there are more."""
    return between.join([*labels[:MAX_NAMED_FILES], *(["…"] if len(labels) > MAX_NAMED_FILES else [])])


def print_summary(summary: IngestSummary, name: str = "") -> None:
    """Print the result, after the name of the source."""
    counts = {
        "added": summary.added,
        "changed": summary.changed,
        "unchanged": summary.unchanged,
        "removed": summary.removed,
        "failed": sum(not failed.whole for failed in summary.failed),
    }
    if summary.denied:
        print_note(f"{name}: its documents are in no answer until it can be read again".removeprefix(": "))
    if summary.unreached and not any(counts.values()):
        return
    text = ", ".join(f"{count} {change}" for change, count in counts.items())
    text += "; part of it was not reached, and its documents are kept" if summary.unreached else ""
    print_line(f"{name}: {text}" if name else text)
    for label in summary.flagged:
        print_note(f"flagged: {label}: contains instructions to an assistant, which are ignored")
    for label, parts in summary.unread:
        print_note(f"not read: {label}: {join_first(parts, '; ')}")
    for label, forms in summary.keys:
        print_note(f"keys: {label}: holds {', '.join(forms)}: revoke what is real, and take it out")
    if summary.degraded:
        print_note(f"Searched by words only until indexed again: {summary.degraded}")
