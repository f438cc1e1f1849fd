"""MCP over streamable HTTP, for a team: each request has a caller, by a key or by an access token."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Scope, Send

from adapters.http.auth import Caller, CallerAuthenticator, NotAuthenticated, RateLimited
from adapters.mcp.server import McpContext, make_mcp_server, server_instructions, session_instructions
from adapters.mcp.tools import error_message
from pipeline.errors import CitewellError
from pipeline.ports import QueryService

# --- Open sessions, limited for each caller so that nobody keeps others out -----------------------

MAX_SESSIONS = 500
"""Sessions open at once."""
MAX_SESSIONS_PER_CALLER = 100
"""Sessions of one caller open at once."""
SESSION_HEADER_RAW = b"mcp-session-id"
EndSession = Callable[[str, str], Awaitable[None]]
"""Ends a session: takes its id and its caller."""


class TooManySessions(Exception):
    """Every session that could be ended is at work."""


@dataclass(eq=False)
class McpSession:
    """A session of one caller."""

    caller: str
    id: str = ""
    """Empty before it has begun, and when it has ended."""
    active_requests: int = 0
    """Requests being answered now."""

    def update_from_response(self, method: str, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Take over the session's id or its end from the head of a response."""
        if status == 404 or (method == "DELETE" and status < 400):
            self.id = ""
        elif status < 400 and not self.id:
            self.id = next(
                (value.decode("latin-1") for name, value in headers if name.lower() == SESSION_HEADER_RAW), ""
            )


class McpSessionPool:
    """The open sessions, within limits. Where a new one exceeds a limit, the session ends that was idle longest: one of
    the same caller, or, if there are too many in all, one of the caller with the most. Most of these were left behind
    by editors that are closed."""

    def __init__(
        self, end: EndSession, *, max_sessions: int = MAX_SESSIONS, max_per_caller: int = MAX_SESSIONS_PER_CALLER
    ) -> None:
        self._end = end
        self._max_sessions = max_sessions
        self._max_per_caller = max_per_caller
        self._open: dict[McpSession, None] = {}
        """Ordered by use: the session used last is the last."""

    @asynccontextmanager
    async def acquire(self, caller: str, session_id: str) -> AsyncIterator[McpSession]:
        """Hold a session during a request; without an id, one that the request may begin. Raises TooManySessions."""
        session = next(
            (
                candidate
                for candidate in self._open
                if session_id and (candidate.id, candidate.caller) == (session_id, caller)
            ),
            None,
        )
        is_new = session is None and not session_id
        session = session or McpSession(caller)
        session.active_requests += 1
        try:
            if is_new:
                await self._make_room(session)
            yield session
        finally:
            session.active_requests -= 1
            self._open.pop(session, None)
            if session.id:
                self._open[session] = None

    async def _make_room(self, session: McpSession) -> None:
        self._open[session] = None
        try:
            ended = list(self._pick_ended(session.caller))
        except TooManySessions:
            del self._open[session]
            raise
        for ended_session in ended:
            await self._end(ended_session.id, ended_session.caller)

    def _pick_ended(self, caller: str) -> Iterator[McpSession]:
        while callers := self._callers_over_limit(caller):
            idle = (
                candidate
                for owner in callers
                for candidate in self._open
                if candidate.caller == owner and candidate.id and not candidate.active_requests
            )
            session = next(idle, None)
            if session is None:
                raise TooManySessions
            del self._open[session]
            yield session

    def _callers_over_limit(self, caller: str) -> list[str]:
        """Return the callers whose sessions may be ended for one of `caller`, the one with the most first; none while
        there is room."""
        counts = Counter(session.caller for session in self._open)
        if counts[caller] > self._max_per_caller:
            return [caller]
        if len(self._open) > self._max_sessions:
            return [owner for owner, count in counts.most_common() if count >= counts[caller]]
        return []


# --- HTTP -----------------------------------------------------------------------------------------

PATH = "/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"
"""The path of the resource metadata by RFC 9728."""
SESSION_HEADER = "mcp-session-id"
IDLE_SECONDS = 8 * 3600.0
"""Seconds after which an idle session ends: an editor is open all day. Where room is needed, idle sessions end earlier;
see `McpSessionPool`."""
CALLER_SCOPE_KEY = "citewell.caller"


