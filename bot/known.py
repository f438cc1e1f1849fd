"""Which platforms there are: all but their own folders learn it here."""

from __future__ import annotations

from adapters.discord.config import DiscordConfig
from adapters.slack.config import SlackConfig
from adapters.web.config import WebConfig
from pipeline.ports import PlatformConfig
from pipeline.rules.platforms import Platforms

CONFIGS: tuple[type[PlatformConfig], ...] = (SlackConfig, DiscordConfig, WebConfig)


def platforms() -> Platforms:
    """What there is to know of each."""
    return Platforms(tuple(config.platform for config in CONFIGS))
