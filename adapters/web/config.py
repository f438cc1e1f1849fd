"""The page's own settings, and what they come to: the port `PlatformConfig`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING, ClassVar

from adapters.web.platform import WEB
from adapters.web.settings import WebSettings
from pipeline.ports import Host, Installations, PlatformAdapter, PlatformSetup, Sources
from pipeline.values import Finding, Place, PlaceId, Platform
from pipeline.values.platform import Installation

if TYPE_CHECKING:
    from adapters.web.links import SignedLinks


class WebConfig(WebSettings):
    """What they come to."""

    platform: ClassVar[Platform] = WEB

    @property
    def wanted(self) -> bool:
        return bool(self.listen)

    @property
    def homes(self) -> frozenset[str] | None:
        return None

    @property
    def unindexed(self) -> str:
        return "Nobody says anything to others on the page."

    @property
    def divided(self) -> bool:
        return False

    @property
    def clock(self) -> str:
        return ""

    async def channels_named(self, name: str) -> list[PlaceId]:
        return []

    def doubts(self, places: Mapping[PlaceId, Place]) -> list[str]:
        return []

    def setup(self) -> PlatformSetup | None:
        return None

    def adapter(self, host: Host) -> PlatformAdapter:
        """Raises Misconfigured where strangers could reach it and nobody would sign in."""
        from adapters.web.wiring import adapter

        return adapter(self, host)

    def links(self, sources: Sources) -> SignedLinks | None:
        """Links that lead to the page; None where readers cannot reach it."""
        from adapters.web.links import signed

        return signed(self, sources)

    async def examine_kept(self, installations: Callable[[], Installations]) -> Finding | None:
        return None

    async def examine(
        self, places: Collection[PlaceId], kept: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        from adapters.web.doctor import examine

        async for finding in examine(self):
            yield finding
