"""Socket Mode: two connections to Slack that need no public address."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from adapters.slack.transport.router import WorkspaceRouter
from adapters.slack.transport.startup import fetch_socket_url
from adapters.slack.web_client import SDK_LOG
from pipeline.errors import Unavailable

log = structlog.get_logger(__name__)

CONNECTION_COUNT = 2
"""Connections: Slack closes each from time to time, and sends every event to any open one."""
PING_SECONDS = 5.0
"""Seconds between pings. After four missed pongs the SDK reconnects: a half-open connection is replaced within 30
seconds."""
DEAD_SECONDS = 30.0
"""Seconds after which a connection that the SDK has not restored is replaced by a new one."""
HANDSHAKE_SECONDS = 10.0
"""Seconds of a handshake. An address is good for one; the SDK would repeat it after a failure."""
CLOSE_SECONDS = 1.0
"""Seconds that the other end may take when a connection is closed; aiohttp would wait ten."""
MIN_RECONNECT_SECONDS, MAX_RECONNECT_SECONDS = 0.5, 30.0
STABLE_SECONDS = 60.0
"""Seconds after which an open connection counts as stable, so that the next need not wait."""


class SocketConnections:
    """The open connections of Socket Mode."""

    def __init__(self) -> None:
        self.open: set[AsyncSocketModeHandler] = set()

    async def has_open(self) -> bool:
        """Return True if Slack can reach us."""
        return any([await handler.client.is_connected() for handler in list(self.open)])


async def run_socket_mode(
    router: WorkspaceRouter, app_token: str, first_address: str, connections: SocketConnections
) -> None:
    """Keep two connections open until cancelled. Raises Misconfigured when the token stops working."""
    addresses = [first_address, *[""] * (CONNECTION_COUNT - 1)]
    await run_until_first_ends(*(_keep_connected(router, app_token, address, connections) for address in addresses))


async def run_until_first_ends(*parts: Coroutine[Any, Any, None]) -> None:
    """Run all until one ends, then cancel the others. Raises the error of the first."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep_connected(
    router: WorkspaceRouter, app_token: str, address: str, connections: SocketConnections
) -> None:
    backoff = _Backoff()
    while True:
        await backoff.turn()
        address = address or await _fetch_address(router, app_token)
        handler = AsyncSocketModeHandler(router, app_token, logger=SDK_LOG, ping_interval=PING_SECONDS)  # type: ignore[arg-type]
        handler.client.wss_uri = address
        handler.client.issue_new_wss_url = backoff.before(handler.client.issue_new_wss_url)  # type: ignore[method-assign]
        try:
            if await _connect(handler):
                connections.open.add(handler)
                await _wait_until_dead(handler)
        finally:
            connections.open.discard(handler)
            await _close(handler)
        log.warning("slack_connection_lost")
        address = ""


class _Backoff:
    """Backoff between two connections, longer each time that one did not last: the SDK makes the next one at once, 250
    a second where Slack closes each."""

    def __init__(self) -> None:
        self._wait = 0.0
        self._started = 0.0

    async def turn(self) -> None:
        loop = asyncio.get_running_loop()
        wait = 0.0 if loop.time() - self._started > STABLE_SECONDS else self._wait
        self._wait = min(2 * wait or MIN_RECONNECT_SECONDS, MAX_RECONNECT_SECONDS)
        await asyncio.sleep(wait)
        self._started = loop.time()

    def before(self, ask: Callable[[], Awaitable[str]]) -> Callable[[], Coroutine[Any, Any, str]]:
        async def later() -> str:
            await self.turn()
            return await ask()

        return later


async def _connect(handler: AsyncSocketModeHandler) -> bool:
    try:
        async with asyncio.timeout(HANDSHAKE_SECONDS):
            await handler.client.connect()  # type: ignore[no-untyped-call]
    except TimeoutError:
        return False
    return True


async def _close(handler: AsyncSocketModeHandler) -> None:
    """Close everything, also when cancelled meanwhile."""
    closing = asyncio.create_task(_close_client(handler.client))
    try:
        await asyncio.shield(closing)
    except asyncio.CancelledError:
        await asyncio.wait({closing})
        raise


async def _close_client(client: SocketModeClient) -> None:
    """Close in two steps: if the first `close` is cut off it has given up the connection, and the second one closes the
    rest."""
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await client.close()  # type: ignore[no-untyped-call]
    except TimeoutError:
        await client.close()  # type: ignore[no-untyped-call]


async def _fetch_address(router: WorkspaceRouter, app_token: str) -> str:
    """Return an address as soon as Slack gives one; the other connection may be working meanwhile."""
    wait = MIN_RECONNECT_SECONDS
    while True:
        try:
            return await fetch_socket_url(router.client, app_token)
        except Unavailable as error:
            log.warning("slack_not_connected_yet", reason=str(error))
            retry_after = error.retry_after or 0.0
        await asyncio.sleep(max(retry_after, wait * random.uniform(0.5, 1.0)))  # noqa: S311 - to spread, not to hide
        wait = min(wait * 2, MAX_RECONNECT_SECONDS)


async def _wait_until_dead(handler: AsyncSocketModeHandler) -> None:
    loop = asyncio.get_running_loop()
    alive = loop.time()
    while loop.time() - alive < DEAD_SECONDS:
        if await handler.client.is_connected():
            alive = loop.time()
        await asyncio.sleep(PING_SECONDS)
