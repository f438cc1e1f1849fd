"""The platforms as the settings have them."""

from __future__ import annotations

from typing import Any

from pydantic import SecretStr

from bot import known
from bot.config.settings import Settings
from pipeline.ports import PlatformConfig


def configured(settings: Settings) -> tuple[PlatformConfig, ...]:
    """Every platform, wanted or not."""
    return tuple(kind.read(_own(settings, kind.platform.name)) for kind in known.CONFIGS)


def wanted(settings: Settings) -> tuple[PlatformConfig, ...]:
    """Those that the operator set up."""
    return tuple(config for config in configured(settings) if config.wanted)


def _own(settings: Settings, name: str) -> dict[str, Any]:
    """What is set of the settings that begin with its name, without it."""
    found = {field.removeprefix(f"{name}_"): value for field, value in settings if field.startswith(f"{name}_")}
    return {
        field: value.get_secret_value() if isinstance(value, SecretStr) else value
        for field, value in found.items()
        if value is not None
    }
