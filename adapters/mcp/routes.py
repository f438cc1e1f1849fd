"""MCP over HTTP (streamable), for a team: each request is somebody's, by a key or by where they signed in."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import cast

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from adapters.http.caller import Caller, Callers, NotSignedIn, TooOften
from adapters.mcp.server import Context, instructions, server, told
from pipeline.errors import CitewellError
from pipeline.ports import Reading

PATH = "/mcp"
METADATA = "/.well-known/oauth-protected-resource/mcp"
"""Where RFC 9728 has it."""
SESSIONS = 500
"""Open at once; each ends when it was idle for `IDLE_SECONDS`."""
IDLE_SECONDS = 900.0
CALLER = "citewell.caller"


@asynccontextmanager
async def opened(reading: Reading, callers: Callers, url: str) -> AsyncIterator[list[BaseRoute]]:
    """Its routes, which answer while the block is open. `url`: what callers reach this application as."""
    manager = StreamableHTTPSessionManager(
        server(reading, _caller), session_idle_timeout=IDLE_SECONDS, max_sessions=SESSIONS
    )
    running = asyncio.create_task(_running(manager, begun := asyncio.Event()), name="mcp")
    await begun.wait()
    try:
        yield [
            Route(PATH, _Guarded(manager, reading, callers, url), methods=["GET", "POST", "DELETE"]),
            Route(METADATA, _metadata(callers, url)),
        ]
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _running(manager: StreamableHTTPSessionManager, begun: asyncio.Event) -> None:
    """In a task of its own, which its sessions are begun and ended in."""
    async with manager.run():
        begun.set()
        await asyncio.Event().wait()


async def _caller(ctx: Context) -> Caller:
    """Whoever sent this very request: a key that was revoked meanwhile opens nothing."""
    return cast("Caller", cast("Request", ctx.request).scope[CALLER])


class _Guarded:
    """ASGI before the sessions: a session is its caller's alone."""

    def __init__(self, manager: StreamableHTTPSessionManager, reading: Reading, callers: Callers, url: str) -> None:
        self._manager = manager
        self._reading = reading
        self._callers = callers
        self._url = url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        try:
            caller = await self._callers.caller(request)
            said = await instructions(self._reading, caller)
        except NotSignedIn as error:
            where = f"{_base(self._url, request)}{METADATA}"
            headers = {"WWW-Authenticate": f'Bearer resource_metadata="{where}"'}
            await PlainTextResponse(str(error), 401, headers)(scope, receive, send)
            return
        except TooOften as error:
            headers = {"Retry-After": str(math.ceil(error.seconds))}
            await PlainTextResponse(str(error), 429, headers)(scope, receive, send)
            return
        except CitewellError:
            await PlainTextResponse("Something that is needed cannot be reached.", 503)(scope, receive, send)
            return
        token = told.set(said)
        owner = AuthenticatedUser(AccessToken(token="", client_id=caller.id, scopes=[]))
        try:
            await self._manager.handle_request({**scope, "user": owner, CALLER: caller}, receive, send)
        finally:
            told.reset(token)


def _metadata(callers: Callers, url: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        """Where to get what opens it (RFC 9728)."""
        servers = {"authorization_servers": [callers.issuer]} if callers.issuer else {}
        return JSONResponse(
            {
                "resource": f"{_base(url, request)}{PATH}",
                "resource_name": "Citewell",
                "bearer_methods_supported": ["header"],
                **servers,
            }
        )

    return answer


def _base(url: str, request: Request) -> str:
    return url.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"
