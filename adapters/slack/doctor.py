"""Whether Slack's side of the installation is well: tokens, scopes, the connection, the channels it is in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection

from adapters.slack.named import joined
from adapters.slack.settings import SlackSettings
from adapters.slack.tokens import APP_TOKEN, BOT_TOKEN
from adapters.slack.transport.startup import OPTIONAL, SCOPES, Workspace, introduce, socket_address
from adapters.slack.web import Clients, Declined, SlackPace, Web, passing
from pipeline.errors import CitewellError, Misconfigured
from pipeline.ports import Installations
from pipeline.values import Finding, State
from pipeline.values.finding import bad, good, skipped, warning
from pipeline.values.platform import Installation
from pipeline.values.setup import TokenCheck

UNREACHED = "Check the network, the proxy and SLACK_API_URL."


async def examine(settings: SlackSettings, channels: Collection[str]) -> AsyncIterator[Finding]:
    """`channels` are those that the settings name: the bot should be in them. Posts nothing."""
    async with passing(settings.api_url) as clients:
        check, workspace = await check_bot_token(clients, settings.bot_token)
        yield check.finding
        if workspace:
            for finding in _scopes(workspace):
                yield finding
        else:
            yield skipped("Slack scopes", _why_not(check))
        if workspace or check.refused:
            yield (await check_connection(clients, settings)).finding
        else:
            yield skipped("Slack connection", _why_not(check))
        if workspace:
            yield await _membership(Web(clients(settings.bot_token), SlackPace(longest_wait=1.0)), channels)
        else:
            yield skipped("Slack channels", _why_not(check))


def _why_not(check: TokenCheck) -> str:
    return "Slack does not take the bot token" if check.refused else "Slack cannot be reached"


async def check_bot_token(clients: Clients, token: str) -> tuple[TokenCheck, Workspace | None]:
    """Ask Slack whose token it is. Return the workspace with it, or None where Slack did not tell."""
    if refusal := BOT_TOKEN.check_format(token):
        return refusal, None
    try:
        workspace = await introduce(Web(clients(token), SlackPace(longest_wait=1.0)))
    except CitewellError as error:
        fix = error.what_to_do or UNREACHED
        return TokenCheck(
            finding=bad(BOT_TOKEN.subject, str(error), fix), refused=isinstance(error, Misconfigured)
        ), None
    check = TokenCheck(
        finding=good(BOT_TOKEN.subject, f"it belongs to @{workspace.name} in {workspace.team_name}"),
        notes=tuple(finding for finding in _scopes(workspace) if finding.state is not State.GOOD),
        next_step=f"In Slack, type /invite @{workspace.name} in a channel, and mention it there.",
    )
    return check, workspace


async def examine_kept(installations: Callable[[], Installations]) -> Finding:
    """Whether the workspaces that added the bot by themselves can be read, and with them their tokens."""
    try:
        found = await installations().all()
    except CitewellError as error:
        return bad("Slack workspaces", str(error), error.what_to_do or "See docs/slack.md#many-workspaces.")
    if not found:
        return warning("Slack workspaces", "none has added the bot yet", "Open /slack/install at your public address.")
    return good("Slack workspaces", f"added to {', '.join(f'{one.name} ({one.space.space})' for one in found)}")


async def examine_installed(
    settings: SlackSettings, installations: Collection[Installation] | None
) -> AsyncIterator[Finding]:
    """The workspaces that added the bot by themselves; None where what is kept of them cannot be read."""
    async with passing(settings.api_url) as clients:
        yield (await check_connection(clients, settings)).finding
        if installations is None:
            yield skipped(BOT_TOKEN.subject, "the tokens of the workspaces cannot be read")
            return
        for one in installations:
            where = f"{one.name} ({one.space.space})"
            try:
                workspace = await introduce(Web(clients(one.token), SlackPace(longest_wait=1.0)))
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


async def check_connection(clients: Clients, settings: SlackSettings) -> TokenCheck:
    """Ask Slack for the address of a connection with the app-level token, where there is one. Open none."""
    subject = APP_TOKEN.subject
    if settings.app_token:
        if refusal := APP_TOKEN.check_format(settings.app_token):
            return refusal
        try:
            await socket_address(clients(None), settings.app_token)
        except CitewellError as error:
            fix = error.what_to_do or UNREACHED
            return TokenCheck(finding=bad(subject, str(error), fix), refused=isinstance(error, Misconfigured))
        return TokenCheck(finding=good(subject, "Socket Mode opens with the app-level token"))
    if settings.signing_secret:
        said = "events come over HTTP, signed; whether Slack reaches this machine shows there"
        return TokenCheck(finding=good(subject, said))
    said = "neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set"
    fix = "Set SLACK_APP_TOKEN to an app-level token (xapp-…) with connections:write."
    return TokenCheck(finding=bad(subject, said, fix))


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
