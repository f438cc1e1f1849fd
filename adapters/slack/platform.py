"""Slack, as the rest of Citewell knows it."""

from __future__ import annotations

from pipeline.values.platform import Id, Platform

_TEAM = "slack:[TE][A-Z0-9]+"

SLACK = Platform(
    name="slack",
    title="Slack",
    setting="SLACK_BOT_TOKEN",
    needs="SLACK_BOT_TOKEN and SLACK_APP_TOKEN (over HTTP: SLACK_SIGNING_SECRET)",
    space=Id(word="workspace", form=_TEAM, example="slack:T0123"),
    channel=Id(word="channel", form=f"{_TEAM}:[CG][A-Z0-9]+", example="slack:T0123:C0456"),
    person=Id(word="person", form=f"{_TEAM}:[UW][A-Z0-9]+", example="slack:T0123:U0456"),
    role=Id(word="user group", form=f"{_TEAM}:group:S[A-Z0-9]+", example="slack:T0123:group:S0789"),
    tenants=True,
    direct_channel="D",
    private_thread="ask-",
    threads_only=True,
    loggers=("slack_sdk", "slack_bolt"),
)
