"""What people are called, as Slack knows."""

from __future__ import annotations

import asyncio

from adapters.slack.web import Web
from pipeline.errors import CitewellError, Unavailable

REMEMBERED = 5_000
"""People whose names are remembered."""


class Names:
    """Those of one workspace."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._names: dict[str, str] = {}

    async def of(self, user: str) -> str:
        """What somebody is called; empty where Slack does not say."""
        if user not in self._names:
            try:
                async with asyncio.timeout(2.0):
                    found = (await self._web.call("users.info", user=user)).get("user") or {}
            except (Unavailable, TimeoutError):
                return ""
            except CitewellError:
                found = {}
            if len(self._names) >= REMEMBERED:
                self._names.clear()
            profile = found.get("profile") or {}
            self._names[user] = str(profile.get("display_name") or found.get("real_name") or found.get("name") or "")
        return self._names[user]
