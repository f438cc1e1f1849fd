"""Whether Slack's side of the installation is well: tokens, scopes, the connection, the channels it is in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.named import joined
from adapters.slack.settings import SlackSettings
from adapters.slack.transport.startup import OPTIONAL, SCOPES, Workspace, introduce, socket_address
from adapters.slack.web import Declined, SlackPace, Web, passing
from pipeline.errors import CitewellError, Misconfigured
from pipeline.ports import Installations
from pipeline.values import Finding
from pipeline.values.finding import bad, good, warning
from pipeline.values.platform import Installation

UNREACHED = "Check the network, the proxy and SLACK_API_URL."


async def examine(settings: SlackSettings, channels: Collection[str]) -> AsyncIterator[Finding]:
    """`channels` are those that the settings name: the bot should be in them. Posts nothing."""
    async with passing(settings.api_url) as clients:
        client = clients(settings.bot_token)
        try:
            workspace = await introduce(Web(client, SlackPace(longest_wait=1.0)))
        except CitewellError as error:
            yield bad("Slack token", str(error), error.what_to_do or UNREACHED)
            return
        yield good("Slack token", f"it is of @{workspace.name} in {workspace.team_name}")
        for finding in _scopes(workspace):
            yield finding
        yield await _connection(client, settings)
        yield await _membership(Web(client, SlackPace(longest_wait=1.0)), channels)


async def examine_kept(installations: Callable[[], Installations]) -> Finding:
    """Whether the workspaces that added the bot by themselves can be read, and with them their tokens."""
    try:
        found = await installations().all()
    except CitewellError as error:
        return bad("Slack workspaces", str(error), error.what_to_do or "See docs/slack.md#many-workspaces.")
    if not found:
        return warning("Slack workspaces", "none has added the bot yet", "Open /slack/install at your public address.")
    return good("Slack workspaces", f"added to {', '.join(f'{one.name} ({one.space.space})' for one in found)}")


async def examine_installed(settings: SlackSettings, installations: Collection[Installation]) -> AsyncIterator[Finding]:
    """The workspaces that added the bot by themselves."""
    async with passing(settings.api_url) as client:
        yield await _connection(client(None), settings)
        for one in installations:
            where = f"{one.name} ({one.space.space})"
            try:
                workspace = await introduce(Web(client(one.token), SlackPace(longest_wait=1.0)))
            except Misconfigured as error:
                yield bad("Slack token", f"{where}: {error}", "Add the app there again, at /slack/install.")
            except CitewellError as error:
                yield bad("Slack token", f"{where}: {error}", error.what_to_do or UNREACHED)
            else:
                lacks = sorted(SCOPES.keys() - workspace.scopes)
                yield (
                    bad(
                        "Slack scopes",
                        f"{where} lacks {', '.join(lacks)}",
                        "Add the app there again, at /slack/install.",
                    )
                    if lacks
                    else good("Slack token", f"that of {where} works, with every scope it needs")
                )


def _scopes(workspace: Workspace) -> list[Finding]:
    if not workspace.scopes:
        return [warning("Slack scopes", "Slack did not say which the token has", "Look at OAuth & Permissions.")]
    fix = "Add it under OAuth & Permissions, or paste manifest.yml again; then install the app again."
    found = [
        bad("Slack scopes", f"{scope} is missing; it would enable {enables}", fix)
        for scope, enables in SCOPES.items()
        if scope not in workspace.scopes
    ]
    found += [
        warning("Slack scopes", f"{scope}, an optional one, is missing; it would enable {enables}", fix)
        for scope, enables in OPTIONAL.items()
        if scope not in workspace.scopes
    ]
    return found or [good("Slack scopes", f"all {len(SCOPES) + len(OPTIONAL)} of manifest.yml")]


async def _connection(client: AsyncWebClient, settings: SlackSettings) -> Finding:
    if settings.app_token:
        try:
            await socket_address(client, settings.app_token)
        except Misconfigured as error:
            return bad("Slack connection", str(error), error.what_to_do)
        except CitewellError as error:
            return bad("Slack connection", str(error), error.what_to_do or UNREACHED)
        return good("Slack connection", "Socket Mode opens with the app-level token")
    if settings.signing_secret:
        return good("Slack connection", "events come over HTTP, signed; whether Slack reaches this machine shows there")
    return bad(
        "Slack connection",
        "neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set",
        "Set SLACK_APP_TOKEN to an app-level token (xapp-…) with connections:write.",
    )


async def _membership(web: Web, channels: Collection[str]) -> Finding:
    fix = "Invite it there: /invite @ with its name."
    try:
        found = {str(channel["id"]) async for channel in joined(web)}
    except Declined as error:
        return warning("Slack channels", str(error), error.what_to_do or "Add the scopes of manifest.yml.")
    except CitewellError as error:
        return bad("Slack channels", str(error), error.what_to_do or UNREACHED)
    if absent := sorted(set(channels) - found):
        return bad("Slack channels", f"the settings name {', '.join(absent)}, and the bot is not in it", fix)
    if not found:
        return warning("Slack channels", "the bot is in no channel", fix)
    return good("Slack channels", f"the bot is in {len(found)}")
