"""A page as the settings make it, with people who sign in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx

from adapters.http.hosts import LocalOperator
from adapters.http.servers import UvicornServers
from adapters.web.config import WebConfig
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.config.tables import CollectionSettings, RoleSettings
from bot.platforms import make_adapters
from bot.wiring import open_citewell
from tests.doubles.ports import free_port

PROXY = "the proxy's secret"


class Page:
    def __init__(
        self, citewell: Citewell, address: str, adapters: dict[str, Any], machine: LocalOperator | None = None
    ) -> None:
        self.citewell = citewell
        self.address = address
        self.adapters = adapters
        """Of the platforms that run beside it."""
        self.machine = machine
        """Where nobody signs in."""

    def browser(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self.address, follow_redirects=True, timeout=30, trust_env=False, verify=False
        )


@asynccontextmanager
async def opened(folder: Path, web: Mapping[str, object] | None = None, **settings: Any) -> AsyncIterator[Page]:
    """`web`: settings of the page's own."""
    port = free_port()
    found = Settings(
        _env_file=None,  # type: ignore[call-arg] # pydantic's own
        data=folder / "data",
        embedder="none",
        web=WebConfig.model_validate({"listen": f"127.0.0.1:{port}", **(web or {})}),
        collections={"hr": CollectionSettings(only=("web:group:staff",))},
        roles=RoleSettings(admin=("web:group:leads",)),
        **{"model": "extractive", **settings},
    )
    async with open_citewell(found) as citewell:
        adapters: Any = make_adapters(found, citewell, UvicornServers(), lambda _: None)
        adapter = adapters["web"]
        try:
            async with adapter._program_routes() as programs:
                routes = adapter.routes(citewell.storage.inbox, programs)
                async with UvicornServers().serve(f"127.0.0.1:{port}", routes, setting="CITEWELL_WEB"):
                    yield Page(citewell, f"http://127.0.0.1:{port}", adapters, adapter._machine)
        finally:
            await adapter.close()
