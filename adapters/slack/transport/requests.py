"""Signed HTTP requests: how Slack reaches us at a public address."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping

import structlog
from slack_bolt.request.async_request import AsyncBoltRequest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from adapters.slack.events.incoming import MALFORMED
from adapters.slack.transport.front import Front
from pipeline.rules.tenancy import NOBODY, bound

log = structlog.get_logger(__name__)

SKEW = 300
"""Seconds a signed request may be old (Slack: verifying requests)."""
PATH = "/slack/events"


def events(front: Front, signing_secret: str) -> BaseRoute:
    """Where Slack sends what happens, at `PATH`."""

    async def receive(request: Request) -> Response:
        body = await request.body()
        if not signed(body, request.headers, signing_secret, time.time()):
            return PlainTextResponse("invalid signature", 401)
        try:
            with bound(NOBODY):
                answer = await front.async_dispatch(
                    AsyncBoltRequest(body=body.decode(), query=request.url.query, headers=dict(request.headers))
                )
        except MALFORMED as error:
            log.warning("slack_request_malformed", reason=type(error).__name__)
            return PlainTextResponse("unreadable body", 400)
        kind = answer.headers.get("content-type", ["text/plain"])[0].partition(";")[0]
        return Response(str(answer.body or ""), answer.status, media_type=kind)

    return Route(PATH, receive, methods=["POST"])


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
