"""The port that probes and Prometheus ask: /healthz, /readyz, /metrics. It has no password: keep it to yourself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from aiohttp import web

from pipeline.errors import CitewellError, Misconfigured

GOODBYE = 1.0
"""How long those who ask may take when we stop."""
IDLE_SECONDS = 60.0
"""How long a connection is kept between two requests, as long as Prometheus' usual interval."""
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"

Check = Callable[[], Awaitable[list[str]]]


@asynccontextmanager
async def serving(address: str, alive: Check, ready: Check, page: Callable[[], Awaitable[bytes]]) -> AsyncIterator[int]:
    """Serve at `HOST:PORT` while the block is open; gives the port.

    Raises Misconfigured where it cannot listen."""

    async def healthz(_: web.Request) -> web.Response:
        return _told(await alive())

    async def readyz(_: web.Request) -> web.Response:
        return _told(await ready())

    async def metrics(_: web.Request) -> web.Response:
        try:
            return web.Response(body=await page(), headers={"Content-Type": PROMETHEUS})
        except CitewellError as error:
            return _told([str(error)])

    server = web.Application()
    server.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", metrics)])
    runner = web.AppRunner(server, access_log=None, keepalive_timeout=IDLE_SECONDS, shutdown_timeout=GOODBYE)
    parts = urlsplit(f"//{address}")
    await runner.setup()
    try:
        site = web.TCPSite(runner, parts.hostname, parts.port)
        try:
            await site.start()
        except OSError as error:
            raise Misconfigured(
                "CITEWELL_OPERATIONS", f"cannot listen at {address}", what_to_do="Choose a free port of this machine."
            ) from error
        yield parts.port or 0
    finally:
        await runner.cleanup()


def _told(wrong: list[str]) -> web.Response:
    return web.Response(status=503 if wrong else 200, text="".join(f"{line}\n" for line in wrong or ["ok"]))
