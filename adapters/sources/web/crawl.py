"""A fetcher that obeys robots.txt, and the scope of the pages that are taken."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice

from protego import Protego

from adapters.fetch.fetcher import Fetcher, FetchResponse
from adapters.files.content import MAX_SITEMAP_BYTES, ROBOTS_AGENT
from adapters.files.reader import FileReader
from adapters.sources.web.pages import is_readable_url
from adapters.sources.web.urls import is_below, normalize_links, normalize_url, parent_url, url_host, url_origin
from pipeline.errors import Unavailable

# --- Requests to the servers ----------------------------------------------------------------------

_MAX_ROBOTS_BYTES = 500_000
"""RFC 9309, 2.5: the least that is to be read."""
_MAX_DELAY = 30.0
"""Seconds: a longer Crawl-delay is cut to this."""


class PoliteFetcher:
    """A fetcher that makes one request after another. Between two to one server it waits `pace` seconds, or those of
    its Crawl-delay."""

    def __init__(
        self, fetcher: Fetcher, *, pace: float = 0.0, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._fetcher = fetcher
        self._pace = pace
        self._sleep = sleep
        self._rules: dict[str, Protego] = {}
        self._answered_at: dict[str, float] = {}
        """The time of each server's last response."""

    async def is_allowed(self, address: str) -> bool:
        """Return True where robots.txt allows the URL. A missing one allows everything; raise Unavailable for one that
        does not come (RFC 9309, 2.3.1)."""
        return (await self._load_rules(address)).can_fetch(address, ROBOTS_AGENT)

    async def get(self, address: str, headers: Mapping[str, str] | None = None, *, max_bytes: int) -> FetchResponse:
        """Fetch a URL; raise what `Fetcher.fetch` raises."""
        server = url_origin(address)
        await self._sleep(self._delay(server))
        try:
            return await self._fetcher.fetch(address, headers=headers or {}, max_bytes=max_bytes)
        finally:
            self._answered_at[server] = time.monotonic()

    def _delay(self, server: str) -> float:
        """Return the seconds until the server may be asked again."""
        if server not in self._answered_at:
            return 0.0
        rules = self._rules.get(server)
        delay = min((rules.crawl_delay(ROBOTS_AGENT) if rules else None) or 0.0, _MAX_DELAY)
        return max(self._answered_at[server] + max(self._pace, delay) - time.monotonic(), 0.0)

    async def _load_rules(self, address: str) -> Protego:
        server = url_origin(address)
        if server not in self._rules:
            response = await self.get(f"{server}/robots.txt", max_bytes=_MAX_ROBOTS_BYTES)
            self._rules[server] = Protego.parse(
                response.body.decode("utf-8", "replace") if response.status == 200 else ""
            )
        return self._rules[server]


# --- Scope: pages of the operator, of a sitemap or of a crawl -------------------------------------

_MAX_SITEMAPS = 500
DENIED_STATUSES = frozenset({401, 403, 404, 410})
"""Statuses for what does not exist, or what we may not see."""


class CrawlScope:
    """The pages of a source, from one of `sitemap`, `pages` and `start`. Pages that are not named must be `below` the
    `prefix`; for a crawl it is the folder of `start`, unless it is given."""

    def __init__(self, *, sitemap: str = "", pages: Sequence[str] = (), start: str = "", prefix: str = "") -> None:
        self._sitemap = normalize_url(sitemap)
        self._named_urls = tuple(filter(None, map(normalize_url, (*pages, start))))
        self.crawls = bool(start)
        self._prefix = normalize_url(prefix) or (parent_url(normalize_url(start)) if start else "")

    def is_named(self, address: str) -> bool:
        """Return True where the operator asked for this very page."""
        return address in self._named_urls

    def is_in_scope(self, address: str) -> bool:
        """Return True where a page that nobody named belongs to the source: with `pages` none does."""
        if not (self.crawls or self._sitemap) or not is_readable_url(address) or not is_below(address, self._prefix):
            return False
        return not self._sitemap or url_host(address) == url_host(self._sitemap)

    async def seed_urls(self, fetcher: PoliteFetcher, reader: FileReader, limit: int) -> Sequence[str]:
        """Return the pages to begin with, at least `limit` of them if there are as many. Raise Unavailable for a
        sitemap that does not come, Refused for an invalid or too large one."""
        if not self._sitemap:
            return self._named_urls
        pages: dict[str, None] = {}
        sitemaps = [self._sitemap]
        # an index adds further sitemaps to the list that is being walked
        for sitemap in sitemaps:
            fetched = await fetcher.get(sitemap, max_bytes=MAX_SITEMAP_BYTES)
            if fetched.status != 200:
                message = f"the sitemap {sitemap} answers with status {fetched.status}"
                denied = fetched.status in DENIED_STATUSES
                raise Unavailable(url_host(sitemap), message, denied=denied, what_to_do="Check `sitemap`.")
            sitemap_content = await reader.read_sitemap(fetched.body)
            urls = await asyncio.to_thread(normalize_links, sitemap_content.links)
            if sitemap_content.is_sitemap_index:
                more_sitemaps = (
                    url for url in urls if url_host(url) == url_host(self._sitemap) and url not in sitemaps
                )
                sitemaps.extend(islice(more_sitemaps, _MAX_SITEMAPS - len(sitemaps)))
            else:
                pages |= dict.fromkeys(filter(self.is_in_scope, urls))
            if len(pages) >= limit:
                break
        return tuple(pages)
