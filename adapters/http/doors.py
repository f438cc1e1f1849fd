"""The addresses where this process listens: whoever has routes at one shares its listener."""

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
from starlette.routing import BaseRoute

from adapters.http.limits import HEAD_BYTES, IDLE_SECONDS, MOST, PUBLIC, Limited, Limits, protocol
from pipeline.errors import Misconfigured

GOODBYE_SECONDS = 1
"""How long those who are being answered may take when a listener is closed."""


class Doors:
    """The port `Doors`. A listener is open as long as somebody has routes at its address."""

    def __init__(self, limits: Limits = PUBLIC) -> None:
        self._limits = limits
        self._open: dict[str, _Door] = {}

    @asynccontextmanager
    async def serving(self, address: str, routes: Sequence[BaseRoute], *, setting: str) -> AsyncIterator[int]:
        """Answer at `HOST:PORT` while the block is open; gives the port. Raises Misconfigured, which names `setting`,
        where nothing can listen there."""
        door = self._open.get(address)
        if door is None:
            door = self._open[address] = _Door(_listener(address, setting), self._limits)
        door.routes.extend(routes)
        door.users += 1
        try:
            await door.begun()
            yield door.port
        finally:
            door.routes[:] = [route for route in door.routes if not any(route is own for own in routes)]
            door.users -= 1
            if not door.users:
                del self._open[address]
                await door.close()


@dataclass
class _Door:
    listener: socket.socket
    limits: Limits
    users: int = 0
    _app: Starlette = field(default_factory=Starlette)
    _serving: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.port: int = self.listener.getsockname()[1]
        self._server = _Server(
            uvicorn.Config(
                Limited(self._app, self.limits),
                http=protocol(self.limits),
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                limit_concurrency=MOST + 1,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=GOODBYE_SECONDS,
                h11_max_incomplete_event_size=HEAD_BYTES,
            )
        )

    @property
    def routes(self) -> list[BaseRoute]:
        return self._app.router.routes

    async def begun(self) -> None:
        """Whoever calls is answered from then on, in no context of whoever came first."""
        if self._serving is None:
            serving = self._server.serve([self.listener])
            self._serving = asyncio.create_task(serving, name=f"port {self.port}", context=Context())
        await self._server.begun.wait()

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
        self.begun = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.begun.set()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Signals are the process's."""
        await self._serve(sockets)


def _listener(address: str, setting: str) -> socket.socket:
    """Raises Misconfigured."""
    parts = urlsplit(f"//{address}")
    try:
        family, kind, protocol_, _, where = socket.getaddrinfo(
            parts.hostname, parts.port or 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        found = socket.socket(family, kind, protocol_)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(where)
            found.listen()
        except OSError:
            found.close()
            raise
    except OSError as error:
        raise Misconfigured(
            setting, f"cannot listen at {address}", what_to_do="Choose a free port of this machine."
        ) from error
    found.setblocking(False)
    return found
