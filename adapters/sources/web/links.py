"""What a page says of itself and of others, as addresses: links, its canonical address, what robots may do."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.files.outline import ENDING, HIDING, ROBOT, Leads, to_robots
from adapters.sources.web.addresses import absolute


@dataclass(frozen=True)
class PageHead:
    links: tuple[str, ...]
    """Addresses of the pages that it leads to, in order."""
    canonical: str
    index: bool
    follow: bool


def head_of(address: str, said: Leads, robots_tag: str = "") -> PageHead:
    """What the page at `address` says, in itself and in its X-Robots-Tag header."""
    base = absolute(said.base, address) if said.base else ""
    robots = said.robots
    for rules in robots_tag.split(","):
        name, separator, rest = rules.partition(":")
        if not separator or name.strip().lower() == ROBOT:
            robots |= to_robots(rest if separator else rules)
    return PageHead(
        links=addresses(said.links, base or address),
        canonical=absolute(said.canonical, address) if said.canonical else "",
        index=not robots & HIDING,
        follow=not robots & ENDING,
    )


def addresses(links: tuple[str, ...], base: str = "") -> tuple[str, ...]:
    """Those that lead to a page of a web server, each once."""
    return tuple(dict.fromkeys(filter(None, (absolute(link, base) for link in links))))
