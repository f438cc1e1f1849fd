"""Pages that name another address as their own (`rel=canonical`), and which of them are believed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple

from adapters.sources.web.addresses import netloc, origin
from adapters.sources.web.coverage import Coverage
from adapters.sources.web.known import Known
from adapters.sources.web.site import Site


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
