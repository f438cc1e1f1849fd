"""Pages of a web site as documents, and the check of pages that name another address as their canonical one
(`rel=canonical`)."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from adapters.fetch.fetcher import Fetcher, FetchResponse
from adapters.files.content import PageLinks
from adapters.files.reader import FileReader
from adapters.sources.web.crawl import DENIED_STATUSES, CrawlScope, PoliteFetcher
from adapters.sources.web.pages import (
    HTML_TYPES,
    CachedPage,
    WebPageItem,
    build_page_item,
    cached_page_entry,
    load_cached_pages,
    parse_content_type,
    read_web_document,
    readable_file_name,
)
from adapters.sources.web.urls import build_page_head, normalize_url, url_host, url_origin
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceCache, SourceItem
from pipeline.values import ParsedDocument


class CanonicalClaim(NamedTuple):
    """A page that claims another address than the one it came from, and why it cannot be taken."""

    requested_url: str
    page: CachedPage
    problem: str


class CanonicalClaims:
    """Claims wait until every page has come: the page at an address comes before pages that claim the address."""

    def __init__(self, coverage: CrawlScope, site: PoliteFetcher) -> None:
        self._coverage = coverage
        self._site = site
        self._waiting: list[CanonicalClaim] = []
        self._asked: set[str] = set()
        self._taken: set[str] = set()

    def defer(self, asked: str, page: CachedPage | None, problem: str) -> bool:
        """Return True where the page has to wait, as it claims another address."""
        self._asked |= {asked, page.came_from} if page else {asked}
        if page is None or page.address == page.came_from:
            return False
        self._waiting.append(CanonicalClaim(asked, page, problem))
        return True

    def claim_address(self, address: str) -> bool:
        """Take the address; return False where another page has it already."""
        place = _place(address)
        free = place not in self._taken
        self._taken.add(place)
        return free

    @property
    def is_empty(self) -> bool:
        return not self._taken

    async def resolve(self) -> AsyncIterator[tuple[CanonicalClaim, str]]:
        """Yield the claims that waited, each with the address that it gets; that address may be taken already."""
        spoken = frozenset(self._taken)
        for claim in self._waiting:
            claimed, own = claim.page.address, claim.page.came_from
            if not await self._may(claim.page):
                yield claim, own
            elif claimed in self._asked and _place(claimed) not in spoken:
                yield claim, own  # it was asked for and is no document, or belongs elsewhere itself
            else:
                yield claim, claimed

    async def _may(self, page: CachedPage) -> bool:
        """Return True where the claimed address could be one of this source: of the page's own server, and allowed
        there."""
        claimed, own = page.address, page.came_from
        if url_host(claimed) != url_host(own) or not (
            self._coverage.is_named(claimed) or self._coverage.is_in_scope(claimed)
        ):
            return False
        return await self._site.is_allowed(url_origin(own) + claimed[len(url_origin(claimed)) :])


def _place(address: str) -> str:
    """Return the address without its scheme: it is the same with and without TLS."""
    return address.partition("://")[2]


MAX_WEB_PAGE_BYTES = 20_000_000
_HELD_BYTES = 50_000_000
"""Bytes of pages that are held until they are read; others are fetched again when it is their turn."""
MAX_LINK_CHARACTERS = 50_000_000
"""Characters of the links that are cached, which a crawl follows in the next sync."""
_FAILURES = 5
"""Pages in a row that do not come: the site is down."""


@dataclass
class _Misses:
    """Pages that did not come."""

    first: Unavailable | None = None
    in_a_row: int = 0
    down: bool = False
    """True where it is of no use to ask for more now."""

    def count(self, error: Unavailable) -> None:
        self.first = self.first or error
        self.in_a_row += 1
        self.down = self.in_a_row >= _FAILURES or bool(error.retry_after)


class WebSource:
    """The pages within `scope`; at most `max_pages` are requested. robots.txt, `noindex` and `nofollow` are obeyed. A
    page is one document, under its canonical address where `CanonicalClaims` accepts it. A page that answers with 4xx
    is gone; pages that do not come keep their cached state."""

    def __init__(
        self,
        name: str,
        fetcher: Fetcher,
        memory: SourceCache,
        reader: FileReader,
        coverage: CrawlScope,
        *,
        max_pages: int = 5000,
        pace: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = f"web:{name}"
        self._name = name
        self._memory = memory
        self._reader = reader
        self._coverage = coverage
        self._max_pages = max_pages
        self._site = PoliteFetcher(fetcher, pace=pace, sleep=sleep)
        self._held: dict[str, FetchResponse] = {}
        self._held_bytes = 0

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield every page, each requested once, and not sent again while it is the same. Raise Unavailable, after the
        pages that came, for pages and sitemaps that did not, and where no page may be read; Refused for an invalid
        sitemap."""
        known = load_cached_pages(await self._memory.load())
        waiting = deque(await self._coverage.seed_urls(self._site, self._reader, self._max_pages))
        seen, claims, links, gone = set(waiting), CanonicalClaims(self._coverage, self._site), 0, False
        changes: dict[str, str | None] = {}
        misses = _Misses()
        try:
            for _ in range(self._max_pages):
                if not waiting or misses.down:
                    break
                asked = waiting.popleft()
                page, problem = await self._now(asked, known.get(asked), misses)
                new = [link for link in page.links if link not in seen] if page else []
                new = new[: max(self._max_pages - len(seen), 0)]
                links += sum(map(len, page.links)) if page else 0
                if page and links > MAX_LINK_CHARACTERS:
                    page = page.invalidated
                if page != known.get(asked):
                    changes |= cached_page_entry(asked, page)
                seen.update(new)
                waiting.extend(new)
                gone = gone or (page is None and not problem)
                if claims.defer(asked, page, problem):
                    continue
                if (item := build_page_item(self._name, asked, page, problem)) and claims.claim_address(item.address):
                    yield item
            async for claim, address in claims.resolve():
                page = replace(claim.page, address=address)
                if (
                    item := build_page_item(self._name, claim.requested_url, page, claim.problem)
                ) and claims.claim_address(item.address):
                    yield item
            if misses.first:
                raise misses.first
            if gone and claims.is_empty:
                said, todo = "lets no page be read", "Look whether it asks for a login, and at its robots.txt."
                raise Unavailable(url_host(asked), said, permanent=True, denied=True, what_to_do=todo)
            changes |= {
                key: said for page in known.keys() - seen for key, said in cached_page_entry(page, None).items()
            }
        finally:
            await self._memory.update(changes)

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item of `list_items()`. Raise Refused; Unavailable when it has to be fetched again and does not
        come."""
        if not isinstance(item, WebPageItem):
            raise TypeError("not an item of this source")
        if item.problem:
            raise Refused(item.problem)
        fetched = self._held.pop(item.requested_url, None)
        if fetched is None:
            fetched = await self._site.get(item.requested_url, most=MAX_WEB_PAGE_BYTES)
        else:
            self._held_bytes -= len(fetched.body)
        if fetched.status != 200:
            raise Refused(f"the page answers with status {fetched.status}")
        return await read_web_document(self._reader, self.name, item, fetched)

    async def _now(self, asked: str, before: CachedPage | None, misses: _Misses) -> tuple[CachedPage | None, str]:
        """Return the page as it is now, or as cached when it does not come; and why it cannot be taken."""
        try:
            page = await self._look(asked, before)
        except Refused as error:
            return before, f"{error}. {error.what_to_do}".rstrip(" .")
        except Unavailable as error:
            misses.count(error)
            return before, ""
        misses.in_a_row = 0
        return page, ""

    async def _look(self, asked: str, before: CachedPage | None) -> CachedPage | None:
        """Return the page as it is now; None when there is none to take. Raise Refused with the reason why it cannot be
        taken though the operator named it."""
        named = self._coverage.is_named(asked)
        if not await self._site.is_allowed(asked):
            if named:
                raise Refused("the robots.txt of its site forbids it")
            return None
        fetched = await self._site.get(asked, before.conditional_headers if before else {}, most=MAX_WEB_PAGE_BYTES)
        if before and fetched.status == 304:
            if normalize_url(fetched.url) == before.came_from:
                return before
            fetched = await self._site.get(asked, most=MAX_WEB_PAGE_BYTES)
        if self._coverage.crawls and named and fetched.status != 200:
            said = f"the page to start from answers with status {fetched.status}"
            raise Unavailable(
                url_host(asked), said, denied=fetched.status in DENIED_STATUSES, what_to_do="Check `start`."
            )
        if fetched.status != 200:
            return None
        address = normalize_url(fetched.url)
        if address != asked:
            if self._coverage.crawls and named and not self._coverage.is_in_scope(address):
                raise Refused(f"it leads to {address}", what_to_do="Start from there, or give a prefix.")
            if not (named or self._coverage.is_in_scope(address)) or not await self._site.is_allowed(address):
                return None
        return await self._known(asked, address, fetched)

    async def _known(self, asked: str, address: str, fetched: FetchResponse) -> CachedPage:
        is_page = parse_content_type(fetched)[0] in HTML_TYPES
        said = fetched.headers.get("x-robots-tag", "")
        leads = await self._reader.read_page_links(fetched.body) if is_page else PageLinks()
        head = await asyncio.to_thread(build_page_head, address, leads, said)
        if head.is_indexable and (is_page or readable_file_name(address, parse_content_type(fetched)[0])):
            self._hold(asked, fetched)
            version = hashlib.sha256(fetched.body).hexdigest()
        else:
            version = ""
        return CachedPage(
            address=head.canonical or address,
            came_from=address,
            version=version,
            links=tuple(filter(self._coverage.is_in_scope, head.links))
            if self._coverage.crawls and head.is_followable
            else (),
            etag=fetched.headers.get("etag", ""),
            modified=fetched.headers.get("last-modified", ""),
        )

    def _hold(self, asked: str, fetched: FetchResponse) -> None:
        if self._held_bytes + len(fetched.body) <= _HELD_BYTES:
            self._held[asked] = fetched
            self._held_bytes += len(fetched.body)
