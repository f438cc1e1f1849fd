"""The links of pages and sitemaps (sitemaps.org). Both are parsed as a stream, without keeping them."""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from adapters.files.content import MAX_SITEMAP_BYTES, ROBOTS_AGENT, PageLinks, attribute_words, parse_robots
from pipeline.errors import Refused

MAX_LINKS = 10_000
"""Links of one page that are followed."""
MAX_SITEMAP_URLS = 50_000
"""Addresses of one sitemap: the limit of the protocol."""
MAX_PAGE_LINK_LENGTH = 2_048
"""Characters of an address. Longer ones are left out, as in sitemaps."""
_PIECE = 65_536
"""Bytes fed at once: the parser takes no more than 10 MB in one piece."""
_GZIP = b"\x1f\x8b"


def read_html_links(content: bytes) -> PageLinks:
    """Return the links of a page and its statements about itself."""
    target = _Page()
    parser = etree.HTMLParser(target=_as_target(target))
    parser.feed(content or b" ")
    parser.close()
    return PageLinks(links=tuple(target.links), base_url=target.base, canonical=target.canonical, robots=target.robots)


def read_sitemap(content: bytes) -> PageLinks:
    """Read XML or one address a line, gzipped or not. Raises Refused where it is no sitemap, and above
    MAX_SITEMAP_BYTES."""
    if content.startswith(_GZIP):
        content = _unpack_gzip(content)
    target = _Sitemap()
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        for line in io.BytesIO(content):
            target.add(line.decode("utf-8", "replace"))
        return PageLinks(links=tuple(target.links))
    parser = etree.XMLParser(
        target=_as_target(target), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for start in range(0, len(content), _PIECE):
            parser.feed(content[start : start + _PIECE])
        parser.close()
    except etree.XMLSyntaxError as error:
        raise _no_sitemap_error() from error
    if target.root not in ("urlset", "sitemapindex"):
        raise _no_sitemap_error()
    return PageLinks(links=tuple(target.links), is_sitemap_index=target.root == "sitemapindex")


@dataclass
class _Page:
    """Target of lxml's parser for a page."""

    links: dict[str, None] = field(default_factory=dict)
    base: str = ""
    canonical: str = ""
    robots: frozenset[str] = frozenset()

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        address = attributes.get("href", "").strip()
        address = address if len(address) <= MAX_PAGE_LINK_LENGTH else ""
        match tag:
            case "a" | "area" if len(self.links) < MAX_LINKS and "nofollow" not in attribute_words(
                attributes.get("rel")
            ):
                self.links.setdefault(address)
            case "base" if not self.base:
                self.base = address
            case "link" if "canonical" in attribute_words(attributes.get("rel")):
                self.canonical = address
            case "meta" if attributes.get("name", "").lower() in ("robots", ROBOTS_AGENT):
                self.robots |= parse_robots(attributes.get("content"))

    def close(self) -> None:
        self.links.pop("", None)


@dataclass
class _Sitemap:
    """Target of lxml's parser for a sitemap."""

    links: dict[str, None] = field(default_factory=dict)
    root: str = ""
    text: list[str] | None = None
    """Text of the address that is being parsed."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = etree.QName(tag).localname
        self.root = self.root or name
        self.text = [] if name == "loc" else None

    def data(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def end(self, tag: str) -> None:
        self.add("".join(self.text or ()))
        self.text = None

    def close(self) -> None: ...

    def add(self, text: str) -> None:
        """Add an address, if it is one and there is room."""
        address = text.strip()
        if 0 < len(address) <= MAX_PAGE_LINK_LENGTH and len(self.links) < MAX_SITEMAP_URLS:
            self.links.setdefault(address)


def _as_target(target: _Page | _Sitemap) -> Any:
    """Return the target with a type that lxml's stubs accept."""
    return target


def _unpack_gzip(content: bytes) -> bytes:
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        data = unpacking.decompress(content, MAX_SITEMAP_BYTES)
    except zlib.error as error:
        raise _no_sitemap_error() from error
    if unpacking.unconsumed_tail:
        raise Refused(f"the sitemap is larger than {MAX_SITEMAP_BYTES // 1_000_000} MB")
    return data


def _no_sitemap_error() -> Refused:
    return Refused("that is no sitemap", what_to_do="Give the address of a sitemap, or of a page to start from.")
