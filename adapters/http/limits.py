"""Limits of a listener: heads and bodies of limited size and time, and responses that are read in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import h11
import structlog
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD_BYTES = 16 << 10
DEFAULT_BODY_BYTES = 64 << 10
"""Bytes of the longest body, unless a route allows more: a question of 4,000 characters takes 48 KB at most. Parsing a
form of that size holds the event loop for 15 to 30 ms at most; one of 4 MB took 1 to 2 s."""
MAX_DISCARDED_BYTES = 4 << 20
MAX_PENDING_BYTES = 64 << 20
"""Bytes of all bodies being received; above, the body that began first is given up. 500 of the longest were 2 GB."""
KEEP_ALIVE_SECONDS = 60
"""Seconds that a connection is kept between two requests, as long as Prometheus' usual interval."""
MAX_CONNECTIONS = 500
"""Connections at once. Beyond, each new one aborts another: the one that has left its response unread for longest, else
the first that is not being answered. 1,000 clients that send or read nothing keep nobody out. Where all connections are
being answered and read, there may be twice as many; then a new client gets status 503."""
EVICTION_SECONDS = 1.0
"""Seconds without progress before a connection may be aborted: a response on its way is unread for a moment, and a
request on its way is not there yet."""

log = structlog.get_logger(__name__)


class RequestTimeouts(NamedTuple):
    """Seconds that a caller has for each part of a request."""

    head: float
    """Seconds for the head of a request, from the start of the connection or the end of the request before."""
    body: float
    """Seconds for the body."""
    reading: float
    """Seconds in which a caller has to read some of what waits to be sent."""


PUBLIC_TIMEOUTS = RequestTimeouts(head=10.0, body=10.0, reading=30.0)
"""Timeouts for listeners that anybody may reach: Slack, browsers and programs take a fraction of them."""


