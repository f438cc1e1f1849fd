"""Fetches pages of a site as its robots.txt wants it, and decides which pages are taken."""

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

_ROBOTS_BYTES = 500_000
"""RFC 9309, 2.5: the least that is to be read."""
_LONGEST_DELAY = 30.0
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
        self._answered: dict[str, float] = {}
        """The time of each server's last response."""

    async def is_allowed(self, address: str) -> bool:
        """Return True where robots.txt allows the URL. A missing one allows everything; raise Unavailable for one that
        does not come (RFC 9309, 2.3.1)."""
        return (await self._robots(address)).can_fetch(address, ROBOTS_AGENT)

    async def get(self, address: str, headers: Mapping[str, str] | None = None, *, most: int) -> FetchResponse:
        """Fetch a URL; raise what `Fetcher.fetch` raises."""
        server = url_origin(address)
        await self._sleep(self._rest(server))
        try:
            return await self._fetcher.fetch(address, headers=headers or {}, max_bytes=most)
        finally:
            self._answered[server] = time.monotonic()

    def _rest(self, server: str) -> float:
        """Return the seconds until the server may be asked again."""
        if server not in self._answered:
            return 0.0
        rules = self._rules.get(server)
        delay = min((rules.crawl_delay(ROBOTS_AGENT) if rules else None) or 0.0, _LONGEST_DELAY)
        return max(self._answered[server] + max(self._pace, delay) - time.monotonic(), 0.0)

    async def _robots(self, address: str) -> Protego:
        server = url_origin(address)
        if server not in self._rules:
            found = await self.get(f"{server}/robots.txt", most=_ROBOTS_BYTES)
            self._rules[server] = Protego.parse(found.body.decode("utf-8", "replace") if found.status == 200 else "")
        return self._rules[server]


# --- Scope: pages of the operator, of a sitemap or of a crawl -------------------------------------

_SITEMAPS = 500
DENIED_STATUSES = frozenset({401, 403, 404, 410})
"""Statuses for what does not exist, or what we may not see."""


class CrawlScope:
    """The pages of a source, from one of `sitemap`, `pages` and `start`. Pages that are not named must be `below` the
    `prefix`; for a crawl it is the folder of `start`, unless it is given."""

    def __init__(self, *, sitemap: str = "", pages: Sequence[str] = (), start: str = "", prefix: str = "") -> None:
        self._sitemap = normalize_url(sitemap)
        self._named = tuple(filter(None, map(normalize_url, (*pages, start))))
        self.crawls = bool(start)
        self._prefix = normalize_url(prefix) or (parent_url(normalize_url(start)) if start else "")

    def is_named(self, address: str) -> bool:
        """Return True where the operator asked for this very page."""
        return address in self._named

    def is_in_scope(self, address: str) -> bool:
        """Return True where a page that nobody named belongs to the source: with `pages` none does."""
        if not (self.crawls or self._sitemap) or not is_readable_url(address) or not is_below(address, self._prefix):
            return False
        return not self._sitemap or url_host(address) == url_host(self._sitemap)

    async def seed_urls(self, site: PoliteFetcher, reader: FileReader, most: int) -> Sequence[str]:
        """Return the pages to begin with, at least `limit` of them where there are. Raise Unavailable for a sitemap
        that does not come, Refused for one that is invalid or larger than what is read."""
        if not self._sitemap:
            return self._named
        pages: dict[str, None] = {}
        sitemaps = [self._sitemap]
        for sitemap in sitemaps:
            fetched = await site.get(sitemap, most=MAX_SITEMAP_BYTES)
            if fetched.status != 200:
                said = f"the sitemap {sitemap} answers with status {fetched.status}"
                denied = fetched.status in DENIED_STATUSES
                raise Unavailable(url_host(sitemap), said, denied=denied, what_to_do="Check `sitemap`.")
            found = await reader.read_sitemap(fetched.body)
            listed = await asyncio.to_thread(normalize_links, found.links)
            if found.is_sitemap_index:
                more = (one for one in listed if url_host(one) == url_host(self._sitemap) and one not in sitemaps)
                sitemaps.extend(islice(more, _SITEMAPS - len(sitemaps)))
            else:
                pages |= dict.fromkeys(filter(self.is_in_scope, listed))
            if len(pages) >= most:
                break
        return tuple(pages)
