"""Signed HTTP requests: how Slack reaches us at a public address; and the server that takes them."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Iterable, Mapping

import structlog
from aiohttp import ClientPayloadError
from aiohttp import web as http
from slack_bolt.request.async_request import AsyncBoltRequest

from adapters.slack.events.incoming import MALFORMED
from adapters.slack.transport.connection import GOODBYE
from adapters.slack.transport.front import Front
from pipeline.errors import Misconfigured

log = structlog.get_logger(__name__)

SKEW = 300
"""Seconds a signed request may be old (Slack: verifying requests)."""
PATH = "/slack/events"
REQUEST_SECONDS = 10.0
"""How long a caller may take for the head of a request, and then for its body; Slack's own take a fraction of one."""
LARGEST = 4 << 20


async def serve(routes: Iterable[http.RouteDef], host: str, port: int) -> None:
    """Answer at `http://host:port` until cancelled. Raises Misconfigured if it cannot listen."""
    server = http.Application(client_max_size=LARGEST)
    server.router.add_routes(routes)
    runner = http.AppRunner(server, access_log=None, keepalive_timeout=REQUEST_SECONDS, shutdown_timeout=GOODBYE)
    await runner.setup()
    try:
        await http.TCPSite(runner, host, port).start()
        await asyncio.Event().wait()
    except OSError as error:
        raise Misconfigured(
            "CITEWELL_SLACK_PORT", f"cannot listen at {host}:{port}", what_to_do="Choose a free port."
        ) from error
    finally:
        await runner.cleanup()


def events(front: Front, signing_secret: str) -> http.RouteDef:
    """Where Slack sends what happens, at `PATH`."""

    async def receive(request: http.Request) -> http.Response:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                body = await request.read()
        except (TimeoutError, ConnectionError, ClientPayloadError):
            return http.Response(status=400, text="the body did not come")
        if not signed(body, request.headers, signing_secret, time.time()):
            return http.Response(status=401, text="invalid signature")
        try:
            answer = await front.async_dispatch(
                AsyncBoltRequest(body=body.decode(), query=request.query_string, headers=dict(request.headers))
            )
        except MALFORMED as error:
            log.warning("slack_request_malformed", reason=type(error).__name__)
            return http.Response(status=400, text="unreadable body")
        kind = answer.headers.get("content-type", ["text/plain"])[0].partition(";")[0]
        return http.Response(status=answer.status, text=str(answer.body or ""), content_type=kind)

    return http.post(PATH, receive)


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
