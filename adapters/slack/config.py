"""The configuration of Slack: the port `PlatformConfig`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import ClassVar

from adapters.chat.reply.parts import RenderOptions
from adapters.slack.platform import SLACK
from adapters.slack.settings import SlackSettings
from pipeline.ports import AdapterContext, InstallationStore, PlatformAdapter, PlatformSetup
from pipeline.rules.place_settings import indexing_problems
from pipeline.values import Finding, PlaceId, PlaceSettings, Platform
from pipeline.values.platform import Installation

INDEX_OWN_APP = "own-app-under-slack-api-terms"


class SlackConfig(SlackSettings):
    """Slack's settings, and what follows from them."""

    platform: ClassVar[Platform] = SLACK

    @property
    def is_enabled(self) -> bool:
        return bool(self.bot_token or self.client_id)

    @property
    def home_spaces(self) -> frozenset[str] | None:
        """The organisation's own workspaces. Where anybody may install the app, only those that are named; None for
        all."""
        return frozenset(f"slack:{team}" for team in self.home_workspaces) if self.client_id else None

    @property
    def is_sharded(self) -> bool:
        return False

    @property
    def clock_url(self) -> str:
        return f"{self.api_url.rstrip('/')}/api.test"

    @property
    def channel_indexing_blocker(self) -> str:
        """The reason why channels may not be indexed, or "".

        Slack's API Terms of 29 May 2025 forbid lasting copies of what its APIs return; since 13 October 2025 their
        rules on distribution leave an organisation's own app out. See docs/sources.md.
        """
        if self.client_id:
            return "Slack's API Terms let no app that other organisations install keep what is said in channels."
        if self.index != INDEX_OWN_APP:
            return f"Agree to Slack's API Terms first: CITEWELL_SLACK_INDEX={INDEX_OWN_APP} says that you do."
        return ""

    async def find_channels(self, name: str) -> list[PlaceId]:
        from adapters.slack.channels import find_channels

        return await find_channels(self.bot_token, name, api_url=self.api_url)

    def setting_warnings(self, places: Mapping[PlaceId, PlaceSettings]) -> list[str]:
        return indexing_problems(places, self.channel_indexing_blocker)

    def setup(self) -> PlatformSetup:
        from adapters.slack.setup import SlackSetup

        return SlackSetup(self)

    def create_adapter(self, context: AdapterContext) -> PlatformAdapter:
        from adapters.slack.adapter import SlackAdapter

        return SlackAdapter(
            self,
            installations=context.installations() if self.client_id else None,
            services=context.services,
            http_servers=context.http_servers,
            render_options=RenderOptions(citations=context.show_citations, confidence=context.show_confidence),
            echo=context.echo,
        )

    async def diagnose_stored(self, installations: Callable[[], InstallationStore]) -> Finding | None:
        from adapters.slack.doctor import diagnose_stored

        return await diagnose_stored(installations) if self.client_id else None

    async def diagnose(
        self, places: Collection[PlaceId], load_installations: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        from adapters.slack.doctor import diagnose, diagnose_installed

        if self.bot_token:
            channels = [place.channel for place in places if place.channel]
            async for finding in diagnose(self, channels):
                yield finding
        if self.client_id:
            async for finding in diagnose_installed(self, await load_installations()):
                yield finding
