"""The registry of platforms: everything outside their own folders finds them here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from adapters.discord.config import DiscordConfig
from adapters.slack.config import SlackConfig
from adapters.web.config import WebConfig
from pipeline.ports import LinkTargets, PassageLinks, PlatformConfig
from pipeline.rules.platforms import PlatformRegistry

PLATFORM_CONFIGS: tuple[type[PlatformConfig], ...] = (SlackConfig, DiscordConfig, WebConfig)


def platforms() -> PlatformRegistry:
    """Return the facts about each platform."""
    return PlatformRegistry(tuple(config.platform for config in PLATFORM_CONFIGS))


def passage_links(
    configs: Iterable[PlatformConfig], sources: LinkTargets
) -> Callable[[], Awaitable[PassageLinks]] | None:
    """Return a loader of links to `sources`, signed with the key then in force; None if no page shows them."""
    page = next((config for config in configs if isinstance(config, WebConfig)), None)
    links = page.links(sources) if page else None
    return links.load_key if links else None
