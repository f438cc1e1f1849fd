"""What a caller may ask of a listener: bounded heads and bodies, in bounded time, read as fast as they come."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import h11
import structlog
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_BYTES = 16 << 10
BODY_BYTES = 4 << 20
"""The longest body; of an event of Slack's."""
TOGETHER_BYTES = 64 << 20
"""Of all bodies that are on their way; above, the one that began first is given up. 500 of the longest were 2 GB."""
IDLE_SECONDS = 60
"""How long a connection is kept between two requests, as long as Prometheus' usual interval."""
MOST = 500
"""Connections at once. Above, the one that came first is hung up on, of those that are not being answered: 1,000 that
say nothing keep nobody out. Where all are, who asks is told to come back (503)."""

log = structlog.get_logger(__name__)


class Limits(NamedTuple):
    head: float
    """Seconds for the head of a request to come, from when the connection or the request before it was done with."""
    body: float
    """Seconds for the body to come."""
    reading: float
    """Seconds that a caller may leave a part of the answer unread."""


PUBLIC = Limits(head=10.0, body=10.0, reading=30.0)
"""Slack, browsers and programs take a fraction of it."""


def protocol(limits: Limits) -> type[H11Protocol]:
    """HTTP/1.1 that hangs up on who does not finish the head of a request in time, and on the first of too many; the
    length of heads, and how many are answered, uvicorn bounds."""
    there: dict[Bounded, None] = {}

    class Bounded(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            there[self] = None
            if len(there) > MOST and (first := next((one for one in there if not one.answered), None)):
                del there[first]
                first.transport.abort()
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            there.pop(self, None)
            self._be_content()
            super().connection_lost(exc)

        @property
        def answered(self) -> bool:
            """Whether a request is here as a whole, and its answer is under way."""
            return self.conn.their_state in (h11.DONE, h11.MUST_CLOSE)

        def _wait(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._be_content()
            elif self._late is None:
                self._late = asyncio.get_running_loop().call_later(limits.head, self.transport.close)

        def _be_content(self) -> None:
            if self._late:
                self._late.cancel()
                self._late = None

    return Bounded


class Limited:
    """ASGI around an application, which finds the whole body there when it is called."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._coming: dict[asyncio.Timeout, int] = {}
        """How many bytes of each body are here, by what gives it up."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._limits.body) as until:
                body = await self._body(receive, until)
        except TimeoutError:
            await PlainTextResponse("the body did not come", 408, {"Connection": "close"})(scope, receive, send)
            return
        if body is None:
            await PlainTextResponse("the body is too long", 413, {"Connection": "close"})(scope, receive, send)
            return
        whole = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def again() -> Message:
            return next(whole, None) or await receive()

        async def in_time(message: Message) -> None:
            async with asyncio.timeout(self._limits.reading):
                await send(message)

        try:
            await self._app(scope, again, in_time)
        except TimeoutError:
            log.info("caller_does_not_read", path=scope["path"])
        except Exception:
            log.exception("request_failed", path=scope["path"])

    async def _body(self, receive: Receive, until: asyncio.Timeout) -> bytes | None:
        """All of it, as far as it came before the caller left; None where it is too long. Raises TimeoutError."""
        body = bytearray()
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return bytes(body)
                body += message.get("body", b"")
                if len(body) > BODY_BYTES:
                    return None
                if not message.get("more_body"):
                    return bytes(body)
                self._coming[until] = len(body)
                self._make_room()
        finally:
            self._coming.pop(until, None)

    def _make_room(self) -> None:
        while sum(self._coming.values()) > TOGETHER_BYTES:
            first = next(iter(self._coming))
            del self._coming[first]
            if not first.expired():
                first.reschedule(asyncio.get_running_loop().time())
