"""The platforms as the settings have them."""

from __future__ import annotations

from bot import known
from bot.config.settings import Settings
from pipeline.ports import PlatformConfig


def configured(settings: Settings) -> tuple[PlatformConfig, ...]:
    """Every platform, wanted or not; one that has no settings is as it is made."""
    return tuple(getattr(settings, kind.platform.name, None) or kind() for kind in known.CONFIGS)


def wanted(settings: Settings) -> tuple[PlatformConfig, ...]:
    """Those that the operator set up."""
    return tuple(config for config in configured(settings) if config.wanted)
