"""A web server over loopback: pages by path, and a record of what was asked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from aiohttp import web


@dataclass(frozen=True)
class Reply:
    """What the server sends; `pause` seconds between the pieces of 64 kB."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    pause: float = 0.0


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    """With its query."""
    headers: Mapping[str, str]
    body: bytes


class WebServer:
    """Serves `replies` by path and query: a list is used up but for its last. Everything else is a 404."""

    def __init__(self, replies: Mapping[str, Reply | list[Reply]] | None = None) -> None:
        self.replies: dict[str, Reply | list[Reply]] = dict(replies or {})
        self.asked: list[Asked] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[WebServer]:
        runner = web.ServerRunner(web.Server(self._serve), handler_cancellation=True, shutdown_timeout=0.05)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(Asked(request.method, request.raw_path, request.headers, await request.read()))
        reply = self.replies.get(request.raw_path, Reply(status=404))
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        response = web.StreamResponse(status=reply.status, headers=reply.headers)
        response.content_length = len(reply.body)
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):
            for start in range(0, len(reply.body), 65536):
                await response.write(reply.body[start : start + 65536])
                await asyncio.sleep(reply.pause)
            await response.write_eof()
        return response
