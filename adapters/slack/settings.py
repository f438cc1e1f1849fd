"""The settings of Slack."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from pipeline.rules.setting_types import HttpAddress, split_list
from pipeline.values import Value


class SlackSettings(Value):
    """Settings of Slack; an empty one is not set."""

    model_config = ConfigDict(populate_by_name=True)

    bot_token: str = Field(
        default="", repr=False, validation_alias="SLACK_BOT_TOKEN", description="Bot token of your Slack app (xoxb-…)"
    )
    app_token: str = Field(
        default="",
        repr=False,
        validation_alias="SLACK_APP_TOKEN",
        description="App-level token for Socket Mode (xapp-…)",
    )
    signing_secret: str = Field(
        default="",
        repr=False,
        validation_alias="SLACK_SIGNING_SECRET",
        description="Signing secret: receive events over HTTP instead of Socket Mode",
    )
    client_id: str = Field(
        default="",
        validation_alias="SLACK_CLIENT_ID",
        description="Client ID of your Slack app, instead of SLACK_BOT_TOKEN: people add it at /slack/install",
    )
    client_secret: str = Field(
        default="", repr=False, validation_alias="SLACK_CLIENT_SECRET", description="Client secret of your Slack app"
    )
    api_url: Annotated[str, HttpAddress] = Field(
        default="https://slack.com/api/",
        validation_alias="SLACK_API_URL",
        description="Base of Slack's Web API, for proxies and tests",
    )
    shared_channels: Literal["refuse", "public"] = Field(
        default="refuse", description="Slack Connect channels: refuse, or answer from public collections"
    )
    index: Literal["off", "own-app-under-slack-api-terms"] = Field(
        default="off",
        description="Keeping what is said in named channels: off, or own-app-under-slack-api-terms, which says that "
        "it is your organisation's own app, distributed to nobody, and that Slack's API Terms are agreed with",
    )
    home_workspaces: tuple[str, ...] = Field(
        default=(),
        description="With SLACK_CLIENT_ID: workspace ids (T0123,T0456) that are inside the organisation; empty: none",
    )
    workflows: tuple[str, ...] = Field(
        default=(),
        description="Workflows whose mentions are answered, by the id of their app or bot (A0123,B0456); empty: none",
    )
    host: str = Field(default="127.0.0.1", description="Where HTTP mode and /slack/install listen")
    port: int = Field(default=3000, ge=1, le=65535, description="Where HTTP mode and /slack/install listen")

    @field_validator("home_workspaces", mode="before")
    @classmethod
    def _workspaces(cls, value: object) -> object:
        return split_list(value, r"T[A-Z0-9]+", "ids of Slack workspaces, such as T0123,T0456")

    @field_validator("workflows", mode="before")
    @classmethod
    def _workflows(cls, value: object) -> object:
        return split_list(value, r"[AB][A-Z0-9]+", "ids of Slack apps or their bots, such as A0123,B0456")

    @model_validator(mode="after")
    def _tokens_from_one_place(self) -> Self:
        if self.client_id and self.bot_token:
            raise ValueError(
                "SLACK_BOT_TOKEN must be empty with SLACK_CLIENT_ID: each workspace has a token of its own"
            )
        if self.client_id and not self.client_secret:
            raise ValueError("SLACK_CLIENT_SECRET must be set with SLACK_CLIENT_ID: Basic Information shows both")
        return self

    @property
    def answers_shared_channels(self) -> bool:
        """True where Slack Connect channels are answered, too, from public collections."""
        return self.shared_channels == "public"
