"""What one process does of all that there is to do."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from bot import registry
from bot.config.settings import Settings, platform_configs
from pipeline.errors import Misconfigured
from pipeline.rules.platforms import format_alternatives

WORKER = "worker"
"""To answer; what of `--only` is no platform."""


class ProcessRole(NamedTuple):
    platforms: tuple[str, ...]
    """The platforms that it takes messages and clicks from."""
    is_worker: bool


def process_role_names() -> tuple[str, ...]:
    """What `citewell run --only` may leave to a process: what is answered elsewhere than it is listened."""
    return (WORKER, *(platform.name for platform in registry.platforms() if not platform.is_single_connection))


def _one_connection() -> frozenset[str]:
    return frozenset(platform.name for platform in registry.platforms() if platform.is_single_connection)


def exclusive_platforms(settings: Settings) -> frozenset[str]:
    """The platforms of which every connection is told everything, so that one process has it, unless their servers are
    divided."""
    return _one_connection() - sharded_platforms(settings)


def sharded_platforms(settings: Settings) -> frozenset[str]:
    """The platforms whose servers are divided among the processes: what goes to a server, the one posts that has it."""
    return frozenset(config.platform.name for config in platform_configs(settings) if config.is_sharded)


def process_role(only: str | None, settings: Settings, platforms: Collection[str]) -> ProcessRole:
    """What a process does on the platforms that are set up. Raises Misconfigured when that is nothing."""
    if not platforms:
        titles = format_alternatives(platform.title for platform in registry.platforms())
        raise Misconfigured(
            ", ".join(platform.setting for platform in registry.platforms()),
            "no platform is set up",
            what_to_do=f"Set the tokens of {titles} (see README.md), or use `citewell chat` here.",
        )
    if only is None:
        return ProcessRole(tuple(platforms), is_worker=True)
    if not settings.database:
        raise Misconfigured(
            "CITEWELL_DATABASE",
            f"is not set, and --only {only} leaves the rest to other processes",
            what_to_do="Set it (docs/operations/scale.md), or leave --only out.",
        )
    if only == WORKER:
        return ProcessRole(tuple(_one_connection().intersection(platforms)), is_worker=True)
    if only not in platforms:
        (setting,) = (platform.setting for platform in registry.platforms() if platform.name == only)
        raise Misconfigured(setting, f"is not set, and --only {only} needs it", what_to_do="Set it.")
    return ProcessRole((only,), is_worker=False)
