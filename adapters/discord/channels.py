"""Lookup of channels by name."""

from __future__ import annotations

import discord
from discord.http import Route

from adapters.discord.errors import translate_discord_errors, translate_gateway_errors
from adapters.discord.events.places import DISCORD_NAME
from pipeline.values import PlaceId


async def find_channels(token: str, name: str, *, api_url: str = "") -> list[PlaceId]:
    """Return the channels and forums of that name that the bot may see, on any server. Opens no gateway session.
    `api_url` counts for the whole process. Raises Misconfigured, Refused or Unavailable."""
    if api_url:
        Route.BASE = api_url
    client = discord.Client(intents=discord.Intents.none(), max_ratelimit_timeout=30.0)
    channels: list[PlaceId] = []
    with translate_gateway_errors(), translate_discord_errors("look for a channel"):
        async with client:
            await client.login(token)
            async for guild in client.fetch_guilds(limit=None):
                channels += [
                    PlaceId(platform=DISCORD_NAME, space=str(guild.id), channel=str(channel.id))
                    for channel in await guild.fetch_channels()
                    if channel.name == name and isinstance(channel, discord.TextChannel | discord.ForumChannel)
                ]
    return channels
