"""Health of a running Citewell, and the routes for probes and Prometheus: /healthz, /readyz, /metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from adapters.http.hosts import guard_routes, is_cross_site, is_private_host, request_host
from bot.run.worker import Worker
from pipeline.errors import CitewellError
from pipeline.ports import PlatformAdapter
from storage.documents.library import SQLDocumentStore

# --- Whether it can hear the platforms, move the inbox, search ------------------------------------

CONNECTION_POLL_SECONDS = 5.0
"""Seconds between two checks of the platforms' connections."""
SILENT_SECONDS = 60.0
"""Seconds without a connection after which a platform counts as gone; a new connection takes seconds."""
READ_SECONDS = 2.0
"""Seconds within which the library must be read."""


class HealthMonitor:
    """Health checks. Each returns its problems, a line each; nothing when all is well."""

    def __init__(
        self,
        worker: Worker | None,
        adapters: Mapping[str, PlatformAdapter],
        library: SQLDocumentStore,
        *,
        stuck_seconds: float,
        silent_seconds: float = SILENT_SECONDS,
        poll_seconds: float = CONNECTION_POLL_SECONDS,
        connected_elsewhere: Callable[[str], bool] = lambda _: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`worker`: None if this process does not answer. `stuck_seconds`: longer than any one answer takes.
        `connected_elsewhere` tells whether another process has the connection to a platform."""
        self._worker = worker
        self._adapters = adapters
        self._library = library
        self._stuck = stuck_seconds
        self._silent = silent_seconds
        self._poll_seconds = poll_seconds
        self._connected_elsewhere = connected_elsewhere
        self._clock = clock
        self._reached = dict.fromkeys(adapters, clock())

    async def watch(self) -> None:
        """Check the platforms until cancelled: `liveness_problems` uses only these results."""
        while True:
            await self.platform_connections()
            await asyncio.sleep(self._poll_seconds)

    async def platform_connections(self) -> dict[str, bool]:
        """Return which platforms are connected now."""
        connected = {
            name: self._connected_elsewhere(name) or await adapter.is_connected()
            for name, adapter in self._adapters.items()
        }
        self._reached.update({name: self._clock() for name, is_connected in connected.items() if is_connected})
        return connected

    def liveness_problems(self) -> list[str]:
        """Return problems that a restart may solve: a worker that is stuck, a platform without a connection for
        long."""
        stuck = self._worker.idle_seconds if self._worker else 0.0
        problems = [f"worker: nothing has moved for {stuck:.0f} seconds"] if stuck > self._stuck else []
        for name, reached in self._reached.items():
            silent = self._clock() - reached
            if silent > self._silent:
                problems.append(f"{name}: not connected for {silent:.0f} seconds")
        return problems

    async def readiness_problems(self) -> list[str]:
        """Return problems that prevent an answer now: a platform that is not connected, an empty index."""
        problems = [
            f"{name}: not connected"
            for name, is_connected in (await self.platform_connections()).items()
            if not is_connected
        ]
        try:
            async with asyncio.timeout(READ_SECONDS):
                count = await self._library.count()
        except TimeoutError:
            return [*problems, f"index: not read within {READ_SECONDS:.0f} seconds"]
        except CitewellError as error:
            return [*problems, f"index: {error}"]
        return problems if count else [*problems, "index: nothing is indexed"]


# --- What is asked --------------------------------------------------------------------------------
# A website that a browser on the network shows is refused: it asks under its own name, or as another site.

OPERATIONS_SETTING = "CITEWELL_OPERATIONS"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"

HealthCheck = Callable[[], Awaitable[list[str]]]


def routes(
    alive: HealthCheck, ready: HealthCheck, page: Callable[[], Awaitable[bytes]], *, hosts: Collection[str] = ()
) -> list[BaseRoute]:
    """Return the routes. `hosts`: names with a dot under which they may be requested."""

    async def healthz(_: Request) -> Response:
        return _respond(await alive())

    async def readyz(_: Request) -> Response:
        return _respond(await ready())

    async def metrics(_: Request) -> Response:
        try:
            return Response(await page(), headers={"Content-Type": PROMETHEUS})
        except CitewellError as error:
            return _respond([str(error)])

    def refusal(request: Request) -> str:
        if is_cross_site(request):
            return "Another website asked for this.\n"
        if not is_private_host(request_host(request), hosts):
            return "Ask by an address, by a name without a dot, or by one that CITEWELL_OPERATIONS_HOSTS names.\n"
        return ""

    handlers = {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics}
    return guard_routes([Route(path, handle) for path, handle in handlers.items()], refusal)


def _respond(problems: list[str]) -> Response:
    return PlainTextResponse("".join(f"{line}\n" for line in problems or ["ok"]), 503 if problems else 200)
