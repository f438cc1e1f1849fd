"""What programs and editors call, on the application that the page is on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.routing import BaseRoute

from adapters.http.caller import Callers, Tokens
from bot.citewell import Citewell


@asynccontextmanager
async def programs(
    citewell: Citewell, *, url: str, local: bool, tokens: Tokens | None
) -> AsyncIterator[list[BaseRoute]]:
    """Their routes, which answer while the block is open. `url`: what callers reach it as; `local`: whoever is at the
    machine needs no key."""
    from adapters.api.routes import opened as api
    from adapters.mcp.routes import opened as mcp

    storage = citewell.storage
    callers = Callers(storage.keys, citewell.reading, local=local, tokens=tokens)
    async with (
        api(citewell.reading, citewell.desk, callers, storage.replies) as ours,
        mcp(citewell.reading, callers, url) as more,
    ):
        yield [*ours, *more]
