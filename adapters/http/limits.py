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
IDLE_SECONDS = 60
"""How long a connection is kept between two requests, as long as Prometheus' usual interval."""
MOST = 500
"""Connections and requests at once; those above are told to come back (503)."""

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
    """HTTP/1.1 that hangs up on who does not finish the head of a request in time; uvicorn bounds its length alone."""

    class Bounded(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._be_content()
            super().connection_lost(exc)

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._limits.body):
                body = await _body(receive)
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


async def _body(receive: Receive) -> bytes | None:
    """All of it, as far as it came before the caller left; None where it is too long."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > BODY_BYTES:
            return None
        if not message.get("more_body"):
            return bytes(body)
