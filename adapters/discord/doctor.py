"""Checks of Discord's side of the installation: token, intents, and the bot's permissions on each server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
from discord.http import Route

from adapters.discord.permissions import REQUIRED_PERMISSIONS, build_intents, invite_url
from adapters.discord.settings import DiscordSettings
from adapters.discord.tokens import TOKEN
from adapters.discord.transport.shards import SINGLE_SHARD, ShardRange
from pipeline.values import Finding, FindingState
from pipeline.values.diagnostics import error_finding, ok_finding, skipped, warning_finding
from pipeline.values.setup import TokenCheck
from pipeline.words import wording

LOST = (discord.HTTPException, aiohttp.ClientError, TimeoutError, OSError)
"""Raised when Discord cannot be asked. LoginFailure is none of them."""
NETWORK_ADVICE = "Check the network, the proxy and DISCORD_API_URL."


async def diagnose(settings: DiscordSettings, servers: Collection[int]) -> AsyncIterator[Finding]:
    """Check the application. The bot should also be on `servers`, which the settings name. Opens no gateway session, of
    which Discord allows 1,000 a day. `api_url` counts for the whole process."""
    async with temporary_client(settings) as client:
        check, application = await check_token(client, settings)
        yield check.finding
        if application is None:
            for subject in ("Discord intents", "Discord sessions", "Discord permissions"):
                yield skipped(
                    subject, "Discord does not take the token" if check.refused else "Discord cannot be asked"
                )
            return
        for finding in _application(application, settings):
            yield finding
        try:
            recommended, _, limits = await client.http.get_bot_gateway()
            yield _sessions(recommended, int(limits["remaining"]), settings.shard_range or SINGLE_SHARD)
            guilds: list[dict[str, Any]] = list(map(dict, await client.http.get_guilds(limit=200)))
            for finding in _servers(guilds, {*settings.home_guilds, *servers}, invite_url(application.id)):
                yield finding
        except LOST as error:
            yield _unreachable_finding(error)
            yield skipped("Discord permissions", "Discord cannot be asked")


@asynccontextmanager
async def temporary_client(settings: DiscordSettings) -> AsyncIterator[discord.Client]:
    """Yield a client for a short visit, not logged in yet. `api_url` counts for the whole process."""
    if settings.api_url:
        Route.BASE = settings.api_url
    async with discord.Client(
        intents=build_intents(message_content=settings.message_content), max_ratelimit_timeout=30.0
    ) as client:
        yield client


async def check_token(client: discord.Client, settings: DiscordSettings) -> tuple[TokenCheck, discord.AppInfo | None]:
    """Log in with the token. Return the application with it, or None where Discord did not tell."""
    if refusal := TOKEN.check_format(settings.token):
        return refusal, None
    try:
        await client.login(settings.token)
        application = await client.application_info()
    except discord.LoginFailure:
        fix = "Copy the token of the Bot page again (Reset Token), and set DISCORD_TOKEN."
        return TokenCheck(finding=error_finding(TOKEN.subject, "Discord refuses it", fix), refused=True), None
    except LOST as error:
        return TokenCheck(finding=_unreachable_finding(error)), None
    check = TokenCheck(
        finding=ok_finding(TOKEN.subject, f"it belongs to {client.user}"),
        notes=tuple(
            finding for finding in _application(application, settings) if finding.state is not FindingState.GOOD
        ),
        next_step=f"Add the bot to your Discord server: {invite_url(application.id)}",
    )
    return check, application


def _unreachable_finding(error: Exception) -> Finding:
    return error_finding("Discord", f"it cannot be asked ({type(error).__name__})", NETWORK_ADVICE)


def _application(application: discord.AppInfo, settings: DiscordSettings) -> list[Finding]:
    findings = []
    flags = application.flags
    granted = flags.gateway_message_content or flags.gateway_message_content_limited
    if settings.message_content and not granted:
        fix = (
            "Switch Message Content Intent on in the Developer Portal (Bot), or unset CITEWELL_DISCORD_MESSAGE_CONTENT."
        )
        findings.append(
            error_finding("Discord intents", "the message content intent is not granted, and Discord refuses us", fix)
        )
    else:
        intents = "message content" if settings.message_content else "none that must be granted"
        findings.append(ok_finding("Discord intents", intents))
    if application.bot_public and not settings.home_guilds:
        fix = "Switch Public Bot off in the Developer Portal (Bot), or name your servers: CITEWELL_DISCORD_HOME_GUILDS."
        findings.append(
            warning_finding("Discord audience", "anybody may add the bot, so every server counts as outside", fix)
        )
    return findings


def _sessions(recommended: int, left: int, shards: ShardRange) -> Finding:
    """Check the shards. Discord wants one for every 1,000 servers or so, and refuses more than 2,500 on one."""
    if recommended > max(2, shards.total):
        fix = f"Set CITEWELL_DISCORD_SHARDS=0-{recommended - 1}/{recommended}, or divide these among processes."
        return warning_finding(
            "Discord sessions", f"Discord wants {recommended} shards for your servers, not {shards.total}", fix
        )
    if left < shards.total:
        return error_finding(
            "Discord sessions", f"only {left} may still be opened today", "Wait, and find what opens so many."
        )
    return ok_finding("Discord sessions", f"{left} may still be opened today")


def _servers(servers: list[dict[str, Any]], expected: Collection[int], invite: str) -> list[Finding]:
    if not servers:
        return [warning_finding("Discord servers", "the bot is on none", f"Add it: {invite}")]
    findings = []
    for server in servers:
        granted = discord.Permissions(int(server["permissions"]))
        lacking = [name for permission, name in REQUIRED_PERMISSIONS.items() if not getattr(granted, permission)]
        if lacking and not granted.administrator:
            fix = "Grant it to the bot's role in the server's settings, or add the bot again by its link."
            findings.append(
                error_finding("Discord permissions", f"{server['name']}: {', '.join(lacking)} is missing", fix)
            )
    if absent := sorted(set(expected) - {int(server["id"]) for server in servers}):
        problem = f"the settings name {', '.join(map(str, absent))}, and the bot is not on it"
        fix = "Correct it in CITEWELL_DISCORD_HOME_GUILDS, CITEWELL_DIGEST or citewell.toml, or add the bot there."
        findings.append(warning_finding("Discord servers", problem, fix))
    return findings or [
        ok_finding("Discord permissions", f"all that are needed on {wording.count_noun(len(servers), 'server')}")
    ]
