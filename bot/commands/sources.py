"""`citewell sources`, and channels as sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, get_origin

import typer
from pydantic import TypeAdapter, ValidationError

from bot.commands.index_progress import IndexProgress
from bot.commands.indexing import parse_collection, print_skipped, print_summary
from bot.commands.terminal import (
    DataOption,
    confirm_deletion,
    load_settings,
    print_line,
    print_note,
    print_rows,
    run_async,
)
from bot.config import source_file
from bot.config.files import config_path
from bot.config.read import read_settings
from bot.config.settings import Settings, enabled_platforms
from bot.config.settings_errors import explain_source_error
from bot.config.tables import SOURCE_TABLES, AnySource, FolderTable, SourceTable
from pipeline.errors import CitewellError, Refused
from pipeline.ingest.ingest import IngestSummary
from pipeline.rules.platforms import format_alternatives
from pipeline.values import Action, PlaceId
from pipeline.values.insights import SourceStatus
from pipeline.words import wording
from pipeline.words.text import to_single_line

# --- `citewell sources add slack:#channel` --------------------------------------------------------


def is_channel(text: str) -> bool:
    """Return True for a channel of a platform, by name or id: `slack:#ops`, `discord:1234:5678`."""
    return ":" in text


def add_channel(settings: Settings, text: str, days: int | None) -> None:
    """Make a channel a source, as an admin can in chat."""

    async def work() -> None:
        choices = {"index": "true"} | ({"index_days": str(days)} if days else {})
        place = await _set_channel(settings, text, choices)
        print_line(
            f"{place} is a source now. citewell run reads its messages. To see how far it is: citewell sources list"
        )

    run_async(work())


def remove_channel(settings: Settings, text: str, *, yes: bool) -> None:
    """Forget the messages of a channel that was a source."""

    async def work() -> None:
        from bot.wiring import open_citewell

        place = await _find_channel(settings, text)
        async with open_citewell(settings) as citewell:
            messages, _ = await citewell.storage.channel_messages.count(place)
            if messages and not yes:
                confirm_deletion(f"all {wording.count_noun(messages, 'message')} of {text}")
        await _set_channel(settings, str(place), {"index": "default"})
        async with open_citewell(settings) as citewell:
            if place in await citewell.services.places.indexed_channels():
                table = f'[places."{place}"]'
                raise Refused(f"{table} in citewell.toml says index = true", what_to_do="Take that out of the file.")
            await citewell.storage.channel_messages.forget_channel(place)
        print_line(f"{place} is no source any more, {wording.count_noun(messages, 'message')} removed")

    run_async(work())


async def _set_channel(settings: Settings, text: str, choices: dict[str, str]) -> PlaceId:
    from bot.services.authority import OPERATOR_ACTOR
    from bot.wiring import open_citewell

    place = await _find_channel(settings, text)
    async with open_citewell(settings) as citewell:
        await citewell.services.places.update_settings(OPERATOR_ACTOR, place, choices)
    return place


async def _find_channel(settings: Settings, text: str) -> PlaceId:
    """Return the channel. Raises Refused if there is none, or more than one."""
    platform, _, name = text.partition(":")
    config = next((config for config in enabled_platforms(settings) if config.platform.name == platform), None)
    if config is None:
        names = [config.platform.name for config in enabled_platforms(settings)]
        listed = format_alternatives(names) if names else "none yet: see README.md"
        raise Refused(f"there is no platform {platform} here", what_to_do=f"Set up is {listed}.")
    if config.platform.channel.matches(text):
        return PlaceId.parse(text)
    channels = await config.find_channels(name.removeprefix("#"))
    if not channels:
        raise Refused(f"the bot is in no channel {name}", what_to_do="Invite it there, or check the name.")
    if len(channels) > 1:
        raise Refused(
            f"{len(channels)} channels are called {name}", what_to_do=f"Name one: {', '.join(map(str, channels))}"
        )
    return channels[0]


# --- `citewell sources` ---------------------------------------------------------------------------

sources_app = typer.Typer(help="Where documents come from: add, list, sync or remove sources.", no_args_is_help=True)
SOURCE_HEADINGS = ("kind", "name", "collection", "documents", "last sync (UTC)", "next")


@sources_app.command("list")
def list_sources(data: DataOption = None) -> None:
    """List all sources. On a terminal this is a table, elsewhere one line per source with tabs."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.admin.source_list import list_source_states
        from bot.wiring import open_citewell

        async with open_citewell(settings) as citewell:
            states = await list_source_states(citewell, settings.sources)
        if not states:
            print_note(
                "There is no source yet. To add one: citewell sources add KIND NAME KEY=VALUE…; see docs/sources.md"
            )
        else:
            print_rows(SOURCE_HEADINGS, map(_cells, states))

    run_async(work())


