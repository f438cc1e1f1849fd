"""The bot's account in a workspace, its tokens, and missing scopes."""

from __future__ import annotations

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.events.incoming import SlackBot
from adapters.slack.web_client import (
    NETWORK_ERRORS,
    REVOKED_TOKEN_ERRORS,
    SlackWebClient,
    retry_after_seconds,
    slack_error_code,
)
from pipeline.errors import Misconfigured, Unavailable
from pipeline.values import Value

_GUESTS_REASON = "answers there from collections that are not public even if the workspace has guests"
REQUIRED_SCOPES = {
    "app_mentions:read": "being asked by @mention",
    "channels:history": "follow-ups in public channels, and never answering twice after a crash",
    "channels:read": f"sharing private answers in public channels, and {_GUESTS_REASON}",
    "chat:write": "answering at all",
    "commands": "/ask and the shortcuts of a message",
    "files:read": "adding files to the documents from a message",
    "files:write": "sending people their own data as a file",
    "groups:history": "follow-ups in private channels, and never answering twice after a crash",
    "groups:read": f"sharing private answers in private channels, and {_GUESTS_REASON}",
    "im:history": "direct messages",
    "im:write": "sending people their own data",
    "reactions:read": "keeping messages out of channels that are a source, by a reaction",
    "reactions:write": "the eyes reaction where a status cannot be shown",
    "users:read": "answers from all collections; now everybody counts as a guest and gets public ones only",
}
"""Every required bot scope of `manifest.yml`, and what it enables."""
OPTIONAL_SCOPES = {
    "assistant:write": "suggested prompts in the Messages tab",
    "mpim:history": "never answering twice after a crash in group direct messages",
    "search:read.public": "answers from public channels where the documents do not answer, of which nothing is kept",
    "usergroups:read": "roles given to user groups in citewell.toml",
    "mpim:read": f"sharing private answers in group direct messages, and {_GUESTS_REASON}",
}
"""Scopes that may be unticked at the installation. No event depends on one: Slack might refuse such a manifest."""
_WRONG_TOKEN = REVOKED_TOKEN_ERRORS | {"missing_scope", "not_allowed_token_type"}


class SlackWorkspace(Value):
    """The bot's account in a workspace."""

    me: SlackBot
    name: str
    team_name: str
    address: str = ""
    """The address where people open it: `https://acme.slack.com/`."""
    scopes: frozenset[str]
    """Scopes granted to the token; empty when Slack did not say."""


async def fetch_workspace(web: SlackWebClient) -> SlackWorkspace:
    """Ask Slack for the bot's account. Raises Misconfigured for a token that does not work, Unavailable otherwise."""
    try:
        response = await web.client.auth_test()
    except SlackApiError as error:
        expected = "the bot token (xoxb-…) of OAuth & Permissions"
        raise _token_error("auth.test", "SLACK_BOT_TOKEN", expected, error) from error
    except NETWORK_ERRORS as error:
        raise Unavailable("Slack", f"auth.test got no response ({type(error).__name__})") from error
    scopes = response.headers.get("X-OAuth-Scopes") or response.headers.get("x-oauth-scopes") or ""
    return SlackWorkspace(
        me=SlackBot(
            team=str(response["team_id"]), user=str(response["user_id"]), bot=str(response.get("bot_id") or "")
        ),
        name=str(response.get("user") or ""),
        team_name=str(response.get("team") or ""),
        address=str(response.get("url") or ""),
        scopes=frozenset(scope.strip() for scope in scopes.split(",") if scope.strip()),
    )


async def is_token_revoked(web: SlackWebClient) -> bool:
    """Return True if Slack says that the token is invalid for good. Raises Unavailable when it does not say."""
    try:
        await web.client.auth_test()
    except SlackApiError as error:
        if slack_error_code(error) in REVOKED_TOKEN_ERRORS:
            return True
        raise Unavailable(
            "Slack", f"auth.test failed ({slack_error_code(error)})", retry_after=retry_after_seconds(error)
        ) from error
    except NETWORK_ERRORS as error:
        raise Unavailable("Slack", f"auth.test got no response ({type(error).__name__})") from error
    return False


async def fetch_socket_url(client: AsyncWebClient, app_token: str) -> str:
    """Return the address of a Socket Mode connection, good for one handshake: proof that the app-level token works.
    Raises Misconfigured for a token that does not work, Unavailable otherwise."""
    try:
        return str((await client.apps_connections_open(app_token=app_token))["url"])
    except SlackApiError as error:
        expected = "an app-level token (xapp-…) with connections:write"
        raise _token_error("apps.connections.open", "SLACK_APP_TOKEN", expected, error) from error
    except NETWORK_ERRORS as error:
        raise Unavailable("Slack", f"apps.connections.open got no response ({type(error).__name__})") from error


def startup_lines(workspace: SlackWorkspace, connection: str) -> list[str]:
    """Return the lines that are printed for the operator at start-up."""
    lines = [
        f"Slack: I am @{workspace.name} in {workspace.team_name} ({workspace.me.team}), connected by {connection}."
    ]
    if workspace.scopes:
        scopes = {**REQUIRED_SCOPES, **OPTIONAL_SCOPES}
        lines += [
            _missing_scope_line(scope, scopes[scope]) for scope in sorted(scopes) if scope not in workspace.scopes
        ]
    return lines


def _missing_scope_line(scope: str, enables: str) -> str:
    optional = "optional scope" if scope in OPTIONAL_SCOPES else "scope"
    return f"Slack: the {optional} {scope} is missing; it would enable {enables}."


def _token_error(method: str, setting: str, expected: str, error: SlackApiError) -> Misconfigured | Unavailable:
    """Return the error of a token. Only what Slack says of the token itself is final; everything else may pass."""
    code = slack_error_code(error)
    if code in _WRONG_TOKEN:
        return Misconfigured(
            setting, f"Slack says {code}", what_to_do=f"Set {setting} to {expected} of your Slack app."
        )
    detail = code or f"HTTP {error.response.status_code}"
    return Unavailable("Slack", f"{method} failed ({detail})", retry_after=retry_after_seconds(error))
