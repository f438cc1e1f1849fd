"""The role of one process: the platforms it listens to, and whether it answers."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from bot import registry
from bot.config.settings import Settings, platform_configs
from pipeline.errors import Misconfigured
from pipeline.rules.platforms import format_alternatives

WORKER = "worker"
"""The role that answers; other values of `--only` are platforms."""


class ProcessRole(NamedTuple):
    platforms: tuple[str, ...]
    """The platforms whose messages and clicks it receives."""
    is_worker: bool


def process_role_names() -> tuple[str, ...]:
    """Return the values of `citewell run --only`: the roles that separate processes can have."""
    return (WORKER, *(platform.name for platform in registry.platforms() if not platform.is_single_connection))


def _one_connection() -> frozenset[str]:
    return frozenset(platform.name for platform in registry.platforms() if platform.is_single_connection)


def exclusive_platforms(settings: Settings) -> frozenset[str]:
    """Return the platforms that send every event to each connection, so one process has it, unless their servers are
    sharded."""
    return _one_connection() - sharded_platforms(settings)


def sharded_platforms(settings: Settings) -> frozenset[str]:
    """Return the platforms whose servers are divided among the processes: a server's process posts to it."""
    return frozenset(config.platform.name for config in platform_configs(settings) if config.is_sharded)


def process_role(only: str | None, settings: Settings, platforms: Collection[str]) -> ProcessRole:
    """Return a process's role on the platforms that are set up. Raises Misconfigured when it would do nothing."""
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
