"""Names of people, channels and user groups, from Slack."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from adapters.slack.events.plain_text import insert_names, unnamed_mentions
from adapters.slack.web_client import SlackWebClient
from pipeline.errors import CitewellError, Unavailable

MAX_CACHED_NAMES = 5_000
"""Names of each kind that are cached."""
MAX_MENTIONS = 10
"""Mentions of one message that are looked up. A message with more asks about none of them."""
NAME_LOOKUP_SECONDS = 1.0
"""Seconds that a message waits for names: Slack wants its acknowledgement within three."""
UNKNOWN_NAMES = {"@": "somebody", "#": "somewhere", "!": "somebody"}
"""Replacements for missing names: an id means nothing to a search."""
SlackRecord = dict[str, Any]


class SlackNames:
    """Names in one workspace."""

    def __init__(self, web: SlackWebClient) -> None:
        self._web = web
        self._names: dict[str, str] = {}
        self._channels: dict[str, str] = {}
        self._groups: dict[str, str] = {}

    async def user_name(self, user: str) -> str:
        """Return a person's name; empty where Slack does not say."""

        async def ask() -> str:
            record = (await self._web.call("users.info", user=user)).get("user") or {}
            profile = record.get("profile") or {}
            return str(profile.get("display_name") or record.get("real_name") or record.get("name") or "")

        return await _cached_name(self._names, user, ask)

    async def channel_name(self, channel: str) -> str:
        """Return a channel's name; empty where Slack does not say, and for a private one, which not everybody may know
        of."""

        async def ask() -> str:
            record = (await self._web.call("conversations.info", channel=channel)).get("channel") or {}
            return "" if record.get("is_private") else str(record.get("name") or "")

        return await _cached_name(self._channels, channel, ask)

    async def group_name(self, group: str) -> str:
        """Return the handle of a user group; empty where Slack does not say."""

        async def ask() -> str:
            groups: list[SlackRecord] = (await self._web.call("usergroups.list")).get("usergroups") or []
            handles = {
                str(record.get("id")): str(record.get("handle") or record.get("name") or "") for record in groups
            }
            self._groups.update(dict(list(handles.items())[:MAX_CACHED_NAMES]))
            return handles.get(group, "")

        return await _cached_name(self._groups, group, ask)

    async def resolve_mentions(self, text: str, user: str) -> str:
        """Return `text` with the names of its mentions, except of `user`, which is the bot."""
        mentioned = unnamed_mentions(text, user)
        names = {target: UNKNOWN_NAMES[target[0]] for target in mentioned}

        async def look(target: str) -> None:
            lookups = {"@": self.user_name, "#": self.channel_name, "!": self.group_name}
            name = await lookups[target[0]](target[1:].removeprefix("subteam^"))
            names[target] = name or names[target]

        with suppress(TimeoutError):
            async with asyncio.timeout(NAME_LOOKUP_SECONDS):
                await asyncio.gather(*map(look, mentioned[:MAX_MENTIONS]))
        return insert_names(text, names)


async def _cached_name(cache: dict[str, str], key: str, ask: Callable[[], Awaitable[str]]) -> str:
    """Return the cached name of `key`, or ask for it; empty where Slack does not say."""
    if key not in cache:
        try:
            async with asyncio.timeout(2.0):
                name = await ask()
        except (Unavailable, TimeoutError):
            return ""
        except CitewellError:
            name = ""
        if len(cache) >= MAX_CACHED_NAMES:
            cache.clear()
        cache[key] = name
    return cache[key]
