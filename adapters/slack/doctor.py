"""Checks of Slack's side of the installation: tokens, scopes, the connection, and the bot's channels."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection

from adapters.slack.channels import joined_channels
from adapters.slack.settings import SlackSettings
from adapters.slack.tokens import APP_TOKEN, BOT_TOKEN
from adapters.slack.transport.startup import (
    OPTIONAL_SCOPES,
    REQUIRED_SCOPES,
    SlackWorkspace,
    fetch_socket_url,
    fetch_workspace,
)
from adapters.slack.web_client import (
    SlackClientTimings,
    SlackRefused,
    SlackWebClient,
    WebClientBuilder,
    temporary_clients,
)
from pipeline.errors import CitewellError, Misconfigured
from pipeline.ports import InstallationStore
from pipeline.values import Finding, FindingState
from pipeline.values.diagnostics import error_finding, ok_finding, skipped, warning_finding
from pipeline.values.platform import Installation
from pipeline.values.setup import TokenCheck

NETWORK_ADVICE = "Check the network, the proxy and SLACK_API_URL."


async def diagnose(settings: SlackSettings, channels: Collection[str]) -> AsyncIterator[Finding]:
    """Check the configured app. The bot should be in `channels`, which the settings name. Posts nothing."""
    async with temporary_clients(settings.api_url) as clients:
        check, workspace = await check_bot_token(clients, settings.bot_token)
        yield check.finding
        if workspace:
            for finding in _check_scopes(workspace):
                yield finding
        else:
            yield skipped("Slack scopes", _skip_reason(check))
        if workspace or check.refused:
            yield (await check_connection(clients, settings)).finding
        else:
            yield skipped("Slack connection", _skip_reason(check))
        if workspace:
            yield await _check_membership(
                SlackWebClient(clients(settings.bot_token), SlackClientTimings(longest_wait=1.0)), channels
            )
        else:
            yield skipped("Slack channels", _skip_reason(check))


def _skip_reason(check: TokenCheck) -> str:
    return "Slack does not take the bot token" if check.refused else "Slack cannot be reached"


async def check_bot_token(clients: WebClientBuilder, token: str) -> tuple[TokenCheck, SlackWorkspace | None]:
    """Ask Slack whose token it is. Return the workspace with it, or None where Slack did not tell."""
    if refusal := BOT_TOKEN.check_format(token):
        return refusal, None
    try:
        workspace = await fetch_workspace(SlackWebClient(clients(token), SlackClientTimings(longest_wait=1.0)))
    except CitewellError as error:
        fix = error.what_to_do or NETWORK_ADVICE
        return TokenCheck(
            finding=error_finding(BOT_TOKEN.subject, str(error), fix), refused=isinstance(error, Misconfigured)
        ), None
    check = TokenCheck(
        finding=ok_finding(BOT_TOKEN.subject, f"it belongs to @{workspace.name} in {workspace.team_name}"),
        notes=tuple(finding for finding in _check_scopes(workspace) if finding.state is not FindingState.GOOD),
        next_step=f"In Slack, type /invite @{workspace.name} in a channel, and mention it there.",
    )
    return check, workspace


async def diagnose_stored(installations: Callable[[], InstallationStore]) -> Finding:
    """Check that the stored workspaces, and with them their tokens, can be read."""
    try:
        stored = await installations().all()
    except CitewellError as error:
        return error_finding("Slack workspaces", str(error), error.what_to_do or "See docs/slack.md#many-workspaces.")
    if not stored:
        return warning_finding(
            "Slack workspaces", "none has added the bot yet", "Open /slack/install at your public address."
        )
    return ok_finding(
        "Slack workspaces",
        f"added to {', '.join(f'{installation.name} ({installation.space.space})' for installation in stored)}",
    )


async def diagnose_installed(
    settings: SlackSettings, installations: Collection[Installation] | None
) -> AsyncIterator[Finding]:
    """Check the workspaces that installed the app; None where they cannot be read."""
    async with temporary_clients(settings.api_url) as clients:
        yield (await check_connection(clients, settings)).finding
        if installations is None:
            yield skipped(BOT_TOKEN.subject, "the tokens of the workspaces cannot be read")
            return
        for installation in installations:
            label = f"{installation.name} ({installation.space.space})"
            try:
                workspace = await fetch_workspace(
                    SlackWebClient(clients(installation.token), SlackClientTimings(longest_wait=1.0))
                )
            except Misconfigured as error:
                yield error_finding("Slack token", f"{label}: {error}", "Add the app there again, at /slack/install.")
            except CitewellError as error:
                yield error_finding("Slack token", f"{label}: {error}", error.what_to_do or NETWORK_ADVICE)
            else:
                lacks = sorted(REQUIRED_SCOPES.keys() - workspace.scopes)
                yield (
                    error_finding(
                        "Slack scopes",
                        f"{label} lacks {', '.join(lacks)}",
                        "Add the app there again, at /slack/install.",
                    )
                    if lacks
                    else ok_finding("Slack token", f"that of {label} works, with every scope it needs")
                )


def _check_scopes(workspace: SlackWorkspace) -> list[Finding]:
    if not workspace.scopes:
        return [
            warning_finding("Slack scopes", "Slack did not say which the token has", "Look at OAuth & Permissions.")
        ]
    fix = "Add it under OAuth & Permissions, or paste manifest.yml again; then install the app again."
    findings = [
        error_finding("Slack scopes", f"{scope} is missing; it would enable {enables}", fix)
        for scope, enables in REQUIRED_SCOPES.items()
        if scope not in workspace.scopes
    ]
    findings += [
        warning_finding("Slack scopes", f"{scope}, an optional one, is missing; it would enable {enables}", fix)
        for scope, enables in OPTIONAL_SCOPES.items()
        if scope not in workspace.scopes
    ]
    return findings or [
        ok_finding("Slack scopes", f"all {len(REQUIRED_SCOPES) + len(OPTIONAL_SCOPES)} of manifest.yml")
    ]


async def check_connection(clients: WebClientBuilder, settings: SlackSettings) -> TokenCheck:
    """Ask Slack for the address of a connection with the app-level token, where there is one. Open none."""
    subject = APP_TOKEN.subject
    if settings.app_token:
        if refusal := APP_TOKEN.check_format(settings.app_token):
            return refusal
        try:
            await fetch_socket_url(clients(None), settings.app_token)
        except CitewellError as error:
            fix = error.what_to_do or NETWORK_ADVICE
            return TokenCheck(finding=error_finding(subject, str(error), fix), refused=isinstance(error, Misconfigured))
        return TokenCheck(finding=ok_finding(subject, "Socket Mode opens with the app-level token"))
    if settings.signing_secret:
        detail = "events come over HTTP, signed; whether Slack reaches this machine shows there"
        return TokenCheck(finding=ok_finding(subject, detail))
    detail = "neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set"
    fix = "Set SLACK_APP_TOKEN to an app-level token (xapp-…) with connections:write."
    return TokenCheck(finding=error_finding(subject, detail, fix))


async def _check_membership(web: SlackWebClient, channels: Collection[str]) -> Finding:
    fix = "Invite it there: /invite @ with its name."
    try:
        joined = {str(channel["id"]) async for channel in joined_channels(web)}
    except SlackRefused as error:
        return warning_finding("Slack channels", str(error), error.what_to_do or "Add the scopes of manifest.yml.")
    except CitewellError as error:
        return error_finding("Slack channels", str(error), error.what_to_do or NETWORK_ADVICE)
    if absent := sorted(set(channels) - joined):
        return error_finding("Slack channels", f"the settings name {', '.join(absent)}, and the bot is not in it", fix)
    if not joined:
        return warning_finding("Slack channels", "the bot is in no channel", fix)
    return ok_finding("Slack channels", f"the bot is in {len(joined)}")
