"""Channels by the name that people call them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from adapters.slack.transport.startup import introduce
from adapters.slack.web import VISIT_SECONDS, SlackPace, Web, pages, passing
from pipeline.values import PlaceId

KINDS = "public_channel,private_channel"


async def channels_named(bot_token: str, name: str, *, api_url: str) -> list[PlaceId]:
    """The channels that the bot is in and that are called so. Raises Misconfigured, Declined or Unavailable."""
    async with passing(api_url) as client:
        web = Web(client(bot_token), SlackPace(longest_wait=VISIT_SECONDS))
        me = (await introduce(web)).me
        return [me.place(str(one["id"])) async for one in joined(web) if one.get("name") == name]


async def joined(web: Web) -> AsyncIterator[dict[str, Any]]:
    """The channels that the bot is in. Raises Declined or Unavailable."""
    async for page in pages(web, "users.conversations", "channels", types=KINDS, limit=200):
        for one in page:
            yield one
