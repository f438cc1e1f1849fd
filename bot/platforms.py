"""The adapters of the platforms that are set up."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import structlog

from adapters.http.auth import CallerAuthenticator, TokenVerifier
from adapters.http.hosts import LocalOperator
from bot.admin.overview import StoredAdminService
from bot.citewell import Citewell
from bot.config.settings import Settings, enabled_platforms, list_encryption_keys
from bot.log import log_failures
from pipeline.ports import AdapterContext, HttpServers, PlatformAdapter
from pipeline.values import PersonId, Readers
from storage.database import Database

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from storage.people.installations import SQLInstallationStore

# --- What programs and editors call, on the application that the page is on -----------------------


@asynccontextmanager
async def open_program_routes(
    citewell: Citewell, *, url: str, machine: LocalOperator | None, tokens: TokenVerifier | None
) -> AsyncIterator[list[BaseRoute]]:
    """Open the routes of API and MCP, which answer while the block is open.

    `url`: their public address; `machine`: the operator, if nobody signs in.
    """
    from adapters.api.routes import open_api as api
    from adapters.mcp.routes import open_mcp as mcp

    storage = citewell.storage
    callers = CallerAuthenticator(storage.api_keys, citewell.reading, machine=machine, tokens=tokens)
    async with (
        api(citewell.reading, citewell.services, callers, storage.idempotency) as api_routes,
        mcp(citewell.reading, callers, url) as mcp_routes,
    ):
        yield [*api_routes, *mcp_routes]


# --- The adapters ---------------------------------------------------------------------------------

log = structlog.get_logger(__name__)


def make_adapters(
    settings: Settings, citewell: Citewell, http_servers: HttpServers, say: Callable[[str], None]
) -> dict[str, PlatformAdapter]:
    """Return the adapter of every enabled platform, by name. `say` prints a line for the operator.

    Raises Misconfigured when tokens cannot be encrypted.
    """
    adapters: dict[str, PlatformAdapter] = {}

    async def people(person: PersonId) -> Readers | None:
        if (adapter := adapters.get(person.platform)) is None:
            return None
        with log_failures(log, "person_unknown", platform=person.platform):
            return await adapter.get_readers(person)
        return None  # what a platform cannot tell, nobody may rely on

    context = AdapterContext(
        http_servers=http_servers,
        services=citewell.services,
        query_service=citewell.reading,
        conversation_archive=citewell.storage.archive,
        admin_service=StoredAdminService(citewell),
        link_targets=citewell.sources,
        installations=lambda: open_installations(settings, citewell.storage.database),
        data_dir=str(settings.data),
        show_citations=settings.include_citations,
        show_confidence=settings.include_confidence,
        retention_days=settings.retention_days,
        echo=say,
        sessions=citewell.storage.sessions,
        resolve_readers=people,
        program_routes=partial(open_program_routes, citewell),
    )
    adapters.update({config.platform.name: config.create_adapter(context) for config in enabled_platforms(settings)})
    return adapters


def open_installations(settings: Settings, database: Database) -> SQLInstallationStore:
    """Return the workspaces that people added the bot to. Raises Misconfigured when tokens cannot be encrypted."""
    from storage.people.installations import SQLInstallationStore, TokenCipher

    return SQLInstallationStore(database, TokenCipher(list_encryption_keys(settings)))
