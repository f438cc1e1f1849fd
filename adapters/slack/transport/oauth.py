"""Installation by people themselves: Slack's OAuth, with the pages that their browsers show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import structlog
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_callback_options import AsyncCallbackOptions, AsyncFailureArgs, AsyncSuccessArgs
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.oauth.installation_store import Installation as Granted
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.web.async_client import AsyncWebClient
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from adapters.slack.settings import SlackSettings
from adapters.slack.transport import install_page as pages
from adapters.slack.transport.startup import OPTIONAL_SCOPES, REQUIRED_SCOPES
from adapters.slack.web_client import NETWORK_ERRORS, SDK_LOG
from pipeline.errors import CitewellError
from pipeline.ports import InstallationStore
from pipeline.rules.tenancy import NO_WORKSPACE, workspace_scope
from pipeline.values import PlaceId
from pipeline.values.platform import Installation

INSTALL_PATH, REDIRECT_PATH = "/slack/install", "/slack/oauth_redirect"

log = structlog.get_logger(__name__)


class OAuthInstaller:
    def __init__(self, settings: SlackSettings, installations: InstallationStore, web: AsyncWebClient) -> None:
        self._flow = _Flow(
            client=web,
            logger=SDK_LOG,
            settings=AsyncOAuthSettings(
                client_id=settings.client_id,
                client_secret=settings.client_secret,
                scopes=[*REQUIRED_SCOPES, *OPTIONAL_SCOPES],
                user_scopes=[],
                installation_store=_Store(installations),
                state_store=_States(installations),
                callback_options=AsyncCallbackOptions(_on_success, _on_failure),
                logger=SDK_LOG,
            ),
        )

    @property
    def routes(self) -> list[BaseRoute]:
        return [
            Route(INSTALL_PATH, _wrap_handler(self._flow.handle_installation)),
            Route(REDIRECT_PATH, _wrap_handler(self._flow.handle_callback)),
            Route(pages.STYLE_PATH, _serve_style),
        ]


class _Flow(AsyncOAuthFlow):
    async def build_authorize_url(self, state: str, request: AsyncBoltRequest) -> str:
        """Return the address. Nothing that the visitor sent becomes part of it."""
        return self.settings.authorize_url_generator.generate(state=state)

    async def build_install_page_html(self, url: str, request: AsyncBoltRequest) -> str:
        return pages.render_invitation(url)


class _Store(AsyncInstallationStore):
    """Store of installations. Bolt reads none: each workspace has an app of its own, with its token."""

    def __init__(self, installations: InstallationStore) -> None:
        self._installations = installations

    async def async_save(self, installation: Granted) -> None:
        if installation.is_enterprise_install or not installation.team_id or not installation.bot_token:
            raise _OneWorkspace
        place = PlaceId(platform="slack", space=installation.team_id)
        await self._installations.put(
            Installation(
                space=place,
                name=installation.team_name or installation.team_id,
                token=installation.bot_token,
                user=installation.bot_user_id or "",
                bot=installation.bot_id or "",
                scopes=frozenset(installation.bot_scopes or ()),
                at=datetime.now(UTC),
            )
        )
        log.info("slack_workspace_added", space=str(place))


class _OneWorkspace(BoltError):
    """Raised when it was installed in a whole organisation of Enterprise Grid at once."""


class _States(AsyncOAuthStateStore):
    def __init__(self, installations: InstallationStore) -> None:
        self._installations = installations

    async def async_issue(self, *args: object, **more: object) -> str:
        return self._installations.issue_state()

    async def async_consume(self, state: str) -> bool:
        return await self._installations.consume_state(state)


async def _on_success(args: AsyncSuccessArgs) -> BoltResponse:
    return BoltResponse(status=200, body=pages.render_installed(args.installation.team_name or ""))


async def _on_failure(args: AsyncFailureArgs) -> BoltResponse:
    log.warning("slack_workspace_not_added", reason=args.reason)
    if isinstance(args.error, _OneWorkspace):
        return BoltResponse(status=400, body=pages.render_install_failed(pages.ONE_WORKSPACE))
    return BoltResponse(
        status=args.suggested_status_code,
        body=pages.render_install_failed(pages.OAUTH_ERROR_TEXTS.get(args.reason, pages.TRY_AGAIN_TEXT)),
    )


async def _serve_style(_: Request) -> Response:
    return Response(pages.INSTALL_PAGE_CSS, media_type="text/css", headers={"X-Content-Type-Options": "nosniff"})


def _wrap_handler(
    handle: Callable[[AsyncBoltRequest], Awaitable[BoltResponse]],
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        bolt_request = AsyncBoltRequest(body="", query=request.url.query, headers=dict(request.headers))
        try:
            with workspace_scope(NO_WORKSPACE):
                response = await handle(bolt_request)
        except (CitewellError, *NETWORK_ERRORS) as error:
            log.warning("slack_workspace_not_added", reason=str(error) or type(error).__name__)
            response = BoltResponse(status=502, body=pages.render_install_failed(pages.TRY_AGAIN_TEXT))
        page = HTMLResponse(str(response.body), response.status, headers=pages.INSTALL_PAGE_HEADERS)
        for cookie in response.headers.get("set-cookie", ()):
            page.headers.append("Set-Cookie", cookie)
        return page

    return answer
