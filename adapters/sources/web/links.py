"""What a page says of itself and of others: links, its canonical address, what robots may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from adapters.sources.web.addresses import absolute

ROBOT = "citewell"
MOST_LINKS = 10_000
"""Of one page that are followed."""


@dataclass
class PageHead:
    """Read as the page comes by, without keeping it."""

    address: str
    links: dict[str, None] = field(default_factory=dict)
    """Addresses of the pages that it leads to, in order."""
    canonical: str = ""
    index: bool = True
    follow: bool = True

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        match tag:
            case "a" | "area" if len(self.links) < MOST_LINKS and "nofollow" not in _words(attributes.get("rel")):
                self.links.setdefault(absolute(attributes.get("href", ""), self._base or self.address))
            case "base" if not self._base:
                self._base = absolute(attributes.get("href", ""), self.address)
            case "link" if "canonical" in _words(attributes.get("rel")):
                self.canonical = absolute(attributes.get("href", ""), self.address)
            case "meta" if attributes.get("name", "").lower() in ("robots", ROBOT):
                self.obey(attributes.get("content", ""))

    def close(self) -> None:
        self.links.pop("", None)

    def obey(self, rules: str) -> None:
        """Those of a robots meta element or an X-Robots-Tag header."""
        said = _words(rules.replace(",", " "))
        self.index = self.index and not {"noindex", "none"} & said
        self.follow = self.follow and not {"nofollow", "none"} & said

    _base: str = ""


def read_head(address: str, body: bytes, robots_tag: str = "") -> PageHead:
    """What the page at `address` says."""
    found = PageHead(address)
    for rules in robots_tag.split(","):
        name, separator, rest = rules.partition(":")
        if not separator or name.strip().lower() == ROBOT:
            found.obey(rest if separator else rules)
    target: Any = found
    parser = etree.HTMLParser(target=target)
    parser.feed(body or b" ")
    parser.close()
    return found


def _words(text: str | None) -> set[str]:
    return set((text or "").lower().split())
