"""Where a page and a sitemap lead, whom a page names, and what it says to robots."""

from __future__ import annotations

from pipeline.values import Value

ROBOT = "citewell"
MOST_SITEMAP_BYTES = 50_000_000
"""Unpacked: the most that the protocol allows (sitemaps.org)."""
HIDING = frozenset({"noindex", "none"})
ENDING = frozenset({"nofollow", "none"})
"""Words to robots by which a page is not to be taken, and its links are not to be followed."""


class Leads(Value):
    """Addresses as they are written there."""

    links: tuple[str, ...] = ()
    """Those of a page that may be followed; of a sitemap the pages, or with `more` other sitemaps."""
    more: bool = False
    base: str = ""
    canonical: str = ""
    robots: frozenset[str] = frozenset()
    """Of the words of HIDING and ENDING."""
    people: frozenset[str] = frozenset()
    """Account ids and user keys of those that a page of Confluence names."""


def to_robots(text: str | None) -> frozenset[str]:
    """The words of HIDING and ENDING in a robots meta element or an X-Robots-Tag header."""
    return frozenset((HIDING | ENDING) & words((text or "").replace(",", " ")))


def words(text: str | None) -> set[str]:
    """Of an attribute that holds several."""
    return set((text or "").lower().split())
