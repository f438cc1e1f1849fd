"""Checks of the sources: whether they can be read, and whether the index equals their content."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from adapters.files.reader import FileReader
from adapters.sources.folder.source import FileItem
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.config.tables import FolderTable, SourceTable
from bot.documents.indexing import is_path_source
from bot.documents.sources import open_source
from pipeline.errors import CitewellError, Refused
from pipeline.values import PARSER_VERSION, Document, Finding
from pipeline.values.diagnostics import error_finding, ok_finding, warning_finding
from pipeline.words import wording
from storage.documents.source_state import SQLSyncOutcomes, SyncOutcome
from storage.messages.levels import read_levels

EMBEDDED_OTHERWISE = ""
"""The version of a document that is not embedded with the embedder in use, which another check reports."""
COMPARE_SECONDS = 10.0
"""Seconds to compare a folder with the index; a larger one is left to the next sync."""


class _Source(NamedTuple):
    name: str
    """The source's name in the library."""
    table: SourceTable | None
    at: datetime | None
    """Time of its last sync."""
    outcome: SyncOutcome

    @property
    def again(self) -> str:
        """The command that syncs it."""
        return f"citewell sources sync {self.table.name}" if self.table else f"citewell index {self.name}"

    @property
    def here(self) -> bool:
        """True if it is a file or folder."""
        return is_path_source(self.name)


async def diagnose_sources(citewell: Citewell) -> AsyncIterator[Finding]:
    """Yield problems of any source; nothing when there is none. No service is called."""
    outcomes = await SQLSyncOutcomes(citewell.storage.database).last()
    tables = {table.source_id: table for table in citewell.settings.sources}
    paths = {name for name in await citewell.storage.library.list_sources() if is_path_source(name)}
    for name in (*tables, *sorted(paths - tables.keys())):
        source = _Source(name, tables.get(name), *outcomes.get(name, (None, SyncOutcome())))
        problem = await _check_secret(citewell, source) or _check_last_sync(source) or _check_due(citewell, source)
        if source.here:
            problem = await _compare_files(citewell, source) or problem
        if problem:
            yield problem
    documents = await citewell.storage.library.list_documents()
    for finding in (
        _check_unread(documents),
        _check_parser_version([document for document in documents if document.source in {*tables, *paths}]),
    ):
        if finding:
            yield finding
    async for finding in _check_channels(citewell):
        yield finding


async def examine_source_tables(settings: Settings) -> AsyncIterator[Finding]:
    """Check `[[sources]]` when the data folder cannot be used: folders and secrets must exist."""
    reader = FileReader()
    for table in settings.sources:
        try:
            if isinstance(table, FolderTable):
                await asyncio.to_thread(Path(table.source_id).stat)
            else:
                async with open_source(table, _EmptyCache(), reader, settings.data):
                    pass
        except OSError as error:
            yield error_finding(
                "sources", f"{table.source_id}: {error.strerror}", "Mount or restore it, or correct the path."
            )
        except CitewellError as error:
            yield error_finding("sources", str(error), error.what_to_do)


class _EmptyCache:
    """The port `SourceCache`, always empty."""

    async def load(self) -> dict[str, str]:
        return {}

    async def update(self, changes: Mapping[str, str | None]) -> None: ...


def _check_unread(documents: Sequence[Document]) -> Finding | None:
    """Return a finding when parts of documents could not be read."""
    if partly := [document for document in documents if document.unread]:
        first = partly[0]
        counted = wording.count_noun(len(partly), "document is", "documents are")
        message = f"{counted} not read whole, such as {first.filename}: "
        fix = "`citewell documents` names the parts; give pictures of pages their text (OCR), and index them again."
        return warning_finding("sources", message + first.unread[0], fix)
    return None


def _check_parser_version(documents: Sequence[Document]) -> Finding | None:
    """Return a finding when an earlier version of Citewell, which read less of a file, read some documents."""
    outdated = [document for document in documents if document.reading != PARSER_VERSION]
    if not outdated:
        return None
    message = (
        f"{wording.count_noun(len(outdated), 'document was', 'documents were')} read by an earlier version of Citewell"
    )
    commands = sorted(
        {f"citewell index {document.source}" for document in outdated if is_path_source(document.source)}
    ) or ["citewell sources sync"]
    return warning_finding("sources", message, f"`citewell run` reads them again by the clock; at once: {commands[0]}")


