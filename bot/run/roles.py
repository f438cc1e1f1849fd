"""What one process does of all that there is to do."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from bot import known
from bot.config.settings import Settings, configured
from pipeline.errors import Misconfigured
from pipeline.rules.platforms import alternatives

WORKER = "worker"
"""To answer; what of `--only` is no platform."""


class Duties(NamedTuple):
    listens: tuple[str, ...]
    """The platforms that it takes messages and clicks from."""
    answers: bool


def parts() -> tuple[str, ...]:
    """What `citewell run --only` may leave to a process: what is answered elsewhere than it is listened."""
    return (WORKER, *(platform.name for platform in known.platforms() if not platform.one_connection))


def _one_connection() -> frozenset[str]:
    return frozenset(platform.name for platform in known.platforms() if platform.one_connection)


def held_by_one(settings: Settings) -> frozenset[str]:
    """The platforms of which every connection is told everything, so that one process has it, unless their servers are
    divided."""
    return _one_connection() - divided(settings)


def divided(settings: Settings) -> frozenset[str]:
    """The platforms whose servers are divided among the processes: what goes to a server, the one posts that has it."""
    return frozenset(config.platform.name for config in configured(settings) if config.divided)


def role(only: str | None, settings: Settings, platforms: Collection[str]) -> Duties:
    """What a process does on the platforms that are set up. Raises Misconfigured when that is nothing."""
    if not platforms:
        titles = alternatives(platform.title for platform in known.platforms())
        raise Misconfigured(
            ", ".join(platform.setting for platform in known.platforms()),
            "no platform is set up",
            what_to_do=f"Set the tokens of {titles} (see README.md), or use `citewell chat` here.",
        )
    if only is None:
        return Duties(tuple(platforms), answers=True)
    if not settings.database:
        raise Misconfigured(
            "CITEWELL_DATABASE",
            f"is not set, and --only {only} leaves the rest to other processes",
            what_to_do="Set it (docs/operations/scale.md), or leave --only out.",
        )
    if only == WORKER:
        return Duties(tuple(_one_connection().intersection(platforms)), answers=True)
    if only not in platforms:
        (setting,) = (platform.setting for platform in known.platforms() if platform.name == only)
        raise Misconfigured(setting, f"is not set, and --only {only} needs it", what_to_do="Set it.")
    return Duties((only,), answers=False)
