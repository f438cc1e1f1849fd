"""Pages of a web site as documents, and which of them are believed that name another address as their own
(`rel=canonical`)."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from adapters.fetch.fetcher import Fetched, Fetcher
from adapters.files.outline import Leads
from adapters.files.reader import Reader
from adapters.sources.web.addresses import absolute, head_of, netloc, origin
from adapters.sources.web.document import (
    PAGES,
    Known,
    PageItem,
    content_type,
    file_name,
    item_of,
    kept,
    read_document,
    recalled,
)
from adapters.sources.web.site import DENIED, Coverage, Site
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem, SourceMemory
from pipeline.values import Parsed


class Claim(NamedTuple):
    """A page that `asked` led to, and why it cannot be taken."""

    asked: str
    page: Known
    problem: str


class Claims:
    """They wait until every page has come: what an address says itself stands before what others say in its name."""

    def __init__(self, coverage: Coverage, site: Site) -> None:
        self._coverage = coverage
        self._site = site
        self._waiting: list[Claim] = []
        self._asked: set[str] = set()
        self._taken: set[str] = set()

    def wait(self, asked: str, page: Known | None, problem: str) -> bool:
        """Whether the page has to wait, as it claims an address."""
        self._asked |= {asked, page.came_from} if page else {asked}
        if page is None or page.address == page.came_from:
            return False
        self._waiting.append(Claim(asked, page, problem))
        return True

    def take(self, address: str) -> bool:
        """Whether no page has this address yet."""
        place = _place(address)
        free = place not in self._taken
        self._taken.add(place)
        return free

    @property
    def nothing_taken(self) -> bool:
        return not self._taken

    async def settled(self) -> AsyncIterator[tuple[Claim, str]]:
        """Those that waited, each with the address that it is to have; it may be taken already."""
        spoken = frozenset(self._taken)
        for claim in self._waiting:
            claimed, own = claim.page.address, claim.page.came_from
            if not await self._may(claim.page):
                yield claim, own
            elif claimed in self._asked and _place(claimed) not in spoken:
                yield claim, own  # it was asked for and is no document, or belongs elsewhere itself
            else:
                yield claim, claimed

    async def _may(self, page: Known) -> bool:
        """Whether the address could be one of this source: of the page's own server, and open to us there."""
        claimed, own = page.address, page.came_from
        if netloc(claimed) != netloc(own) or not (self._coverage.names(claimed) or self._coverage.holds(claimed)):
            return False
        return await self._site.allows(origin(own) + claimed[len(origin(claimed)) :])


def _place(address: str) -> str:
    """The same with and without TLS."""
    return address.partition("://")[2]


MOST_PAGE_BYTES = 20_000_000
_HELD_BYTES = 50_000_000
"""Of pages that came and were not read yet; others are asked for again when it is their turn."""
LINKS_CHARACTERS = 50_000_000
"""Of the links that are kept until the next look, which a crawl follows then."""
_FAILURES = 5
"""Pages in a row that do not come: the site is down."""


@dataclass
class _Misses:
    """Pages that did not come."""

    first: Unavailable | None = None
    in_a_row: int = 0
    down: bool = False
    """It is of no use to ask for more now."""

    def count(self, error: Unavailable) -> None:
        self.first = self.first or error
        self.in_a_row += 1
        self.down = self.in_a_row >= _FAILURES or bool(error.retry_after)


