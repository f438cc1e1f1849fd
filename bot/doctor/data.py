"""Checks of the data folder, its content, and its backups."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

from bot.citewell import Citewell
from bot.config.settings import Settings, enabled_platforms
from bot.doctor.config_warnings import REEMBED_HINT, describe_stale_embeddings, find_unused_rules, platform_warnings
from bot.doctor.disk_space import diagnose_disk_space, path_exists
from bot.doctor.guard import guarded
from bot.doctor.sources import diagnose_sources, examine_source_tables
from bot.models import open_reranker
from bot.platforms import open_installations
from bot.wiring import open_citewell, open_embedder
from pipeline.errors import CitewellError
from pipeline.values import Finding, replace
from pipeline.values.diagnostics import error_finding, ok_finding, skipped, warning_finding
from pipeline.words import wording
from storage.sqlite.backup import newest_backup
from storage.sqlite.verify import read_contents

CORRECT = "Correct the name there, or index what it names."


async def diagnose_data(settings: Settings) -> AsyncIterator[Finding]:
    """Check the folder and its content. If it cannot be opened, check everything that does not depend on it."""
    for finding in diagnose_disk_space(settings.data):
        yield finding
    lighter = replace(settings, model="extractive", judge="none")  # a model's client takes a second to load
    reachable = await _drop_unusable_models(lighter)
    opened = False
    try:
        async with open_citewell(reachable, make=False) as citewell:
            opened = True
            async for finding in _contents(citewell, settings):
                yield finding
    except CitewellError as error:
        message = str(error).removeprefix("data folder: ")
        yield error_finding(_store_name(settings), message, error.what_to_do or "See docs/troubleshooting.md.")
    if not opened:
        yield skipped("documents and what is kept", f"the {_store_name(settings)} cannot be used")
        for line in platform_warnings(settings):
            yield warning_finding("citewell.toml", line, CORRECT)
        async for finding in guarded("sources", examine_source_tables(settings)):
            yield finding
    if settings.database:
        return
    if opened or path_exists(settings.data / "backups"):
        yield await asyncio.to_thread(_backup, settings)
    else:
        yield skipped("backup", "the data folder cannot be used")


def _store_name(settings: Settings) -> str:
    return "database" if settings.database else "data folder"


async def _drop_unusable_models(settings: Settings) -> Settings:
    """Leave out an embedder or a reranker that cannot be opened: `diagnose_models` reports it."""
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


async def _contents(citewell: Citewell, settings: Settings) -> AsyncIterator[Finding]:
    """Check the content. `settings`: as written, even if `citewell` was opened without some of them."""
    yield ok_finding("data folder", f"{settings.data} can be used")
    if settings.database:
        yield _database(citewell)
    for subject, findings in (
        ("workspaces", _workspaces(citewell)),
        ("documents", _documents(citewell)),
        ("index", _index(citewell, settings)),
        ("citewell.toml", _rules(citewell)),
        ("sources", diagnose_sources(citewell)),
        ("questions", _questions(citewell)),
    ):
        async for finding in guarded(subject, findings):
            yield finding


async def _workspaces(citewell: Citewell) -> AsyncIterator[Finding]:
    for config in enabled_platforms(citewell.settings):
        finding = await config.diagnose_stored(lambda: open_installations(citewell.settings, citewell.storage.database))
        if finding:
            yield finding


async def _documents(citewell: Citewell) -> AsyncIterator[Finding]:
    library = citewell.storage.library
    count = await library.count()
    if not count:
        yield warning_finding("documents", "nothing is indexed", "To index a file or a folder: citewell index PATH")
    else:
        yield ok_finding("documents", f"{wording.count_noun(count, 'document is', 'documents are')} indexed")
    if holding := [document.filename for document in await library.list_documents() if document.keys]:
        text = f"{wording.count_noun(len(holding), 'document holds', 'documents hold')} keys or tokens"
        yield warning_finding(
            "keys", text, "To see which, and of what kind: citewell documents. Revoke those that are real."
        )


async def _index(citewell: Citewell, settings: Settings) -> AsyncIterator[Finding]:
    if citewell.settings.embedder != settings.embedder:
        yield skipped("index", "the embedder cannot be opened")
    elif message := await describe_stale_embeddings(citewell):
        yield warning_finding("index", f"{message}.", REEMBED_HINT)


async def _rules(citewell: Citewell) -> AsyncIterator[Finding]:
    for line in (*await find_unused_rules(citewell), *platform_warnings(citewell.settings)):
        yield warning_finding("citewell.toml", line, CORRECT)


async def _questions(citewell: Citewell) -> AsyncIterator[Finding]:
    if given_up := await citewell.storage.inbox.failure_counts():
        reasons = ", ".join(f"{number} × {why}" for why, number in given_up.items())
        yield warning_finding("questions", f"some were given up: {reasons}", "Fix the cause. People have to ask again.")


def _database(citewell: Citewell) -> Finding:
    if citewell.storage.has_row_security:
        return ok_finding("database", citewell.storage.engine)
    return warning_finding(
        "database",
        f"{citewell.storage.engine} does not keep workspaces apart: its role is a superuser or has BYPASSRLS",
        "Connect as an ordinary role that owns the database: docs/operations/postgresql.md",
    )


def _backup(settings: Settings) -> Finding:
    file = newest_backup(settings.data / "backups")
    if file is None:
        if not settings.backup_hours:
            return warning_finding("backup", "there is none, and none is scheduled", "Make one: citewell backup")
        return warning_finding("backup", "there is none yet", "Leave `citewell run` up, or make one: citewell backup")
    try:
        contents = read_contents(file)
    except CitewellError as error:
        return error_finding("backup", str(error), "Make another one: citewell backup")
    age = timedelta(seconds=time.time() - file.stat().st_mtime)
    made = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    text = f"{file} of {made:%Y-%m-%d %H:%M} UTC is whole: {wording.count_noun(contents.documents, 'document')}"
    if settings.backup_hours and age > timedelta(hours=2 * settings.backup_hours):
        return warning_finding("backup", f"{text}, and old", "Look why there is no newer one: citewell schedule")
    return ok_finding("backup", text)