def make_protocol(limits: RequestTimeouts) -> type[H11Protocol]:
    """Return the HTTP/1.1 protocol of one listener, which aborts connections that do not send a head, or read a
    response, in time.
    Beyond the errors of h11, it refuses heads above `MAX_HEAD_BYTES` and line feeds without a carriage return: proxies
    and servers may disagree on where such a request ends (RFC 9112, 2.2)."""
    connections: set[BoundedProtocol] = set()
    idle: dict[BoundedProtocol, float] = {}
    """The loop's time since when each connection is not being answered, the longest first."""
    unread: dict[BoundedProtocol, float] = {}
    """The loop's time since when each connection leaves its response unread, the longest first."""

    def _pick_victim() -> BoundedProtocol | None:
        before = asyncio.get_running_loop().time() - EVICTION_SECONDS
        for stalled in (unread, idle):
            for connection, since in stalled.items():
                if since <= before:
                    return connection
                break
        return next(iter(idle), None) if len(connections) >= 2 * MAX_CONNECTIONS else None

    class BoundedProtocol(H11Protocol):
        _head_timer: asyncio.TimerHandle | None = None
        _read_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            transport.set_write_buffer_limits(high=0)  # `pause_writing` says that anything at all is left unread
            if len(connections) >= MAX_CONNECTIONS and (victim := _pick_victim()):
                victim.transport.abort()
                connections.discard(victim)
                idle.pop(victim, None)
                unread.pop(victim, None)
            connections.add(self)
            idle[self] = asyncio.get_running_loop().time()
            self._expect_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.answered:
                idle.pop(self, None)
            self._expect_head()

        def handle_events(self) -> None:
            if self.conn.their_state is h11.IDLE and _is_malformed(self.conn.trailing_data[0]):
                self.send_400_response("Invalid HTTP request received.")
                return
            super().handle_events()

        def connection_lost(self, exc: Exception | None) -> None:
            connections.discard(self)
            idle.pop(self, None)
            self._cancel_read_timer()
            self._cancel_head_timer()
            super().connection_lost(exc)

        def on_response_complete(self) -> None:
            idle.pop(self, None)
            idle[self] = asyncio.get_running_loop().time()
            super().on_response_complete()
            if self.answered:
                idle.pop(self, None)
            elif self.conn.trailing_data[0]:  # the beginning of the next request
                self._expect_head()

        def pause_writing(self) -> None:
            super().pause_writing()
            unread[self] = asyncio.get_running_loop().time()
            self._expect_reading()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._cancel_read_timer()

        @property
        def answered(self) -> bool:
            """True where a complete request is here and its answer is under way."""
            return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)

        def _expect_head(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._cancel_head_timer()
            elif self._head_timer is None:
                self._head_timer = asyncio.get_running_loop().call_later(limits.head, self.transport.close)

        def _cancel_head_timer(self) -> None:
            if self._head_timer:
                self._head_timer.cancel()
                self._head_timer = None

        def _expect_reading(self) -> None:
            unread_bytes = self.transport.get_write_buffer_size()
            self._read_timer = asyncio.get_running_loop().call_later(limits.reading, self._check_reading, unread_bytes)

        def _check_reading(self, unread_bytes: int) -> None:
            if self.transport.get_write_buffer_size() < unread_bytes:
                self._expect_reading()
                return
            log.info("slow_client_disconnected", path=self.scope["path"] if self.scope else "")
            self.transport.abort()  # closing would wait for what is left to be read

        def _cancel_read_timer(self) -> None:
            unread.pop(self, None)
            if self._read_timer:
                self._read_timer.cancel()
                self._read_timer = None

    return BoundedProtocol


def _is_malformed(unparsed: bytes) -> bool:
    """Return True where the unparsed bytes cannot become the head of a request that we take."""
    end = unparsed.find(b"\r\n\r\n")
    head = unparsed if end < 0 else unparsed[: end + 4]
    return len(head) > MAX_HEAD_BYTES or head.count(b"\n") != head.count(b"\r\n")


class BodyLimitMiddleware:
    """ASGI middleware that reads the whole body before it calls the application."""

    def __init__(
        self, app: ASGIApp, limits: RequestTimeouts, max_bytes: Callable[[Scope], int] = lambda _: DEFAULT_BODY_BYTES
    ) -> None:
        """`max_bytes` returns the length of the longest body that a request may have."""
        self._app = app
        self._limits = limits
        self._max_bytes = max_bytes
        self._received: dict[asyncio.Timeout, int] = {}
        """Bytes received of each body, by the timeout that can give it up."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        names = {name for name, _ in scope["headers"]}
        if b"transfer-encoding" in names and (b"content-length" in names or scope["http_version"] != "1.1"):
            # whoever believes the one sees other requests than whoever believes the other (RFC 9112, 6.1)
            await _error_response(400, "a body has one length")(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._limits.body) as deadline:
                body = await self._read_body(receive, deadline, self._max_bytes(scope))
        except TimeoutError:
            await _error_response(408, "the body did not come")(scope, receive, send)
            return
        if body is None:
            await _error_response(413, "the body is too long")(scope, receive, send)
            return
        body_messages = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive_body() -> Message:
            return next(body_messages, None) or await receive()

        try:
            await self._app(scope, receive_body, send)
        except Exception:
            log.exception("request_failed", path=scope["path"])

    async def _read_body(self, receive: Receive, deadline: asyncio.Timeout, limit: int) -> bytes | None:
        """Return the body, as far as it came before the caller left; None where it is longer than `limit` bytes. A
        longer body is read to its end and dropped, up to `MAX_DISCARDED_BYTES`: a client that is still sending sees no
        response. Raises TimeoutError."""
        body, size = bytearray(), 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return bytes(body)
                size += len(part := message.get("body", b""))
                if size <= limit:
                    body += part
                if size > max(limit, MAX_DISCARDED_BYTES):
                    return None
                if not message.get("more_body"):
                    return bytes(body) if size <= limit else None
                self._received[deadline] = len(body)
                self._make_room()
        finally:
            self._received.pop(deadline, None)

    def _make_room(self) -> None:
        while sum(self._received.values()) > MAX_PENDING_BYTES:
            oldest = next(iter(self._received))
            del self._received[oldest]
            if not oldest.expired():
                oldest.reschedule(asyncio.get_running_loop().time())


def _error_response(status: int, reason: str) -> PlainTextResponse:
    return PlainTextResponse(reason, status, {"Connection": "close"})
