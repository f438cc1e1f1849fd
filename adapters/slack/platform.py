"""The platform Slack, as the rest of Citewell knows it."""

from __future__ import annotations

from pipeline.values.platform import IdFormat, Platform

_TEAM = "slack:[TE][A-Z0-9]+"

SLACK = Platform(
    name="slack",
    title="Slack",
    setting="SLACK_BOT_TOKEN",
    required_settings="SLACK_BOT_TOKEN and SLACK_APP_TOKEN (over HTTP: SLACK_SIGNING_SECRET)",
    space=IdFormat(label="workspace", pattern=_TEAM, example="slack:T0123"),
    channel=IdFormat(label="channel", pattern=f"{_TEAM}:[CG][A-Z0-9]+", example="slack:T0123:C0456"),
    person=IdFormat(label="person", pattern=f"{_TEAM}:[UW][A-Z0-9]+", example="slack:T0123:U0456"),
    role=IdFormat(label="user group", pattern=f"{_TEAM}:group:S[A-Z0-9]+", example="slack:T0123:group:S0789"),
    has_tenants=True,
    direct_channel="D",
    private_thread="ask-",
    threads_only=True,
    loggers=("slack_sdk", "slack_bolt"),
)