class WebSource:
    """The pages within `coverage`; at most `max_pages` are asked for.

    robots.txt, `noindex` and `nofollow` are obeyed. A page is one document, under its canonical address where `Claims`
    believes it. One that answers with 4xx is gone; when others do not come, what is known of them is kept.
    """

    def __init__(
        self,
        name: str,
        fetcher: Fetcher,
        memory: SourceMemory,
        reader: Reader,
        coverage: Coverage,
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
        self._site = Site(fetcher, pace=pace, sleep=sleep)
        self._held: dict[str, Fetched] = {}
        self._held_bytes = 0

    async def items(self) -> AsyncIterator[SourceItem]:
        """Every page, each asked for once, and not sent again while it is the same. Raises Unavailable, after those
        that came, for pages and sitemaps that did not, and where nothing of what there is may be read; Refused for a
        sitemap that is none."""
        known = recalled(await self._memory.recall())
        waiting = deque(await self._coverage.first(self._site, self._reader, self._max_pages))
        seen, claims, links, gone = set(waiting), Claims(self._coverage, self._site), 0, False
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
                if page and links > LINKS_CHARACTERS:
                    page = page.to_ask_again
                if page != known.get(asked):
                    changes |= kept(asked, page)
                seen.update(new)
                waiting.extend(new)
                gone = gone or (page is None and not problem)
                if claims.wait(asked, page, problem):
                    continue
                if (item := item_of(self._name, asked, page, problem)) and claims.take(item.address):
                    yield item
            async for claim, address in claims.settled():
                page = replace(claim.page, address=address)
                if (item := item_of(self._name, claim.asked, page, claim.problem)) and claims.take(item.address):
                    yield item
            if misses.first:
                raise misses.first
            if gone and claims.nothing_taken:
                said, todo = "lets no page be read", "Look whether it asks for a login, and at its robots.txt."
                raise Unavailable(netloc(asked), said, permanent=True, denied=True, what_to_do=todo)
            changes |= {key: said for page in known.keys() - seen for key, said in kept(page, None).items()}
        finally:
            await self._memory.keep(changes)

    async def parse(self, item: SourceItem) -> Parsed:
        """Read one of `items()`. Raises Refused; Unavailable when it has to be asked for again and does not come."""
        if not isinstance(item, PageItem):
            raise TypeError("not an item of this source")
        if item.problem:
            raise Refused(item.problem)
        fetched = self._held.pop(item.asked, None)
        if fetched is None:
            fetched = await self._site.get(item.asked, most=MOST_PAGE_BYTES)
        else:
            self._held_bytes -= len(fetched.body)
        if fetched.status != 200:
            raise Refused(f"the page answers with status {fetched.status}")
        return await read_document(self._reader, self.name, item, fetched)

    async def _now(self, asked: str, before: Known | None, misses: _Misses) -> tuple[Known | None, str]:
        """The page as it is now, or as it was when it does not come; and why it cannot be taken."""
        try:
            page = await self._look(asked, before)
        except Refused as error:
            return before, f"{error}. {error.what_to_do}".rstrip(" .")
        except Unavailable as error:
            misses.count(error)
            return before, ""
        misses.in_a_row = 0
        return page, ""

    async def _look(self, asked: str, before: Known | None) -> Known | None:
        """The page as it is now; None when there is none to take. Raises Refused with the reason why it cannot be taken
        though the operator named it."""
        named = self._coverage.names(asked)
        if not await self._site.allows(asked):
            if named:
                raise Refused("the robots.txt of its site forbids it")
            return None
        fetched = await self._site.get(asked, before.conditions if before else {}, most=MOST_PAGE_BYTES)
        if before and fetched.status == 304:
            if absolute(fetched.url) == before.came_from:
                return before
            fetched = await self._site.get(asked, most=MOST_PAGE_BYTES)
        if self._coverage.crawls and named and fetched.status != 200:
            said = f"the page to start from answers with status {fetched.status}"
            raise Unavailable(netloc(asked), said, denied=fetched.status in DENIED, what_to_do="Check `start`.")
        if fetched.status != 200:
            return None
        address = absolute(fetched.url)
        if address != asked:
            if self._coverage.crawls and named and not self._coverage.holds(address):
                raise Refused(f"it leads to {address}", what_to_do="Start from there, or give a prefix.")
            if not (named or self._coverage.holds(address)) or not await self._site.allows(address):
                return None
        return await self._known(asked, address, fetched)

    async def _known(self, asked: str, address: str, fetched: Fetched) -> Known:
        is_page = content_type(fetched)[0] in PAGES
        said = fetched.headers.get("x-robots-tag", "")
        leads = await self._reader.read_head(fetched.body) if is_page else Leads()
        head = await asyncio.to_thread(head_of, address, leads, said)
        if head.index and (is_page or file_name(address, content_type(fetched)[0])):
            self._hold(asked, fetched)
            version = hashlib.sha256(fetched.body).hexdigest()
        else:
            version = ""
        return Known(
            address=head.canonical or address,
            came_from=address,
            version=version,
            links=tuple(filter(self._coverage.holds, head.links)) if self._coverage.crawls and head.follow else (),
            etag=fetched.headers.get("etag", ""),
            modified=fetched.headers.get("last-modified", ""),
        )

    def _hold(self, asked: str, fetched: Fetched) -> None:
        if self._held_bytes + len(fetched.body) <= _HELD_BYTES:
            self._held[asked] = fetched
            self._held_bytes += len(fetched.body)