def _cells(state: SourceStatus) -> tuple[str, ...]:
    return state.kind, state.name, state.collection, str(state.documents), state.last, state.due


@sources_app.command()
def add(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help=f"{', '.join(SOURCE_TABLES)}; or a channel, such as slack:#ops.")
    ],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the source; a channel has none.")] = "",
    keys: Annotated[
        list[str],
        typer.Argument(metavar="KEY=VALUE", help="Settings of the kind, as in docs/sources.md; lists have commas."),
    ] = [],  # noqa: B006
    collection: Annotated[
        str, typer.Option("--collection", callback=parse_collection, help="Collection to add to.")
    ] = "",
    every_minutes: Annotated[
        int | None,
        typer.Option("--every-minutes", help="Minutes between syncs; 0: only by hand. Default: CITEWELL_SYNC_MINUTES."),
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", min=1, max=3650, help="For a channel: days to keep its messages.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Add a source to citewell.toml. Nothing is fetched yet.

    A channel is set up in the database, as an admin does in chat.
    """
    settings = load_settings(data)
    if is_channel(kind):
        add_channel(settings, kind, days)
        return
    if not name:
        raise typer.BadParameter("NAME is missing")
    if name in {table.name for table in settings.sources}:
        raise Refused(
            f"there is a source {name} in {config_path()} already",
            what_to_do="Give this one another name, or change that one in the file.",
        )
    table = _make_table(kind, name, keys, collection, every_minutes)
    read_settings(sources=[*settings.sources, table])
    run_async(_require_permission(settings, Action.INDEX, table))
    source_file.add_source_table(config_path(), table)
    print_line(f"{name} is in {config_path()}. To take in its documents now: citewell sources sync {name}")
    if isinstance(table, FolderTable) and not table.path.exists():
        print_note(f"{table.path} does not exist.")


@sources_app.command()
def sync(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Sources to sync; default: all.")] = [],  # noqa: B006
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask before a source loses more than a third of its documents.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Add what is new or changed and remove what is gone. An interrupted sync continues where it stopped.

    Exit status 1: some documents or sources could not be read, or documents that are gone were not removed."""
    settings = load_settings(data)
    tables = [_find_table(settings, name) for name in names] or list(settings.sources)
    if not tables:
        print_note("There is no source in citewell.toml. To add one: citewell sources add KIND NAME KEY=VALUE…")
    results = [_sync(settings, table, yes=yes) for table in tables]
    if not all(results):
        raise typer.Exit(1)


@sources_app.command()
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, as `citewell sources list` shows it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: DataOption = None,
) -> None:
    """Remove a source from citewell.toml and remove all of its documents."""
    settings = load_settings(data)
    if is_channel(name) and name.partition(":")[0] not in SOURCE_TABLES:
        remove_channel(settings, name, yes=yes)
        return
    path = str(Path(name).resolve())

    async def work() -> None:
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings) as citewell:
            library = citewell.storage.library
            filled = await library.list_sources()
            source_ids = {source: source for source in filled} | {source.partition(":")[2]: source for source in filled}
            source_ids |= {table.name: table.source_id for table in settings.sources}
            source = source_ids.get(name) or source_ids.get(path)
            if not source:
                raise Refused(f"there is no source {name}", what_to_do="To see which there are: citewell sources list")
            documents = len(await library.versions(source))
            if documents and not yes:
                confirm_deletion(f"all {documents} documents of {name}")
            await citewell.authority.require(OPERATOR_ACTOR, Action.REMOVE, filled.get(source, ""))
            taken_out = [table.name for table in settings.sources if table.source_id == source]
            for table in taken_out:
                source_file.remove_source_table(config_path(), table)
            removed = await citewell.sync.forget(source)
        where = f"{name} is out of {config_path()}, " if taken_out else ""
        print_line(f"{where}{wording.count_noun(removed, 'document')} removed")

    run_async(work())


