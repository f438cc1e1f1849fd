"""All that is looked at, in the order of what rests on what."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.checks import missing_server
from bot.doctor.data import examine_data
from bot.doctor.machine import examine_machine
from bot.doctor.models import examine_models
from bot.doctor.workspaces import examine_tokens
from bot.settings import Settings, secret
from pipeline.values import Finding, PlaceId
from pipeline.values.digest import Digest
from pipeline.values.finding import bad, warning

DISCORD_API = "https://discord.com/api/v10"


async def examine(settings: Settings, *, offline: bool) -> AsyncIterator[Finding]:
    """What is found, one thing after the other. `offline`: nothing is asked of any service."""
    for finding in examine_machine():
        yield finding
    async for finding in examine_data(settings):
        yield finding
    if offline:
        return
    if not (settings.slack_bot_token or settings.slack_client_id or settings.discord_token):
        yield warning("platforms", "no token is set", "Set the tokens of Slack or Discord: see README.md.")
    async for finding in examine_platforms(settings):
        yield finding
    async for finding in examine_models(settings):
        yield finding
    for line in await missing_server(settings.chroma_url):
        yield bad("Chroma", line, "Start it, or correct or unset CITEWELL_CHROMA_URL.")


async def examine_platforms(settings: Settings) -> AsyncIterator[Finding]:
    """The platforms whose tokens are set. Posts nothing."""
    from bot.doctor.clock import examine_clock

    places = _places(settings)

    if settings.slack_bot_token:
        from adapters.slack.doctor import examine as examine_slack

        async for finding in examine_slack(
            secret(settings.slack_bot_token),
            secret(settings.slack_app_token),
            secret(settings.slack_signing_secret),
            api_url=settings.slack_api_url,
            channels=[place.channel for place in places if place.platform == "slack" and place.channel],
        ):
            yield finding
    if settings.slack_client_id:
        async for finding in examine_tokens(settings):
            yield finding
    if settings.slack_bot_token or settings.slack_client_id:
        yield await examine_clock("Slack", f"{settings.slack_api_url.rstrip('/')}/api.test")
    if settings.discord_token:
        from adapters.discord.doctor import examine as examine_discord
        from adapters.discord.shards import ALL, Shards

        async for finding in examine_discord(
            secret(settings.discord_token),
            message_content=settings.discord_message_content,
            home_guilds=settings.discord_home_guilds,
            servers=[int(place.space) for place in places if place.platform == "discord"],
            shards=Shards.parse(settings.discord_shards) if settings.discord_shards else ALL,
            api_url=settings.discord_api_url or "",
        ):
            yield finding
        yield await examine_clock("Discord", f"{settings.discord_api_url or DISCORD_API}/gateway")


def _places(settings: Settings) -> set[PlaceId]:
    """Those that the settings name: the bot has to be there."""
    digest = Digest(week="", to=settings.digest) if settings.digest else None
    return {*settings.places, *([PlaceId.parse(digest.to)] if digest and not digest.personal else ())}
