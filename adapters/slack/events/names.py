"""What people, channels and user groups are called, as Slack knows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from adapters.slack.events.spoken import named, unnamed
from adapters.slack.web import Web
from pipeline.errors import CitewellError, Unavailable

REMEMBERED = 5_000
"""People, and channels, whose names are remembered."""
MENTIONS = 10
"""Mentions of one message that are looked up: who mentions more asks about none of them."""
SECONDS = 1.0
"""How long a message waits for the names in it: Slack wants to hear within three that we have it."""
SOMEBODY = {"@": "somebody", "#": "somewhere", "!": "somebody"}
"""What stands for those without a name: an id means nothing to a search."""
Found = dict[str, Any]


class Names:
    """Those of one workspace."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._names: dict[str, str] = {}
        self._channels: dict[str, str] = {}
        self._groups: dict[str, str] = {}

    async def of(self, user: str) -> str:
        """What somebody is called; empty where Slack does not say."""

        async def ask() -> str:
            found = (await self._web.call("users.info", user=user)).get("user") or {}
            profile = found.get("profile") or {}
            return str(profile.get("display_name") or found.get("real_name") or found.get("name") or "")

        return await _remembered(self._names, user, ask)

    async def of_channel(self, channel: str) -> str:
        """The same of a channel; empty too of a private one, which not everybody may know of."""

        async def ask() -> str:
            found = (await self._web.call("conversations.info", channel=channel)).get("channel") or {}
            return "" if found.get("is_private") else str(found.get("name") or "")

        return await _remembered(self._channels, channel, ask)

    async def of_group(self, group: str) -> str:
        """The same of a user group, by its handle."""

        async def ask() -> str:
            found: list[Found] = (await self._web.call("usergroups.list")).get("usergroups") or []
            told = {str(one.get("id")): str(one.get("handle") or one.get("name") or "") for one in found}
            self._groups.update(dict(list(told.items())[:REMEMBERED]))
            return told.get(group, "")

        return await _remembered(self._groups, group, ask)

    async def spelled(self, text: str, user: str) -> str:
        """`text` with the names of what it mentions but for `user`, who we are."""
        mentioned = unnamed(text, user)
        names = {target: SOMEBODY[target[0]] for target in mentioned}

        async def look(target: str) -> None:
            kinds = {"@": self.of, "#": self.of_channel, "!": self.of_group}
            name = await kinds[target[0]](target[1:].removeprefix("subteam^"))
            names[target] = name or names[target]

        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                await asyncio.gather(*map(look, mentioned[:MENTIONS]))
        return named(text, names)


async def _remembered(known: dict[str, str], key: str, ask: Callable[[], Awaitable[str]]) -> str:
    """What is known of `key`, or what `ask` tells now; empty where Slack does not say."""
    if key not in known:
        try:
            async with asyncio.timeout(2.0):
                name = await ask()
        except (Unavailable, TimeoutError):
            return ""
        except CitewellError:
            name = ""
        if len(known) >= REMEMBERED:
            known.clear()
        known[key] = name
    return known[key]