async def _check_channels(citewell: Citewell) -> AsyncIterator[Finding]:
    """Yield which channels are indexed, and which of them cannot be read."""
    states = await citewell.storage.channel_messages.reading_states()
    indexed = sorted(await citewell.services.places.indexed_channels(), key=str)
    if indexed:
        where = ", ".join(map(str, indexed))
        yield ok_finding(
            "channels", f"what people say is kept in {where}; for the platforms' terms see docs/sources.md"
        )
    for place in indexed:
        if place in states and states[place].closed:
            yield warning_finding(
                "channels", f"{place} cannot be read", "Invite the bot there, or: citewell sources remove " + str(place)
            )


async def _check_secret(citewell: Citewell, source: _Source) -> Finding | None:
    if source.table is None or isinstance(source.table, FolderTable):
        return None
    try:
        await citewell.sync.check_token(source.table)
    except CitewellError as error:
        return error_finding("sources", str(error), error.what_to_do)
    return None


def _check_last_sync(source: _Source) -> Finding | None:
    """Return a finding about a failure of the last sync."""
    if source.outcome.problem:
        message = f"{source.name} was last read {source.at:%Y-%m-%d %H:%M} UTC, and {source.outcome.problem}"
        message += f"; in no answer since {source.outcome.denied:%Y-%m-%d %H:%M}" if source.outcome.denied else ""
        return error_finding("sources", message, f"Fix what it names, then: {source.again}")
    if source.outcome.failed:
        message = f"{source.name}: {wording.count_noun(source.outcome.failed, 'document')} could not be read"
        return warning_finding("sources", message, f"To see which, and why: {source.again}")
    return None


def _check_due(citewell: Citewell, source: _Source) -> Finding | None:
    """Return a finding when a source is not synced any more, or never was."""
    own = source.table.every_minutes if source.table else None
    every = timedelta(minutes=citewell.settings.sync_minutes if own is None else own)
    fix = f"Leave `citewell run` up; at once: {source.again}"
    if source.at is None:
        return warning_finding("sources", f"{source.name} was never read", fix) if source.table else None
    if every and datetime.now(UTC) - source.at > 2 * every:
        message = f"{source.name} was last read {source.at:%Y-%m-%d %H:%M} UTC, and is due every {every}"
        return warning_finding("sources", message, fix)
    return None


async def _compare_files(citewell: Citewell, source: _Source) -> Finding | None:
    """Return a finding when files and index differ. A file that could not be read does not count as new."""
    versions = await citewell.storage.library.versions(source.name)
    indexed = (await read_levels(citewell.storage.database)).newest_document_at or 0.0
    since = max(indexed, source.at.timestamp() if source.at else 0.0)
    new, changed, item_ids = 0, 0, set()
    try:
        async with asyncio.timeout(COMPARE_SECONDS):
            async for item in (await citewell.indexer.open_folder_source(Path(source.name))).list_items():
                item_ids.add(item.id)
                if isinstance(item, FileItem) and not item.problem:
                    new += item.id not in versions and item.path.stat().st_ctime > since
                    changed += versions.get(item.id) not in (None, EMBEDDED_OTHERWISE, item.version)
    except Refused as error:
        name = source.table.name if source.table else source.name
        fix = f"Mount or restore it, correct the path, or forget it: citewell sources remove {name}"
        return error_finding("sources", f"{error}; what was indexed from it is kept", fix)
    except CitewellError as error:
        return error_finding("sources", str(error), f"Let this user read it, then: {source.again}")
    except (OSError, TimeoutError):
        return None
    if not (new or changed or versions.keys() - item_ids):
        return None
    message = (
        f"{source.name} differs from the index: {new} new, {changed} changed, {len(versions.keys() - item_ids)} gone"
    )
    return warning_finding("sources", message, f"`citewell run` takes that in by the clock; at once: {source.again}")
