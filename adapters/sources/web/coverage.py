"""Which pages of a site are taken: those that an operator or a sitemap lists, or that links lead to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice

from adapters.sources.web.addresses import absolute, folder, netloc
from adapters.sources.web.formats import may_be_read
from adapters.sources.web.site import Site
from adapters.sources.web.sitemap import MOST_BYTES, read_sitemap
from pipeline.errors import Unavailable

_SITEMAPS = 500


class Coverage:
    """One of `sitemap`, `pages` and `start` is given. `prefix` begins the addresses of all pages that are not named; of
    a crawl it is the folder of `start`, unless it is given."""

    def __init__(self, *, sitemap: str = "", pages: Sequence[str] = (), start: str = "", prefix: str = "") -> None:
        self._sitemap = absolute(sitemap)
        self._named = tuple(filter(None, map(absolute, (*pages, start))))
        self.crawls = bool(start)
        self._prefix = absolute(prefix) or (folder(absolute(start)) if start else "")

    def names(self, address: str) -> bool:
        """Whether the operator asked for this very page."""
        return address in self._named

    def holds(self, address: str) -> bool:
        """Whether a page that nobody named is one of the source."""
        if not may_be_read(address) or not address.startswith(self._prefix):
            return False
        return not self._sitemap or netloc(address) == netloc(self._sitemap)

    async def first(self, site: Site, most: int) -> Sequence[str]:
        """The pages to begin with, at least `most` of them where there are. Raises Unavailable for a sitemap that does
        not come, Refused for one that is none."""
        if not self._sitemap:
            return self._named
        pages: dict[str, None] = {}
        sitemaps = [self._sitemap]
        for sitemap in sitemaps:
            fetched = await site.get(sitemap, most=MOST_BYTES)
            if fetched.status != 200:
                said = f"the sitemap {sitemap} answers with status {fetched.status}"
                raise Unavailable(netloc(sitemap), said, what_to_do="Check `sitemap`.")
            found = await asyncio.to_thread(read_sitemap, fetched.body)
            more = (one for one in found.more if netloc(one) == netloc(self._sitemap) and one not in sitemaps)
            sitemaps.extend(islice(more, _SITEMAPS - len(sitemaps)))
            pages |= dict.fromkeys(filter(self.holds, found.pages))
            if len(pages) >= most:
                break
        return tuple(pages)
