"""Routing of Slack's requests, over Socket Mode or signed HTTP, to the app of their workspace."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from datetime import UTC, datetime

import structlog
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from adapters.slack.events.incoming import MALFORMED_ERRORS, SlackPayload
from adapters.slack.transport.workspaces import NotInstalled, WorkspaceSessions
from adapters.slack.web_client import SDK_LOG
from pipeline.errors import CitewellError
from pipeline.rules.tenancy import NO_WORKSPACE, workspace_scope

log = structlog.get_logger(__name__)


class WorkspaceRouter:
    """The router that takes the place of one Bolt app for HTTP and Socket Mode."""

    logger = SDK_LOG

    def __init__(self, workspaces: WorkspaceSessions, client: AsyncWebClient) -> None:
        self._workspaces = workspaces
        self.client = client

    async def async_dispatch(self, req: AsyncBoltRequest) -> BoltResponse:
        """Dispatch a request. One of a workspace without the bot is acknowledged and ignored."""
        team = str(req.context.team_id or "")
        if req.body.get("type") == "url_verification":
            return BoltResponse(status=200, body={"challenge": req.body.get("challenge")})
        try:
            if _is_removal(req.body):
                await self._workspaces.remove_workspace(
                    team, datetime.fromtimestamp(float(req.body["event_time"]), UTC)
                )
            session = await self._workspaces.session(team)
            with workspace_scope(session.space):
                return await session.app.async_dispatch(req)
        except NotInstalled:
            log.info("slack_not_installed", space=team)
            return BoltResponse(status=200, body="")
        except CitewellError as error:
            log.warning("slack_event_failed", space=team, reason=str(error))
            return BoltResponse(status=500, body="")


def _is_removal(body: SlackPayload) -> bool:
    """Return True if the workspace removed the bot, or revoked its token and not only a person's."""
    event = body.get("event")
    if not isinstance(event, dict):
        return False
    tokens = event.get("tokens")
    revoked = event.get("type") == "tokens_revoked" and isinstance(tokens, dict) and bool(tokens.get("bot"))
    return revoked or event.get("type") == "app_uninstalled"


MAX_SIGNATURE_AGE = 300
"""Seconds a signed request may be old (Slack: verifying requests)."""
EVENTS_PATH = "/slack/events"


def events_route(router: WorkspaceRouter, signing_secret: str) -> BaseRoute:
    """Return the route at `EVENTS_PATH` to which Slack sends events."""

    async def receive(request: Request) -> Response:
        body = await request.body()
        if not has_valid_signature(body, request.headers, signing_secret, time.time()):
            return PlainTextResponse("invalid signature", 401)
        try:
            with workspace_scope(NO_WORKSPACE):
                answer = await router.async_dispatch(
                    AsyncBoltRequest(body=body.decode(), query=request.url.query, headers=dict(request.headers))
                )
        except MALFORMED_ERRORS as error:
            log.warning("slack_request_malformed", reason=type(error).__name__)
            return PlainTextResponse("unreadable body", 400)
        kind = answer.headers.get("content-type", ["text/plain"])[0].partition(";")[0]
        return Response(str(answer.body or ""), answer.status, media_type=kind)

    return Route(EVENTS_PATH, receive, methods=["POST"])


def has_valid_signature(body: bytes, headers: Mapping[str, str], secret: str, now: float) -> bool:
    """Return True if Slack signed this body within five minutes of `now`: `v0=` HMAC-SHA256 of `v0:timestamp:body`.

    Checked before Bolt's own check, which fails with an error for headers that are not ASCII.
    """
    timestamp = headers.get("X-Slack-Request-Timestamp", "")
    signature = headers.get("X-Slack-Signature", "")
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12):
        return False
    if abs(now - int(timestamp)) > MAX_SIGNATURE_AGE:
        return False
    expected = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"v0={expected}".encode(), signature.encode("utf-8", "surrogateescape"))
