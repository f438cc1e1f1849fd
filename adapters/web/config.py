"""The page's settings as the port `PlatformConfig`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING, ClassVar

from adapters.web.platform import WEB
from adapters.web.settings import WebSettings
from pipeline.ports import AdapterContext, InstallationStore, LinkTargets, PlatformAdapter, PlatformSetup
from pipeline.values import Finding, PlaceId, PlaceSettings, Platform
from pipeline.values.platform import Installation

if TYPE_CHECKING:
    from adapters.web.links import SignedLinks


class WebConfig(WebSettings):
    """The page's settings, and the adapter, links and checks made from them."""

    platform: ClassVar[Platform] = WEB

    @property
    def is_enabled(self) -> bool:
        return bool(self.listen)

    @property
    def home_spaces(self) -> frozenset[str] | None:
        return None

    @property
    def channel_indexing_blocker(self) -> str:
        return "Nobody says anything to others on the page."

    @property
    def is_sharded(self) -> bool:
        return False

    @property
    def clock_url(self) -> str:
        return ""

    async def find_channels(self, name: str) -> list[PlaceId]:
        return []

    def setting_warnings(self, places: Mapping[PlaceId, PlaceSettings]) -> list[str]:
        return []

    def setup(self) -> PlatformSetup | None:
        return None

    def create_adapter(self, context: AdapterContext) -> PlatformAdapter:
        """Return the adapter. Raise Misconfigured where strangers could reach the page and nobody would sign in."""
        from adapters.web.wiring import make_web_adapter

        return make_web_adapter(self, context)

    def links(self, sources: LinkTargets) -> SignedLinks | None:
        """Return links that lead to the page; None where readers cannot reach it."""
        from adapters.web.links import make_signed_links

        return make_signed_links(self, sources)

    async def diagnose_stored(self, installations: Callable[[], InstallationStore]) -> Finding | None:
        return None

    async def diagnose(
        self, places: Collection[PlaceId], load_installations: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        from adapters.web.doctor import diagnose

        async for finding in diagnose(self):
            yield finding
