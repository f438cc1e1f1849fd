"""What one process does of all that there is to do."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

from bot.settings import Settings
from pipeline.errors import Misconfigured

ONE_CONNECTION = frozenset({"discord"})
"""What is answered on such a platform is sent where it is listened."""


class Only(StrEnum):
    """What `citewell run --only` leaves to a process."""

    WORKER = "worker"
    SLACK = "slack"


class Role(NamedTuple):
    listens: tuple[str, ...]
    """The platforms that it takes messages and clicks from."""
    answers: bool


def held_by_one(settings: Settings) -> frozenset[str]:
    """The platforms of which every connection is told everything, so that one process has it: Discord, unless its
    servers are divided."""
    return frozenset() if settings.discord_shards else ONE_CONNECTION


def divided(settings: Settings) -> frozenset[str]:
    """The platforms whose servers are divided among the processes: what goes to a server, the one posts that has it."""
    return ONE_CONNECTION - held_by_one(settings)


def role(only: Only | None, settings: Settings, platforms: Collection[str]) -> Role:
    """What a process does on the platforms that are set up. Raises Misconfigured when that is nothing."""
    if not platforms:
        raise Misconfigured(
            "SLACK_BOT_TOKEN, DISCORD_TOKEN",
            "no platform is set up",
            what_to_do="Set the tokens of Slack or Discord (see README.md), or use `citewell chat` here.",
        )
    if only is None:
        return Role(tuple(platforms), answers=True)
    if not settings.database:
        raise Misconfigured(
            "CITEWELL_DATABASE",
            f"is not set, and --only {only} leaves the rest to other processes",
            what_to_do="Set it (docs/operations/scale.md), or leave --only out.",
        )
    if only is Only.WORKER:
        return Role(tuple(ONE_CONNECTION.intersection(platforms)), answers=True)
    if only not in platforms:
        raise Misconfigured("SLACK_BOT_TOKEN", f"is not set, and --only {only} needs it", what_to_do="Set it.")
    return Role((only.value,), answers=False)
