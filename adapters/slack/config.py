"""Slack's own settings, and what they come to: the port `PlatformConfig`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import ClassVar

from adapters.chat.reply.parts import Look
from adapters.slack.platform import SLACK
from adapters.slack.settings import SlackSettings
from pipeline.ports import Host, Installations, PlatformAdapter, PlatformSetup
from pipeline.rules.places import unindexed
from pipeline.values import Finding, Place, PlaceId, Platform
from pipeline.values.platform import Installation

OWN_APP = "own-app-under-slack-api-terms"


class SlackConfig(SlackSettings):
    """What they come to."""

    platform: ClassVar[Platform] = SLACK

    @property
    def wanted(self) -> bool:
        return bool(self.bot_token or self.client_id)

    @property
    def homes(self) -> frozenset[str] | None:
        """Where anybody may add the bot to a workspace, none is the organisation's own unless that is said."""
        return frozenset(f"slack:{team}" for team in self.home_workspaces) if self.client_id else None

    @property
    def divided(self) -> bool:
        return False

    @property
    def clock(self) -> str:
        return f"{self.api_url.rstrip('/')}/api.test"

    @property
    def unindexed(self) -> str:
        """Slack's API Terms of 29 May 2025 forbid lasting copies of what its APIs return; since 13 October 2025 their
        rules on distribution leave an organisation's own app out. See docs/sources.md."""
        if self.client_id:
            return "Slack's API Terms let no app that other organisations install keep what is said in channels."
        if self.index != OWN_APP:
            return f"Slack's API Terms have to be agreed with first: CITEWELL_SLACK_INDEX={OWN_APP} says that they are."
        return ""

    async def channels_named(self, name: str) -> list[PlaceId]:
        from adapters.slack.named import channels_named

        return await channels_named(self.bot_token, name, api_url=self.api_url)

    def doubts(self, places: Mapping[PlaceId, Place]) -> list[str]:
        return unindexed(places, self.unindexed)

    def setup(self) -> PlatformSetup:
        from adapters.slack.setup import SlackSetup

        return SlackSetup(self)

    def adapter(self, host: Host) -> PlatformAdapter:
        from adapters.slack.adapter import SlackAdapter

        return SlackAdapter(
            self,
            installations=host.installations() if self.client_id else None,
            desk=host.desk,
            doors=host.doors,
            look=Look(citations=host.citations, confidence=host.confidence),
            say=host.say,
        )

    async def examine_kept(self, installations: Callable[[], Installations]) -> Finding | None:
        from adapters.slack.doctor import examine_kept

        return await examine_kept(installations) if self.client_id else None

    async def examine(
        self, places: Collection[PlaceId], kept: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        from adapters.slack.doctor import examine, examine_installed

        if self.bot_token:
            channels = [place.channel for place in places if place.channel]
            async for finding in examine(self, channels):
                yield finding
        if self.client_id:
            async for finding in examine_installed(self, await kept()):
                yield finding
