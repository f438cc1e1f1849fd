"""Discord's own settings, and what they come to: the port `PlatformConfig`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import ClassVar

from adapters.chat.reply.parts import Look
from adapters.discord.platform import DISCORD
from adapters.discord.settings import DiscordSettings
from pipeline.ports import Host, Installations, PlatformAdapter, PlatformSetup
from pipeline.rules.places import unindexed
from pipeline.values import Finding, Place, PlaceId, Platform
from pipeline.values.platform import Installation

API = "https://discord.com/api/v10"


class DiscordConfig(DiscordSettings):
    """What they come to."""

    platform: ClassVar[Platform] = DISCORD

    @property
    def wanted(self) -> bool:
        return bool(self.token)

    @property
    def homes(self) -> frozenset[str] | None:
        return frozenset(f"discord:{guild}" for guild in self.home_guilds) or None

    @property
    def divided(self) -> bool:
        return bool(self.shards)

    @property
    def clock(self) -> str:
        return f"{self.api_url or API}/gateway"

    @property
    def unindexed(self) -> str:
        if self.message_content:
            return ""
        todo = (
            "CITEWELL_DISCORD_MESSAGE_CONTENT=true, with the intent switched on in the Developer Portal, changes that."
        )
        return f"Discord shows me only what mentions me: {todo}"

    async def channels_named(self, name: str) -> list[PlaceId]:
        from adapters.discord.named import channels_named

        return await channels_named(self.token, name, api_url=self.api_url or "")

    def doubts(self, places: Mapping[PlaceId, Place]) -> list[str]:
        """A line when questions are to be answered unasked, and their text is not shown to the bot."""
        unasked = sorted(str(place) for place, sets in places.items() if sets.auto)
        if not unasked or self.message_content:
            return unindexed(places, self.unindexed)
        todo = "set CITEWELL_DISCORD_MESSAGE_CONTENT=true, and switch the intent on in the Developer Portal"
        shown = f'[places."{unasked[0]}"] answers unasked, and Discord shows me only what mentions me: {todo}.'
        return [shown, *unindexed(places, self.unindexed)]

    def setup(self) -> PlatformSetup:
        from adapters.discord.setup import DiscordSetup

        return DiscordSetup(self)

    def adapter(self, host: Host) -> PlatformAdapter:
        from adapters.discord.adapter import DiscordAdapter

        return DiscordAdapter(
            self,
            folder=Path(host.folder),
            say=host.say,
            look=Look(citations=host.citations, confidence=host.confidence),
            retention_days=host.retention_days,
        )

    async def examine_kept(self, installations: Callable[[], Installations]) -> Finding | None:
        return None

    async def examine(
        self, places: Collection[PlaceId], kept: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        from adapters.discord.doctor import examine

        async for finding in examine(self, [int(place.space) for place in places]):
            yield finding