@asynccontextmanager
async def open_mcp(queries: QueryService, callers: CallerAuthenticator, url: str) -> AsyncIterator[list[BaseRoute]]:
    """Open the routes, which answer while the block is open. `url` is the address at which callers reach this
    application."""
    manager = StreamableHTTPSessionManager(
        make_mcp_server(queries, _caller), session_idle_timeout=IDLE_SECONDS, max_sessions=2 * MAX_SESSIONS
    )
    running = asyncio.create_task(_run_manager(manager, started := asyncio.Event()), name="mcp")
    await started.wait()
    try:
        yield [
            Route(PATH, _McpEndpoint(manager, queries, callers, url), methods=["GET", "POST", "DELETE"]),
            Route(METADATA_PATH, _metadata(callers, url)),
        ]
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _run_manager(manager: StreamableHTTPSessionManager, started: asyncio.Event) -> None:
    """Run the session manager in a task of its own, in which its sessions begin and end."""
    async with manager.run():
        started.set()
        await asyncio.Event().wait()


async def _caller(ctx: McpContext) -> Caller:
    """Return the caller of this very request: a key revoked meanwhile opens nothing."""
    return cast("Caller", cast("Request", ctx.request).scope[CALLER_SCOPE_KEY])


class _McpEndpoint:
    """ASGI in front of the session manager: a session belongs to its caller alone."""

    def __init__(
        self, manager: StreamableHTTPSessionManager, queries: QueryService, callers: CallerAuthenticator, url: str
    ) -> None:
        self._manager = manager
        self._queries = queries
        self._callers = callers
        self._url = url
        self._sessions = McpSessionPool(self._end)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_started = False

        async def send_tracked(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._answer(scope, receive, send_tracked)
        except Exception as error:
            if has_started:
                raise
            await self._to_response(error, Request(scope))(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        caller = await self._callers.authenticate(request)
        if request.method == "GET":
            message = "There is no event stream: only requests are answered."
            await _error_response(405, message, {"Allow": "POST, DELETE"})(scope, receive, send)
            return
        token = session_instructions.set(await server_instructions(self._queries, caller))
        try:
            async with self._sessions.acquire(caller.id, request.headers.get(SESSION_HEADER, "")) as session:

                async def send_updating(message: Message) -> None:
                    if message["type"] == "http.response.start":
                        session.update_from_response(request.method, message["status"], message["headers"])
                    await send(message)

                await self._manager.handle_request(
                    {**scope, "user": _owner(caller.id), CALLER_SCOPE_KEY: caller}, receive, send_updating
                )
        finally:
            session_instructions.reset(token)

    async def _end(self, session: str, caller: str) -> None:
        """End a session with the request that its own editor would send."""

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Message) -> None: ...

        request_scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "DELETE",
            "scheme": "http",
            "path": PATH,
            "raw_path": PATH.encode(),
            "query_string": b"",
            "headers": [(SESSION_HEADER.encode(), session.encode("latin-1"))],
            "user": _owner(caller),
        }
        await self._manager.handle_request(request_scope, receive, send)

    def _to_response(self, error: Exception, request: Request) -> Response:
        match error:
            case NotAuthenticated():
                metadata_url = f"{_base_url(self._url, request)}{METADATA_PATH}"
                return _error_response(
                    401, str(error), {"WWW-Authenticate": f'Bearer resource_metadata="{metadata_url}"'}
                )
            case RateLimited():
                return _error_response(429, str(error), {"Retry-After": str(math.ceil(error.retry_after))})
            case TooManySessions():
                message = "All sessions are busy. Wait until a call is answered, or end a session."
                return _error_response(503, message, {"Retry-After": "5"})
            case CitewellError():
                return _error_response(503, error_message(error), {"Retry-After": "5"})
            case _:
                return _error_response(500, error_message(error))


def _owner(caller: str) -> AuthenticatedUser:
    """Return the user by which the SDK knows a session's owner."""
    return AuthenticatedUser(AccessToken(token="", client_id=caller, scopes=[]))


def _error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error of JSON-RPC, which clients show."""
    code = INTERNAL_ERROR if status >= 500 else INVALID_REQUEST
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return JSONResponse(body, status, headers)


def _metadata(callers: CallerAuthenticator, url: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        """Return the address of the authorization server (RFC 9728)."""
        servers = {"authorization_servers": [callers.issuer]} if callers.issuer else {}
        return JSONResponse(
            {
                "resource": f"{_base_url(url, request)}{PATH}",
                "resource_name": "Citewell",
                "bearer_methods_supported": ["header"],
                **servers,
            }
        )

    return answer


def _base_url(url: str, request: Request) -> str:
    return url.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"
