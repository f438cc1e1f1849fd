"""Channels by the name that people call them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.pages import pages
from adapters.slack.transport.startup import introduce
from adapters.slack.web import SDK_LOG, SlackPace, Web
from pipeline.values import PlaceId

SECONDS = 10.0
KINDS = "public_channel,private_channel"


async def channels_named(bot_token: str, name: str, *, api_url: str) -> list[PlaceId]:
    """The channels that the bot is in and that are called so. Raises Misconfigured, Declined or Unavailable."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS)) as session:
        client = AsyncWebClient(token=bot_token, base_url=api_url, session=session, retry_handlers=[], logger=SDK_LOG)
        web = Web(client, SlackPace(longest_wait=SECONDS))
        me = (await introduce(web)).me
        return [me.place(str(one["id"])) async for one in joined(web) if one.get("name") == name]


async def joined(web: Web) -> AsyncIterator[dict[str, Any]]:
    """The channels that the bot is in. Raises Declined or Unavailable."""
    async for page in pages(web, "users.conversations", "channels", types=KINDS, limit=200):
        for one in page:
            yield one
