"""Which pages of a site are taken: those that an operator or a sitemap lists, or that links lead to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice

from adapters.files.outline import MOST_SITEMAP_BYTES
from adapters.files.reader import Reader
from adapters.sources.web.addresses import absolute, below, folder, netloc
from adapters.sources.web.formats import may_be_read
from adapters.sources.web.links import addresses
from adapters.sources.web.site import Site
from pipeline.errors import Unavailable

_SITEMAPS = 500
DENIED = frozenset({401, 403, 404, 410})
"""Statuses of what is not there, or not for us."""


class Coverage:
    """One of `sitemap`, `pages` and `start` is given. All pages that are not named are `below` the `prefix`; of a crawl
    it is the folder of `start`, unless it is given."""

    def __init__(self, *, sitemap: str = "", pages: Sequence[str] = (), start: str = "", prefix: str = "") -> None:
        self._sitemap = absolute(sitemap)
        self._named = tuple(filter(None, map(absolute, (*pages, start))))
        self.crawls = bool(start)
        self._prefix = absolute(prefix) or (folder(absolute(start)) if start else "")

    def names(self, address: str) -> bool:
        """Whether the operator asked for this very page."""
        return address in self._named

    def holds(self, address: str) -> bool:
        """Whether a page that nobody named is one of the source: none is beside `pages`."""
        if not (self.crawls or self._sitemap) or not may_be_read(address) or not below(address, self._prefix):
            return False
        return not self._sitemap or netloc(address) == netloc(self._sitemap)

    async def first(self, site: Site, reader: Reader, most: int) -> Sequence[str]:
        """The pages to begin with, at least `most` of them where there are. Raises Unavailable for a sitemap that does
        not come, Refused for one that is none or of which more comes than is read."""
        if not self._sitemap:
            return self._named
        pages: dict[str, None] = {}
        sitemaps = [self._sitemap]
        for sitemap in sitemaps:
            fetched = await site.get(sitemap, most=MOST_SITEMAP_BYTES)
            if fetched.status != 200:
                said = f"the sitemap {sitemap} answers with status {fetched.status}"
                denied = fetched.status in DENIED
                raise Unavailable(netloc(sitemap), said, denied=denied, what_to_do="Check `sitemap`.")
            found = await reader.read_sitemap(fetched.body)
            listed = await asyncio.to_thread(addresses, found.links)
            if found.more:
                more = (one for one in listed if netloc(one) == netloc(self._sitemap) and one not in sitemaps)
                sitemaps.extend(islice(more, _SITEMAPS - len(sitemaps)))
            else:
                pages |= dict.fromkeys(filter(self.holds, listed))
            if len(pages) >= most:
                break
        return tuple(pages)
