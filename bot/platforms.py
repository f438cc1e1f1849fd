"""Which platforms are set up, and their adapters. SDKs are imported only where their tokens are set."""

from __future__ import annotations

from collections.abc import Callable

from bot.citewell import Citewell
from bot.settings import Settings
from pipeline.ports import PlatformAdapter


def make_adapters(settings: Settings, citewell: Citewell, say: Callable[[str], None]) -> dict[str, PlatformAdapter]:
    """The adapter of every platform whose tokens are set, by name. `say` tells the operator who it is there."""
    adapters: dict[str, PlatformAdapter] = {}
    if settings.slack_bot_token:
        adapters["slack"] = _slack(settings, say)
    if settings.discord_token:
        adapters["discord"] = _discord(settings, say)
    return adapters
