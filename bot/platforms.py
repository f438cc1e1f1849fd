"""The adapters of the platforms that are set up."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import structlog
from starlette.routing import BaseRoute

from adapters.http.caller import Callers, Tokens
from adapters.http.hosts import Machine
from bot.admin.overview import AdminOverview
from bot.citewell import Citewell
from bot.config.settings import Settings, keys, wanted
from bot.log import failures_logged
from pipeline.ports import Doors, Host, PlatformAdapter
from pipeline.values import PersonId, Readers
from storage.database import Database
from storage.people.installations import Seal, SQLInstallations

# --- What programs and editors call, on the application that the page is on -----------------------


@asynccontextmanager
async def programs(
    citewell: Citewell, *, url: str, machine: Machine | None, tokens: Tokens | None
) -> AsyncIterator[list[BaseRoute]]:
    """Their routes, which answer while the block is open. `url`: what callers reach it as; `machine`: where nobody
    signs in."""
    from adapters.api.routes import opened as api
    from adapters.mcp.routes import opened as mcp

    storage = citewell.storage
    callers = Callers(storage.keys, citewell.reading, machine=machine, tokens=tokens)
    async with (
        api(citewell.reading, citewell.desk, callers, storage.replies) as ours,
        mcp(citewell.reading, callers, url) as more,
    ):
        yield [*ours, *more]


# --- The adapters ---------------------------------------------------------------------------------

log = structlog.get_logger(__name__)


def make_adapters(
    settings: Settings, citewell: Citewell, doors: Doors, say: Callable[[str], None]
) -> dict[str, PlatformAdapter]:
    """The adapter of every platform that is wanted, by name. `say` tells the operator who it is there.

    Raises Misconfigured where tokens cannot be encrypted."""
    made: dict[str, PlatformAdapter] = {}

    async def people(person: PersonId) -> Readers | None:
        if (adapter := made.get(person.platform)) is None:
            return None
        with failures_logged(log, "person_unknown", platform=person.platform):
            return await adapter.readers(person)
        return None  # what a platform cannot tell, nobody may rely on

    host = Host(
        doors=doors,
        desk=citewell.desk,
        reading=citewell.reading,
        archive=citewell.storage.archive,
        overview=AdminOverview(citewell),
        sources=citewell.sources,
        installations=lambda: installations(settings, citewell.storage.database),
        folder=str(settings.data),
        citations=settings.include_citations,
        confidence=settings.include_confidence,
        retention_days=settings.retention_days,
        say=say,
        sessions=citewell.storage.sessions,
        people=people,
        programs=partial(programs, citewell),
    )
    made.update({config.platform.name: config.adapter(host) for config in wanted(settings)})
    return made


def installations(settings: Settings, database: Database) -> SQLInstallations:
    """The workspaces that people added the bot to. Raises Misconfigured where tokens cannot be encrypted."""
    return SQLInstallations(database, Seal(keys(settings)))
