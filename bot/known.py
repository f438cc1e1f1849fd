"""Which platforms there are: all but their own folders learn it here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from adapters.discord.config import DiscordConfig
from adapters.slack.config import SlackConfig
from adapters.web.config import WebConfig
from pipeline.ports import Links, PlatformConfig, Sources
from pipeline.rules.platforms import Platforms

CONFIGS: tuple[type[PlatformConfig], ...] = (SlackConfig, DiscordConfig, WebConfig)


def platforms() -> Platforms:
    """What there is to know of each."""
    return Platforms(tuple(config.platform for config in CONFIGS))


def links(configs: Iterable[PlatformConfig], sources: Sources) -> Callable[[], Awaitable[Links]] | None:
    """Links to `sources`, signed with the key that is in force when asked for; None where nothing shows them."""
    page = next((config for config in configs if isinstance(config, WebConfig)), None)
    found = page.links(sources) if page else None
    return found.ready if found else None
