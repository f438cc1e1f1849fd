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

    def __init__(self, scope: CrawlScope, fetcher: PoliteFetcher) -> None:
        self._scope = scope
        self._fetcher = fetcher
        self._deferred: list[CanonicalClaim] = []
        self._requested_urls: set[str] = set()
        self._taken_addresses: set[str] = set()

    def defer(self, requested_url: str, page: CachedPage | None, problem: str) -> bool:
        """Return True where the page has to wait, as it claims another address."""
        self._requested_urls |= {requested_url, page.came_from} if page else {requested_url}
        if page is None or page.address == page.came_from:
            return False
        self._deferred.append(CanonicalClaim(requested_url, page, problem))
        return True

    def claim_address(self, address: str) -> bool:
        """Take the address; return False where another page has it already."""
        location = _without_scheme(address)
        free = location not in self._taken_addresses
        self._taken_addresses.add(location)
        return free

    @property
    def is_empty(self) -> bool:
        return not self._taken_addresses

    async def resolve(self) -> AsyncIterator[tuple[CanonicalClaim, str]]:
        """Yield the claims that waited, each with the address that it gets; that address may be taken already."""
        taken = frozenset(self._taken_addresses)
        for claim in self._deferred:
            claimed, source_url = claim.page.address, claim.page.came_from
            if not await self._is_acceptable(claim.page):
                yield claim, source_url
            elif claimed in self._requested_urls and _without_scheme(claimed) not in taken:
                yield claim, source_url  # it was asked for and is no document, or belongs elsewhere itself
            else:
                yield claim, claimed

    async def _is_acceptable(self, page: CachedPage) -> bool:
        """Return True where the claimed address could be one of this source: of the page's own server, and allowed
        there."""
        claimed, source_url = page.address, page.came_from
        if url_host(claimed) != url_host(source_url) or not (
            self._scope.is_named(claimed) or self._scope.is_in_scope(claimed)
        ):
            return False
        return await self._fetcher.is_allowed(url_origin(source_url) + claimed[len(url_origin(claimed)) :])


def _without_scheme(address: str) -> str:
    """Return the address without its scheme: it is the same with and without TLS."""
    return address.partition("://")[2]


MAX_WEB_PAGE_BYTES = 20_000_000
_MAX_HELD_BYTES = 50_000_000
"""Bytes of pages that are held until they are read; others are fetched again when it is their turn."""
MAX_LINK_CHARACTERS = 50_000_000
"""Characters of the links that are cached, which a crawl follows in the next sync."""
_MAX_FAILURES = 5
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
        self.down = self.in_a_row >= _MAX_FAILURES or bool(error.retry_after)