def _make_table(kind: str, name: str, keys: list[str], collection: str, every_minutes: int | None) -> SourceTable:
    """Return the table that the command line describes. Raises BadParameter."""
    if kind not in SOURCE_TABLES:
        raise typer.BadParameter(f"KIND must be {', '.join(SOURCE_TABLES)}, not {kind!r}")
    values: dict[str, Any] = {"kind": kind, "name": name}
    if collection:
        values["collection"] = collection
    if every_minutes is not None:
        values["every_minutes"] = every_minutes
    for key, equals, value in (pair.partition("=") for pair in keys):
        if not equals:
            raise typer.BadParameter(f"must be KEY=VALUE, not {key!r}")
        info = SOURCE_TABLES[kind].model_fields.get(key)
        values[key] = value.split(",") if info and get_origin(info.annotation) is tuple else value
    if kind == "folder" and "path" in values:
        values["path"] = str(Path(values["path"]).expanduser().resolve())
    try:
        return TypeAdapter[SourceTable](AnySource).validate_python(values)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        raise typer.BadParameter("; ".join(explain_source_error(kind, problem) for problem in errors)) from None


def _find_table(settings: Settings, name: str) -> SourceTable:
    for table in settings.sources:
        if table.name == name:
            return table
    raise Refused(
        f"there is no source {name} in {config_path()}", what_to_do="To see which there are: citewell sources list"
    )


async def _require_permission(settings: Settings, action: Action, table: SourceTable) -> None:
    from bot.services.authority import OPERATOR_ACTOR
    from bot.wiring import open_citewell

    async with open_citewell(settings) as citewell:
        await citewell.authority.require(OPERATOR_ACTOR, action, table.collection or settings.default_collection)


def _sync(settings: Settings, table: SourceTable, *, yes: bool) -> bool:
    """Sync a source. Return True if all went well."""
    progress = IndexProgress(table.name)
    summaries: list[IngestSummary] = []

    async def work() -> None:
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings) as citewell:
            collection = table.collection or settings.default_collection
            await citewell.authority.require(OPERATOR_ACTOR, Action.INDEX, collection)
            with progress:
                summary = await citewell.sync.sync_table(table, progress, losing=yes)
            question = to_single_line(f"{_describe_gone(table, summary)}. Forget them?")
            if summary.kept and sys.stdin.isatty() and typer.confirm(question):
                summary = await citewell.sync.delete_retained(table, summary)
            summaries.append(summary)

    try:
        run_async(work())
    except KeyboardInterrupt:
        count = wording.count_noun(progress.taken, "document was", "documents were")
        print_note(f"Stopped. {count} indexed and kept. The same command continues from there.")
        raise
    except CitewellError as error:
        print_note(f"{table.name}: {error}. {error.what_to_do}".rstrip())
        return False
    (summary,) = summaries
    print_summary(summary, table.name)
    if summary == IngestSummary():
        print_note(
            f"{table.name} has no document that can be indexed. docs/sources.md says which can, and what to share."
        )
    print_skipped(summary)
    if summary.kept:
        print_note(
            f"{_describe_gone(table, summary)}, and are kept. To forget them: citewell sources sync {table.name} --yes"
        )
    return not summary.failed and not summary.kept


def _describe_gone(table: SourceTable, summary: IngestSummary) -> str:
    return f"{wording.count_noun(len(summary.kept), 'document is', 'documents are')} gone from {table.name}"
