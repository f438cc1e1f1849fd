"""The data folder, what is in it, and its backups."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.citewell import Citewell
from bot.config.settings import Settings, wanted
from bot.doctor.checks import EMBED, doubtful_platforms, embedded_otherwise, idle_rules
from bot.doctor.guard import guarded
from bot.doctor.sources import examine_source_tables, examine_sources
from bot.models import open_reranker
from bot.platforms import installations
from bot.wiring import open_citewell, open_embedder
from pipeline.errors import CitewellError
from pipeline.values import Finding, replace
from pipeline.values.finding import bad, good, skipped, warning
from pipeline.words import wording
from storage.folder import DATABASE
from storage.sqlite.backup import newest
from storage.sqlite.verify import contents

CORRECT = "Correct the name there, or index what it names."
LEAST = 50_000_000
"""Bytes below which writing fails sooner or later."""
ROOM = 1 << 30
"""Bytes that a database, its write-ahead log and a backup of it should find free beside what they take now."""


async def examine_data(settings: Settings) -> AsyncIterator[Finding]:
    """Look at the folder and at what is in it. Where it cannot be opened, look at what does not rest on it."""
    for finding in examine_room(settings.data):
        yield finding
    lighter = replace(settings, model="extractive", judge="none")  # a model's client takes a second to load
    reachable = await _with_what_opens(lighter)
    opened = False
    try:
        async with open_citewell(reachable, make=False) as citewell:
            opened = True
            async for finding in _contents(citewell, settings):
                yield finding
    except CitewellError as error:
        said = str(error).removeprefix("data folder: ")
        yield bad(_where(settings), said, error.what_to_do or "See docs/troubleshooting.md.")
    if not opened:
        yield skipped("documents and what is kept", f"the {_where(settings)} cannot be used")
        for line in doubtful_platforms(settings):
            yield warning("citewell.toml", line, CORRECT)
        async for finding in guarded("sources", examine_source_tables(settings)):
            yield finding
    if settings.database:
        return
    if opened or _exists(settings.data / "backups"):
        yield await asyncio.to_thread(_backup, settings)
    else:
        yield skipped("backup", "the data folder cannot be used")


def _where(settings: Settings) -> str:
    return "database" if settings.database else "data folder"


async def _with_what_opens(settings: Settings) -> Settings:
    """Leave out an embedder or a reranker that cannot be opened: `examine_models` tells of it."""
    try:
        async with open_embedder(settings):
            pass
    except CitewellError:
        settings = replace(settings, embedder="none")
    try:
        async with open_reranker(settings):
            pass
    except CitewellError:
        settings = replace(settings, reranker="none")
    return settings


def examine_room(folder: Path) -> list[Finding]:
    """Whether there is too little room on the disk; nothing where there is enough."""
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if _exists(place))
    free, database = shutil.disk_usage(there).free, folder / DATABASE
    needed = ROOM + 2 * (database.stat().st_size if _exists(database) else 0)
    told = f"{free / 1e9:.1f} GB are free at {there}"
    if free < LEAST:
        return [bad("disk", f"it is full: {told}", f"Free some space, or move {folder} to a larger disk.")]
    if free < needed:
        return [warning("disk", told, f"Make room for {needed / 1e9:.1f} GB: the database, its log and a backup.")]
    return []


def _exists(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises where a folder may not be read


async def _contents(citewell: Citewell, settings: Settings) -> AsyncIterator[Finding]:
    """`settings`: as they are written, also where `citewell` was opened without some of them."""
    yield good("data folder", f"{settings.data} can be used")
    if settings.database:
        yield _database(citewell)
    for subject, findings in (
        ("workspaces", _kept(citewell)),
        ("documents", _documents(citewell)),
        ("index", _index(citewell, settings)),
        ("citewell.toml", _rules(citewell)),
        ("sources", examine_sources(citewell)),
        ("questions", _questions(citewell)),
    ):
        async for finding in guarded(subject, findings):
            yield finding


async def _kept(citewell: Citewell) -> AsyncIterator[Finding]:
    for config in wanted(citewell.settings):
        kept = await config.examine_kept(lambda: installations(citewell.settings, citewell.storage.database))
        if kept:
            yield kept


async def _documents(citewell: Citewell) -> AsyncIterator[Finding]:
    library = citewell.storage.library
    count = await library.count()
    if not count:
        yield warning("documents", "nothing is indexed", "To index a file or a folder: citewell index PATH")
    else:
        yield good("documents", f"{wording.counted(count, 'document is', 'documents are')} indexed")
    if holding := [document.filename for document in await library.documents() if document.keys]:
        told = f"{wording.counted(len(holding), 'document holds', 'documents hold')} keys or tokens"
        yield warning("keys", told, "To see which, and of what kind: citewell documents. Revoke those that are real.")


async def _index(citewell: Citewell, settings: Settings) -> AsyncIterator[Finding]:
    if citewell.settings.embedder != settings.embedder:
        yield skipped("index", "the embedder cannot be opened")
    elif said := await embedded_otherwise(citewell):
        yield warning("index", f"{said}.", EMBED)


async def _rules(citewell: Citewell) -> AsyncIterator[Finding]:
    for line in (*await idle_rules(citewell), *doubtful_platforms(citewell.settings)):
        yield warning("citewell.toml", line, CORRECT)


async def _questions(citewell: Citewell) -> AsyncIterator[Finding]:
    if given_up := await citewell.storage.inbox.given_up():
        reasons = ", ".join(f"{number} × {why}" for why, number in given_up.items())
        yield warning("questions", f"some were given up: {reasons}", "Mend the cause; whoever asked has to ask again.")


def _database(citewell: Citewell) -> Finding:
    if citewell.storage.walled:
        return good("database", citewell.storage.engine)
    return warning(
        "database",
        f"{citewell.storage.engine} does not keep workspaces apart: its role is a superuser or has BYPASSRLS",
        "Connect as an ordinary role that owns the database: docs/operations/postgresql.md",
    )


def _backup(settings: Settings) -> Finding:
    file = newest(settings.data / "backups")
    if file is None:
        if not settings.backup_hours:
            return warning("backup", "there is none, and none is scheduled", "Make one: citewell backup")
        return warning("backup", "there is none yet", "Leave `citewell run` up, or make one: citewell backup")
    try:
        held = contents(file)
    except CitewellError as error:
        return bad("backup", str(error), "Make another one: citewell backup")
    age = timedelta(seconds=time.time() - file.stat().st_mtime)
    made = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    told = f"{file} of {made:%Y-%m-%d %H:%M} UTC is whole: {wording.counted(held.documents, 'document')}"
    if settings.backup_hours and age > timedelta(hours=2 * settings.backup_hours):
        return warning("backup", f"{told}, and old", "Look why there is no newer one: citewell schedule")
    return good("backup", told)
