"""The two ways Slack reaches us: Socket Mode over two connections, or signed HTTP requests."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import random
import time
from collections.abc import Coroutine, Mapping
from typing import Any

import structlog
from aiohttp import ClientPayloadError
from aiohttp import web as http
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from adapters.slack.startup import socket_address
from adapters.slack.web import SDK_LOG
from pipeline.errors import Unavailable

log = structlog.get_logger(__name__)

CONNECTIONS = 2
"""Slack closes each from time to time and hands every event to any one that is open."""
PING = 5.0
"""Four missed pongs make the SDK reconnect: a half-open connection is replaced within 30 seconds."""
DEAD = 30.0
"""A connection that the SDK has not brought back by then is thrown away and made anew."""
HANDSHAKE = 10.0
"""An address is good for one handshake, which the SDK would go on repeating if it failed."""
GOODBYE = 1.0
"""How long those at the other end of what we close may take; aiohttp would wait ten seconds, and over HTTP sixty."""
LONGEST_WAIT = 30.0
SKEW = 300
"""Seconds a signed request may be old (Slack: verifying requests)."""
PATH = "/slack/events"
REQUEST_SECONDS = 10.0
"""How long a caller may take for the head of a request, and then for its body; Slack's own take a fraction of one."""
LARGEST = 4 << 20


MALFORMED = (LookupError, TypeError, ValueError, AttributeError)
"""What reading a body raises that has none of the shapes that Slack documents."""


class Connections:
    """Those that are open in Socket Mode."""

    def __init__(self) -> None:
        self.open: set[AsyncSocketModeHandler] = set()

    async def any(self) -> bool:
        """Whether Slack can reach us."""
        return any([await handler.client.is_connected() for handler in list(self.open)])


async def socket_mode(app: AsyncApp, app_token: str, first_address: str, connections: Connections) -> None:
    """Keep two connections open until cancelled. Raises Misconfigured when the token stops working."""
    addresses = [first_address, *[""] * (CONNECTIONS - 1)]
    await until_one_ends(*(_keep(app, app_token, address, connections) for address in addresses))


async def until_one_ends(*parts: Coroutine[Any, Any, None]) -> None:
    """Run all until one ends, and end the others; raises what it raised."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep(app: AsyncApp, app_token: str, address: str, connections: Connections) -> None:
    while True:
        address = address or await _new_address(app, app_token)
        handler = AsyncSocketModeHandler(app, app_token, logger=SDK_LOG, ping_interval=PING)
        handler.client.wss_uri = address
        try:
            if await _connected(handler):
                connections.open.add(handler)
                await _until_dead(handler)
        finally:
            connections.open.discard(handler)
            await _close(handler)
        log.warning("slack_connection_lost")
        address = ""


async def _connected(handler: AsyncSocketModeHandler) -> bool:
    try:
        async with asyncio.timeout(HANDSHAKE):
            await handler.client.connect()  # type: ignore[no-untyped-call]
    except TimeoutError:
        return False
    return True


async def _close(handler: AsyncSocketModeHandler) -> None:
    """Close everything, also when we are cancelled meanwhile."""
    closing = asyncio.create_task(_close_in_time(handler.client))
    try:
        await asyncio.shield(closing)
    except asyncio.CancelledError:
        await asyncio.wait({closing})
        raise


async def _close_in_time(client: SocketModeClient) -> None:
    """Cut off, the first `close` has given up the connection, and the second one the rest."""
    try:
        async with asyncio.timeout(GOODBYE):
            await client.close()  # type: ignore[no-untyped-call]
    except TimeoutError:
        await client.close()  # type: ignore[no-untyped-call]


async def _new_address(app: AsyncApp, app_token: str) -> str:
    """An address as soon as Slack gives one; the other connection may be working meanwhile."""
    wait = 0.5
    while True:
        try:
            return await socket_address(app.client, app_token)
        except Unavailable as error:
            log.warning("slack_not_connected_yet", reason=str(error))
            asked = error.retry_after or 0.0
        await asyncio.sleep(max(asked, wait * random.uniform(0.5, 1.0)))  # noqa: S311 - to spread, not to hide
        wait = min(wait * 2, LONGEST_WAIT)


async def _until_dead(handler: AsyncSocketModeHandler) -> None:
    loop = asyncio.get_running_loop()
    alive = loop.time()
    while loop.time() - alive < DEAD:
        if await handler.client.is_connected():
            alive = loop.time()
        await asyncio.sleep(PING)


async def http_mode(app: AsyncApp, signing_secret: str, host: str, port: int) -> None:
    """Take signed requests at `http://host:port/slack/events` until cancelled. Raises OSError if it cannot listen."""
    server = http.Application(client_max_size=LARGEST)
    app.error(_failed)

    async def receive(request: http.Request) -> http.Response:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                body = await request.read()
        except (TimeoutError, ConnectionError, ClientPayloadError):
            return http.Response(status=400, text="the body did not come")
        if not signed(body, request.headers, signing_secret, time.time()):
            return http.Response(status=401, text="invalid signature")
        try:
            answer = await app.async_dispatch(
                AsyncBoltRequest(body=body.decode(), query=request.query_string, headers=dict(request.headers))
            )
        except MALFORMED as error:
            log.warning("slack_request_malformed", reason=type(error).__name__)
            return http.Response(status=400, text="unreadable body")
        kind = answer.headers.get("content-type", ["text/plain"])[0].partition(";")[0]
        return http.Response(status=answer.status, text=str(answer.body or ""), content_type=kind)

    server.router.add_post(PATH, receive)
    runner = http.AppRunner(server, access_log=None, keepalive_timeout=REQUEST_SECONDS, shutdown_timeout=GOODBYE)
    await runner.setup()
    try:
        await http.TCPSite(runner, host, port).start()
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


async def _failed(error: Exception, response: BoltResponse | None) -> BoltResponse | None:
    """500 makes Slack send again, which what nobody can make sense of is not worth. Without `response`, Slack has its
    acknowledgement already."""
    log.error("slack_request_failed", exc_info=error)
    return response and BoltResponse(status=400 if isinstance(error, MALFORMED) else 500)


def signed(body: bytes, headers: Mapping[str, str], secret: str, now: float) -> bool:
    """Whether Slack signed this body within five minutes of `now`: `v0=` HMAC-SHA256 of `v0:timestamp:body`.

    Checked before Bolt's own check, which fails with an error for headers that are not ASCII."""
    timestamp = headers.get("X-Slack-Request-Timestamp", "")
    given = headers.get("X-Slack-Signature", "")
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12):
        return False
    if abs(now - int(timestamp)) > SKEW:
        return False
    wanted = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"v0={wanted}".encode(), given.encode("utf-8", "surrogateescape"))
