"""What Slack sends goes to the app of the workspace that it is about."""

from __future__ import annotations

from datetime import UTC, datetime

import structlog
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.events.incoming import Body
from adapters.slack.transport.workspaces import NotInstalled, Workspaces
from adapters.slack.web import SDK_LOG
from pipeline.errors import CitewellError
from pipeline.rules.tenancy import bound

log = structlog.get_logger(__name__)


class Front:
    """Takes the place of one Bolt app for whoever delivers, over HTTP and Socket Mode."""

    logger = SDK_LOG

    def __init__(self, workspaces: Workspaces, client: AsyncWebClient) -> None:
        self._workspaces = workspaces
        self.client = client

    async def async_dispatch(self, req: AsyncBoltRequest) -> BoltResponse:
        """Without a workspace that has the bot there is nobody to answer: then it is acknowledged and left alone."""
        team = str(req.context.team_id or "")
        if req.body.get("type") == "url_verification":
            return BoltResponse(status=200, body={"challenge": req.body.get("challenge")})
        try:
            if _gone(req.body):
                await self._workspaces.left(team, datetime.fromtimestamp(float(req.body["event_time"]), UTC))
            session = await self._workspaces.of(team)
            with bound(session.space):
                return await session.app.async_dispatch(req)
        except NotInstalled:
            log.info("slack_not_installed", space=team)
            return BoltResponse(status=200, body="")
        except CitewellError as error:
            log.warning("slack_not_taken_in", space=team, reason=str(error))
            return BoltResponse(status=500, body="")


def _gone(body: Body) -> bool:
    """Whether the workspace removed the bot, or took back its token and not only somebody's own."""
    event = body.get("event")
    if not isinstance(event, dict):
        return False
    tokens = event.get("tokens")
    revoked = event.get("type") == "tokens_revoked" and isinstance(tokens, dict) and bool(tokens.get("bot"))
    return revoked or event.get("type") == "app_uninstalled"
