"""HTTP servers of this process: all routes at one address share a listener."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from adapters.http.limits import (
    DEFAULT_BODY_BYTES,
    KEEP_ALIVE_SECONDS,
    MAX_CONNECTIONS,
    PUBLIC_TIMEOUTS,
    BodyLimitMiddleware,
    RequestTimeouts,
    make_protocol,
)
from pipeline.errors import Misconfigured

SHUTDOWN_SECONDS = 1
"""Seconds that requests under way may take when a listener is closed."""
LOOPBACK_ADDRESSES = ("127.0.0.1", "::1")


class UvicornServers:
    """The port `HttpServers`. A listener is open as long as there are routes at its address."""

    def __init__(
        self, limits: RequestTimeouts = PUBLIC_TIMEOUTS, trusted_proxies: Sequence[str] = LOOPBACK_ADDRESSES
    ) -> None:
        """`trusted_proxies` are addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted."""
        self._limits = limits
        self._trusted_proxies = list(trusted_proxies)
        self._open: dict[str, _SharedServer] = {}

    @asynccontextmanager
    async def serve(
        self, address: str, routes: Sequence[BaseRoute], *, setting: str, body_bytes: int = DEFAULT_BODY_BYTES
    ) -> AsyncIterator[int]:
        """Answer at `HOST:PORT` while the block is open, and yield the port. `body_bytes` is the longest body that
        these routes take. Raise Misconfigured, which names `setting`, where nothing can listen there."""
        server = self._open.get(address)
        if server is None:
            server = self._open[address] = _SharedServer(
                _open_listener(address, setting), self._limits, self._trusted_proxies
            )
        server.routes.extend(routes)
        server.body_bytes.update({id(route): body_bytes for route in routes})
        server.users += 1
        try:
            await server.start()
            yield server.port
        finally:
            server.routes[:] = [route for route in server.routes if not any(route is removed for removed in routes)]
            for route in routes:
                server.body_bytes.pop(id(route), None)
            server.users -= 1
            if not server.users:
                del self._open[address]
                await server.close()


@dataclass
class _SharedServer:
    listener: socket.socket
    limits: RequestTimeouts
    trusted_proxies: list[str]
    users: int = 0
    body_bytes: dict[int, int] = field(default_factory=dict)
    """Bytes of the longest body that each route takes, by the id of the route."""
    _app: Starlette = field(default_factory=Starlette)
    _serving: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.port: int = self.listener.getsockname()[1]
        self._server = _Server(
            uvicorn.Config(
                BodyLimitMiddleware(self._app, self.limits, self._max_body),
                http=make_protocol(self.limits),
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                limit_concurrency=4 * MAX_CONNECTIONS,  # those that were aborted a moment ago are counted, too
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                forwarded_allow_ips=self.trusted_proxies,
            )
        )

    @property
    def routes(self) -> list[BaseRoute]:
        return self._app.router.routes

    def _max_body(self, scope: Scope) -> int:
        return next(
            (self.body_bytes.get(id(route), 0) for route in self.routes if route.matches(scope)[0] is not Match.NONE),
            DEFAULT_BODY_BYTES,
        )

    async def start(self) -> None:
        """Start the server and wait until it answers, in a context of its own rather than the first caller's."""
        if self._serving is None:
            serving = self._server.serve([self.listener])
            self._serving = asyncio.create_task(serving, name=f"port {self.port}", context=Context())
        await self._server.ready.wait()

    async def close(self) -> None:
        self._server.should_exit = True
        try:
            if self._serving:
                await asyncio.gather(self._serving, return_exceptions=True)
        finally:
            self.listener.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve without handlers for signals: those are the process's."""
        await self._serve(sockets)


def _open_listener(address: str, setting: str) -> socket.socket:
    """Return a listening socket. Raises Misconfigured."""
    parts = urlsplit(f"//{address}")
    try:
        family, kind, protocol_, _, socket_address = socket.getaddrinfo(
            parts.hostname, parts.port or 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol_)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(socket_address)
            listener.listen()
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise Misconfigured(
            setting, f"cannot listen at {address}", what_to_do="Choose a free port of this machine."
        ) from error
    listener.setblocking(False)
    return listener
