"""The settings of Discord, and its timings."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, field_validator

from adapters.discord.limits import LAG_SECONDS, SILENCE_SECONDS
from adapters.discord.transport.shards import ShardRange
from pipeline.rules.setting_types import HttpAddress, split_list
from pipeline.values import Value


class DiscordTimings(Value):
    """Times in seconds; tests use shorter ones."""

    placeholder_delay: float = 0.8
    """Until a placeholder is shown: an answer that is ready sooner is posted at once."""
    edit_interval: float = 1.2
    """Between two edits. Discord publishes no number; five in five seconds is the folklore."""
    guilds_timeout: float = 2.0
    """Without a further server after which all servers are known."""
    lag: float = LAG_SECONDS
    silence_timeout: float = SILENCE_SECONDS
    """Silence of the gateway after which it is dead."""
    checkpoint_interval: float = 10.0
    """Between two checkpoints."""
    identify_interval: float = 5.0
    """Between the sessions of two shards; Discord takes one every five seconds."""
    drain_timeout: float = 7.0
    """For deliveries under way to end when listening ends."""


def _shard_range(value: str) -> str:
    ShardRange.parse(value)
    return value


class DiscordSettings(Value):
    """Settings of Discord; an empty one is not set."""

    model_config = ConfigDict(populate_by_name=True)

    token: str = Field(
        default="", repr=False, validation_alias="DISCORD_TOKEN", description="Bot token of your Discord application"
    )
    api_url: Annotated[str, HttpAddress] | None = Field(
        default=None, validation_alias="DISCORD_API_URL", description="Base of Discord's API, for proxies and tests"
    )
    message_content: bool = Field(
        default=False, description="Ask for the message content intent (un-mentioned follow-ups)"
    )
    threads: bool = Field(default=False, description="Answer a mention in a thread opened from it")
    shards: Annotated[str, AfterValidator(_shard_range)] | None = Field(
        default=None,
        description="Beyond 2,500 servers: the shards of this process, such as 0-1/2 or 0-3/8; empty: one session",
    )
    home_guilds: tuple[int, ...] = Field(
        default=(),
        description="Server ids (1,2) whose members are inside the organisation; empty: every server it is in",
    )

    @field_validator("home_guilds", mode="before")
    @classmethod
    def _servers(cls, value: object) -> object:
        return split_list(value, r"[0-9]+", "ids of Discord servers, such as 1234,5678")

    @property
    def shard_range(self) -> ShardRange | None:
        """The shards of this process; None for all servers in one session."""
        return ShardRange.parse(self.shards) if self.shards else None
