"""What programs and editors call, on the application that the page is on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.routing import BaseRoute

from adapters.http.caller import Callers, Tokens
from adapters.http.hosts import Machine
from bot.citewell import Citewell


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
