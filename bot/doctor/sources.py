"""Whether the sources of documents can be read, and whether what is indexed is what they hold."""

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
"""The version of what is not embedded with the embedder in use, which is said elsewhere."""
COMPARE_SECONDS = 10.0
"""How long a folder is compared with what is indexed; a larger one is left to the next sync."""


class _Source(NamedTuple):
    name: str
    """In the library."""
    table: SourceTable | None
    at: datetime | None
    """When it was looked at last."""
    look: SyncOutcome

    @property
    def again(self) -> str:
        """The command that looks at it."""
        return f"citewell sources sync {self.table.name}" if self.table else f"citewell index {self.name}"

    @property
    def here(self) -> bool:
        """Whether it is a file or folder."""
        return is_path_source(self.name)


async def diagnose_sources(citewell: Citewell) -> AsyncIterator[Finding]:
    """What is wrong with any of them; nothing where all is well. No service is asked."""
    looks = await SQLSyncOutcomes(citewell.storage.database).last()
    tables = {table.source_id: table for table in citewell.settings.sources}
    paths = {name for name in await citewell.storage.library.list_sources() if is_path_source(name)}
    for name in (*tables, *sorted(paths - tables.keys())):
        source = _Source(name, tables.get(name), *looks.get(name, (None, SyncOutcome())))
        found = await _without_secret(citewell, source) or _failed(source) or _overdue(citewell, source)
        if source.here:
            found = await _differing(citewell, source) or found
        if found:
            yield found
    documents = await citewell.storage.library.list_documents()
    for finding in (_unread(documents), _read_before([one for one in documents if one.source in {*tables, *paths}])):
        if finding:
            yield finding
    async for finding in _channels(citewell):
        yield finding


async def examine_source_tables(settings: Settings) -> AsyncIterator[Finding]:
    """Look at `[[sources]]` where the data folder cannot be used: whether folders and secrets are there."""
    reader = FileReader()
    for table in settings.sources:
        try:
            if isinstance(table, FolderTable):
                await asyncio.to_thread(Path(table.source_id).stat)
            else:
                async with open_source(table, _Forgetful(), reader, settings.data):
                    pass
        except OSError as error:
            yield error_finding(
                "sources", f"{table.source_id}: {error.strerror}", "Mount or restore it, or correct the path."
            )
        except CitewellError as error:
            yield error_finding("sources", str(error), error.what_to_do)


class _Forgetful:
    """The port `SourceCache` without anything in it."""

    async def load(self) -> dict[str, str]:
        return {}

    async def update(self, changes: Mapping[str, str | None]) -> None: ...


def _unread(documents: Sequence[Document]) -> Finding | None:
    """That parts of documents could not be read."""
    if partly := [document for document in documents if document.unread]:
        first = partly[0]
        counted = wording.count_noun(len(partly), "document is", "documents are")
        said = f"{counted} not read whole, such as {first.filename}: "
        fix = "`citewell documents` names the parts; give pictures of pages their text (OCR), and index them again."
        return warning_finding("sources", said + first.unread[0], fix)
    return None


def _read_before(documents: Sequence[Document]) -> Finding | None:
    """That an earlier version of Citewell read some of them, which knew less of what stands in a file."""
    before = [document for document in documents if document.reading != PARSER_VERSION]
    if not before:
        return None
    said = f"{wording.count_noun(len(before), 'document was', 'documents were')} read by an earlier version of Citewell"
    again = sorted({f"citewell index {one.source}" for one in before if is_path_source(one.source)}) or [
        "citewell sources sync"
    ]
    return warning_finding("sources", said, f"`citewell run` reads them again by the clock; at once: {again[0]}")


async def _channels(citewell: Citewell) -> AsyncIterator[Finding]:
    """That what people say in channels is kept, and where."""
    looks = await citewell.storage.channel_messages.reading_states()
    indexed = sorted(await citewell.services.places.indexed_channels(), key=str)
    if indexed:
        where = ", ".join(map(str, indexed))
        yield ok_finding(
            "channels", f"what people say is kept in {where}; for the platforms' terms see docs/sources.md"
        )
    for place in indexed:
        if place in looks and looks[place].closed:
            yield warning_finding(
                "channels", f"{place} cannot be read", "Invite the bot there, or: citewell sources remove " + str(place)
            )


async def _without_secret(citewell: Citewell, source: _Source) -> Finding | None:
    if source.table is None or isinstance(source.table, FolderTable):
        return None
    try:
        await citewell.sync.check_token(source.table)
    except CitewellError as error:
        return error_finding("sources", str(error), error.what_to_do)
    return None


def _failed(source: _Source) -> Finding | None:
    """How the last look at it went wrong."""
    if source.look.problem:
        said = f"{source.name} was last looked at {source.at:%Y-%m-%d %H:%M} UTC, and {source.look.problem}"
        said += f"; in no answer since {source.look.denied:%Y-%m-%d %H:%M}" if source.look.denied else ""
        return error_finding("sources", said, f"Mend what it names, then: {source.again}")
    if source.look.failed:
        said = f"{source.name}: {wording.count_noun(source.look.failed, 'document')} could not be read"
        return warning_finding("sources", said, f"To see which, and why: {source.again}")
    return None


def _overdue(citewell: Citewell, source: _Source) -> Finding | None:
    """That nobody looks at it any more, or ever did."""
    own = source.table.every_minutes if source.table else None
    every = timedelta(minutes=citewell.settings.sync_minutes if own is None else own)
    fix = f"Leave `citewell run` up; at once: {source.again}"
    if source.at is None:
        return warning_finding("sources", f"{source.name} was never looked at", fix) if source.table else None
    if every and datetime.now(UTC) - source.at > 2 * every:
        said = f"{source.name} was last looked at {source.at:%Y-%m-%d %H:%M} UTC, and is due every {every}"
        return warning_finding("sources", said, fix)
    return None


async def _differing(citewell: Citewell, source: _Source) -> Finding | None:
    """What is there and not indexed, or the other way round. A file that could not be taken in is not new."""
    known = await citewell.storage.library.versions(source.name)
    indexed = (await read_levels(citewell.storage.database)).newest_document_at or 0.0
    since = max(indexed, source.at.timestamp() if source.at else 0.0)
    new, changed, there = 0, 0, set()
    try:
        async with asyncio.timeout(COMPARE_SECONDS):
            async for item in (await citewell.indexer.open_folder_source(Path(source.name))).list_items():
                there.add(item.id)
                if isinstance(item, FileItem) and not item.problem:
                    new += item.id not in known and item.path.stat().st_ctime > since
                    changed += known.get(item.id) not in (None, EMBEDDED_OTHERWISE, item.version)
    except Refused as error:
        name = source.table.name if source.table else source.name
        fix = f"Mount or restore it, correct the path, or forget it: citewell sources remove {name}"
        return error_finding("sources", f"{error}; what was indexed from it is kept", fix)
    except CitewellError as error:
        return error_finding("sources", str(error), f"Let this user read it, then: {source.again}")
    except (OSError, TimeoutError):
        return None
    if not (new or changed or known.keys() - there):
        return None
    said = f"{source.name} is not as it was indexed: {new} new, {changed} changed, {len(known.keys() - there)} gone"
    return warning_finding("sources", said, f"`citewell run` takes that in by the clock; at once: {source.again}")
