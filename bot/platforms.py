"""The adapters of the platforms that are set up."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bot.citewell import Citewell
from bot.config.platforms import wanted
from bot.config.settings import Settings, keys
from bot.run.programs import programs
from pipeline.ports import Doors, Host, PlatformAdapter
from storage.database import Database
from storage.people.installations import SQLInstallations
from storage.people.seal import Seal


def make_adapters(
    settings: Settings, citewell: Citewell, doors: Doors, say: Callable[[str], None]
) -> dict[str, PlatformAdapter]:
    """The adapter of every platform that is wanted, by name. `say` tells the operator who it is there.

    Raises Misconfigured where tokens cannot be encrypted."""
    host = Host(
        doors=doors,
        desk=citewell.desk,
        reading=citewell.reading,
        archive=citewell.storage.archive,
        sources=citewell.sources,
        installations=lambda: installations(settings, citewell.storage.database),
        folder=str(settings.data),
        citations=settings.include_citations,
        confidence=settings.include_confidence,
        retention_days=settings.retention_days,
        say=say,
        programs=partial(programs, citewell),
    )
    return {config.platform.name: config.adapter(host) for config in wanted(settings)}


def installations(settings: Settings, database: Database) -> SQLInstallations:
    """The workspaces that people added the bot to. Raises Misconfigured where tokens cannot be encrypted."""
    return SQLInstallations(database, Seal(keys(settings)))
