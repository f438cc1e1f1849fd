"""The configuration of Discord: the port `PlatformConfig`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import ClassVar

from adapters.chat.reply.parts import RenderOptions
from adapters.discord.platform import DISCORD
from adapters.discord.settings import DiscordSettings
from pipeline.ports import AdapterContext, InstallationStore, PlatformAdapter, PlatformSetup
from pipeline.rules.place_settings import indexing_problems
from pipeline.values import Finding, PlaceId, PlaceSettings, Platform
from pipeline.values.platform import Installation

DISCORD_API_URL = "https://discord.com/api/v10"


class DiscordConfig(DiscordSettings):
    """Discord's settings, and what follows from them."""

    platform: ClassVar[Platform] = DISCORD

    @property
    def is_enabled(self) -> bool:
        return bool(self.token)

    @property
    def home_spaces(self) -> frozenset[str] | None:
        return frozenset(f"discord:{guild}" for guild in self.home_guilds) or None

    @property
    def is_sharded(self) -> bool:
        return bool(self.shards)

    @property
    def clock_url(self) -> str:
        return f"{self.api_url or DISCORD_API_URL}/gateway"

    @property
    def channel_indexing_blocker(self) -> str:
        if self.message_content:
            return ""
        todo = (
            "CITEWELL_DISCORD_MESSAGE_CONTENT=true, with the intent switched on in the Developer Portal, changes that."
        )
        return f"Discord shows me only what mentions me: {todo}"

    async def find_channels(self, name: str) -> list[PlaceId]:
        from adapters.discord.channels import find_channels

        return await find_channels(self.token, name, api_url=self.api_url or "")

    def setting_warnings(self, places: Mapping[PlaceId, PlaceSettings]) -> list[str]:
        """Return a warning where unprompted answers are switched on, and Discord does not show the bot the text of
        questions."""
        unasked = sorted(str(place) for place, sets in places.items() if sets.auto)
        if not unasked or self.message_content:
            return indexing_problems(places, self.channel_indexing_blocker)
        todo = "set CITEWELL_DISCORD_MESSAGE_CONTENT=true, and switch the intent on in the Developer Portal"
        warning = f'[places."{unasked[0]}"] answers unasked, and Discord shows me only what mentions me: {todo}.'
        return [warning, *indexing_problems(places, self.channel_indexing_blocker)]

    def setup(self) -> PlatformSetup:
        from adapters.discord.setup import DiscordSetup

        return DiscordSetup(self)

    def create_adapter(self, context: AdapterContext) -> PlatformAdapter:
        from adapters.discord.adapter import DiscordAdapter

        return DiscordAdapter(
            self,
            folder=Path(context.data_dir),
            echo=context.echo,
            render_options=RenderOptions(citations=context.show_citations, confidence=context.show_confidence),
            retention_days=context.retention_days,
        )

    async def diagnose_stored(self, installations: Callable[[], InstallationStore]) -> Finding | None:
        return None

    async def diagnose(
        self, places: Collection[PlaceId], load_installations: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        from adapters.discord.doctor import diagnose

        async for finding in diagnose(self, [int(place.space) for place in places]):
            yield finding
