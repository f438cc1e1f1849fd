"""Lookup of channels by name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from adapters.slack.transport.startup import fetch_workspace
from adapters.slack.web_client import (
    VISIT_SECONDS,
    SlackClientTimings,
    SlackWebClient,
    paginate_method,
    temporary_clients,
)
from pipeline.values import PlaceId

CHANNEL_TYPES = "public_channel,private_channel"


async def find_channels(bot_token: str, name: str, *, api_url: str) -> list[PlaceId]:
    """Return the channels of that name that the bot is in. Raises Misconfigured, SlackRefused or Unavailable."""
    async with temporary_clients(api_url) as client:
        web = SlackWebClient(client(bot_token), SlackClientTimings(longest_wait=VISIT_SECONDS))
        me = (await fetch_workspace(web)).me
        return [me.place(str(channel["id"])) async for channel in joined_channels(web) if channel.get("name") == name]


async def joined_channels(web: SlackWebClient) -> AsyncIterator[dict[str, Any]]:
    """Yield the channels that the bot is in. Raises SlackRefused or Unavailable."""
    async for page in paginate_method(web, "users.conversations", "channels", types=CHANNEL_TYPES, limit=200):
        for channel in page:
            yield channel