class WebSource:
    """The pages within `scope`; at most `max_pages` are requested. robots.txt, `noindex` and `nofollow` are obeyed. A
    page is one document, under its canonical address where `CanonicalClaims` accepts it. A page that answers with 4xx
    is gone; pages that do not come keep their cached state."""

    def __init__(
        self,
        name: str,
        fetcher: Fetcher,
        cache: SourceCache,
        reader: FileReader,
        scope: CrawlScope,
        *,
        max_pages: int = 5000,
        pace: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = f"web:{name}"
        self._name = name
        self._cache = cache
        self._reader = reader
        self._scope = scope
        self._max_pages = max_pages
        self._fetcher = PoliteFetcher(fetcher, pace=pace, sleep=sleep)
        self._held: dict[str, FetchResponse] = {}
        self._held_bytes = 0

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield every page, each requested once, and not sent again while it is the same. Raise Unavailable, after the
        pages that came, for pages and sitemaps that did not, and where no page may be read; Refused for an invalid
        sitemap."""
        cached_pages = load_cached_pages(await self._cache.load())
        queue = deque(await self._scope.seed_urls(self._fetcher, self._reader, self._max_pages))
        known_urls, claims, links, any_gone = set(queue), CanonicalClaims(self._scope, self._fetcher), 0, False
        changes: dict[str, str | None] = {}
        misses = _Misses()
        try:
            for _ in range(self._max_pages):
                if not queue or misses.down:
                    break
                url = queue.popleft()
                page, problem = await self._load_page(url, cached_pages.get(url), misses)
                new_links = [link for link in page.links if link not in known_urls] if page else []
                new_links = new_links[: max(self._max_pages - len(known_urls), 0)]
                links += sum(map(len, page.links)) if page else 0
                if page and links > MAX_LINK_CHARACTERS:
                    page = page.invalidated
                if page != cached_pages.get(url):
                    changes |= cached_page_entry(url, page)
                known_urls.update(new_links)
                queue.extend(new_links)
                any_gone = any_gone or (page is None and not problem)
                if claims.defer(url, page, problem):
                    continue
                if (item := build_page_item(self._name, url, page, problem)) and claims.claim_address(item.address):
                    yield item
            async for claim, address in claims.resolve():
                page = replace(claim.page, address=address)
                if (
                    item := build_page_item(self._name, claim.requested_url, page, claim.problem)
                ) and claims.claim_address(item.address):
                    yield item
            if misses.first:
                raise misses.first
            if any_gone and claims.is_empty:
                message, remedy = (
                    "allows no page to be read",
                    "Look whether it asks for a login, and at its robots.txt.",
                )
                raise Unavailable(url_host(url), message, permanent=True, denied=True, what_to_do=remedy)
            changes |= {
                cache_key: entry
                for page in cached_pages.keys() - known_urls
                for cache_key, entry in cached_page_entry(page, None).items()
            }
        finally:
            await self._cache.update(changes)

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item of `list_items()`. Raise Refused; Unavailable when it has to be fetched again and does not
        come."""
        if not isinstance(item, WebPageItem):
            raise TypeError("not an item of this source")
        if item.problem:
            raise Refused(item.problem)
        fetched = self._held.pop(item.requested_url, None)
        if fetched is None:
            fetched = await self._fetcher.get(item.requested_url, max_bytes=MAX_WEB_PAGE_BYTES)
        else:
            self._held_bytes -= len(fetched.body)
        if fetched.status != 200:
            raise Refused(f"the page answers with status {fetched.status}")
        return await read_web_document(self._reader, self.name, item, fetched)

    async def _load_page(self, url: str, cached: CachedPage | None, misses: _Misses) -> tuple[CachedPage | None, str]:
        """Return the page as it is now, or as cached when it does not come; and why it cannot be taken."""
        try:
            page = await self._fetch_page(url, cached)
        except Refused as error:
            return cached, f"{error}. {error.what_to_do}".rstrip(" .")
        except Unavailable as error:
            misses.count(error)
            return cached, ""
        misses.in_a_row = 0
        return page, ""

    async def _fetch_page(self, url: str, cached: CachedPage | None) -> CachedPage | None:
        """Return the page as it is now; None when there is none to take. Raise Refused with the reason why it cannot be
        taken though the operator named it."""
        is_named = self._scope.is_named(url)
        if not await self._fetcher.is_allowed(url):
            if is_named:
                raise Refused("the robots.txt of its site forbids it")
            return None
        fetched = await self._fetcher.get(
            url, cached.conditional_headers if cached else {}, max_bytes=MAX_WEB_PAGE_BYTES
        )
        if cached and fetched.status == 304:
            if normalize_url(fetched.url) == cached.came_from:
                return cached
            fetched = await self._fetcher.get(url, max_bytes=MAX_WEB_PAGE_BYTES)
        if self._scope.crawls and is_named and fetched.status != 200:
            message = f"the page to start from answers with status {fetched.status}"
            raise Unavailable(
                url_host(url), message, denied=fetched.status in DENIED_STATUSES, what_to_do="Check `start`."
            )
        if fetched.status != 200:
            return None
        address = normalize_url(fetched.url)
        if address != url:
            if self._scope.crawls and is_named and not self._scope.is_in_scope(address):
                raise Refused(f"it leads to {address}", what_to_do="Start from there, or give a prefix.")
            if not (is_named or self._scope.is_in_scope(address)) or not await self._fetcher.is_allowed(address):
                return None
        return await self._to_cached_page(url, address, fetched)

    async def _to_cached_page(self, url: str, address: str, fetched: FetchResponse) -> CachedPage:
        is_page = parse_content_type(fetched)[0] in HTML_TYPES
        robots_tag = fetched.headers.get("x-robots-tag", "")
        page_links = await self._reader.read_page_links(fetched.body) if is_page else PageLinks()
        head = await asyncio.to_thread(build_page_head, address, page_links, robots_tag)
        if head.is_indexable and (is_page or readable_file_name(address, parse_content_type(fetched)[0])):
            self._hold(url, fetched)
            version = hashlib.sha256(fetched.body).hexdigest()
        else:
            version = ""
        return CachedPage(
            address=head.canonical or address,
            came_from=address,
            version=version,
            links=tuple(filter(self._scope.is_in_scope, head.links))
            if self._scope.crawls and head.is_followable
            else (),
            etag=fetched.headers.get("etag", ""),
            modified=fetched.headers.get("last-modified", ""),
        )

    def _hold(self, url: str, fetched: FetchResponse) -> None:
        if self._held_bytes + len(fetched.body) <= _MAX_HELD_BYTES:
            self._held[url] = fetched
            self._held_bytes += len(fetched.body)
