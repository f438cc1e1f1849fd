"""What `citewell run --only` leaves to a process."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from adapters.discord.config import DiscordConfig
from bot.config.settings import Settings
from bot.run.process_roles import exclusive_platforms, process_role
from pipeline.errors import Misconfigured


def settings(database: str = "", shards: str | None = None) -> Settings:
    named = SecretStr(database) if database else None
    return Settings(_env_file=None, database=named, discord=DiscordConfig(shards=shards))  # type: ignore[call-arg]


SHARED = settings("postgresql://db.example/citewell")


def test_a_process_does_everything_unless_told_otherwise() -> None:
    assert process_role(None, settings(), ["slack", "discord"]) == (("slack", "discord"), True)


@pytest.mark.parametrize(("only", "listens", "answers"), [("worker", ("discord",), True), ("slack", ("slack",), False)])
def test_a_process_with_a_role_leaves_the_rest_to_others(only: str, listens: tuple[str, ...], answers: bool) -> None:
    assert process_role(only, SHARED, ["slack", "discord"]) == (listens, answers)


def test_one_process_has_the_connection_to_discord_unless_its_servers_are_divided() -> None:
    assert exclusive_platforms(settings()) == {"discord"}
    assert exclusive_platforms(settings(shards="0-1/4")) == frozenset()


def test_a_role_needs_a_database_that_processes_share_and_a_platform() -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_DATABASE: is not set, and --only worker"):
        process_role("worker", settings(), ["slack"])
    with pytest.raises(Misconfigured, match="SLACK_BOT_TOKEN: is not set, and --only slack"):
        process_role("slack", SHARED, ["discord"])
    with pytest.raises(Misconfigured, match="no platform is set up"):
        process_role(None, SHARED, [])
