"""Which platforms are set up, and their adapters. SDKs are imported only where their tokens are set."""

from __future__ import annotations

from collections.abc import Callable

from bot.citewell import Citewell
from bot.settings import Settings, keys, secret
from pipeline.ports import PlatformAdapter
from storage.installations import SQLInstallations
from storage.seal import Seal


def make_adapters(settings: Settings, citewell: Citewell, say: Callable[[str], None]) -> dict[str, PlatformAdapter]:
    """The adapter of every platform whose tokens are set, by name. `say` tells the operator who it is there.

    Raises Misconfigured where tokens cannot be encrypted."""
    adapters: dict[str, PlatformAdapter] = {}
    if settings.slack_bot_token or settings.slack_client_id:
        adapters["slack"] = _slack(settings, citewell, say)
    if settings.discord_token:
        adapters["discord"] = _discord(settings, say)
    return adapters


def _slack(settings: Settings, citewell: Citewell, say: Callable[[str], None]) -> PlatformAdapter:
    from adapters.slack.adapter import SlackAdapter
    from adapters.slack.installing import OAuthClient

    client = None
    if settings.slack_client_id:
        installations = SQLInstallations(citewell.storage.database, Seal(keys(settings)))
        client = OAuthClient(settings.slack_client_id, secret(settings.slack_client_secret), installations)

    return SlackAdapter(
        secret(settings.slack_bot_token),
        secret(settings.slack_app_token) or None,
        secret(settings.slack_signing_secret) or None,
        client=client,
        desk=citewell.desk,
        api_url=settings.slack_api_url,
        host=settings.slack_host,
        port=settings.slack_port,
        shared_channels=settings.slack_shared_channels == "public",
        citations=settings.include_citations,
        confidence=settings.include_confidence,
        say=say,
    )


def _discord(settings: Settings, say: Callable[[str], None]) -> PlatformAdapter:
    from adapters.discord.adapter import DiscordAdapter
    from adapters.discord.shards import Shards
    from adapters.replies.parts import Look

    return DiscordAdapter(
        secret(settings.discord_token),
        message_content=settings.discord_message_content,
        answer_in_thread=settings.discord_threads,
        home_guilds=settings.discord_home_guilds,
        folder=settings.data,
        say=say,
        look=Look(citations=settings.include_citations, confidence=settings.include_confidence),
        retention_days=settings.retention_days,
        api_url=settings.discord_api_url or "",
        shards=Shards.parse(settings.discord_shards) if settings.discord_shards else None,
    )
