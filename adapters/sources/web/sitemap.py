"""Sitemaps (sitemaps.org): which pages a site has."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from adapters.sources.web.addresses import absolute
from pipeline.errors import Refused

MOST_BYTES = 50_000_000
_MOST_ADDRESSES = 50_000
"""The most that the protocol allows."""
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Sitemap:
    pages: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    """Sitemaps that this index names."""


def read_sitemap(body: bytes) -> Sitemap:
    """XML or one address a line, gzipped or not. Raises Refused for what is none."""
    if body.startswith(_GZIP):
        body = _unpacked(body)
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return Sitemap(_addresses(line.decode("utf-8", "replace") for line in io.BytesIO(body)))
    try:
        _, root = next(_parsed(body, event="start"))
        found = _addresses(location.text or "" for _, location in _parsed(body, event="end", tag="{*}loc"))
    except etree.XMLSyntaxError as error:
        raise _refused() from error
    match etree.QName(root).localname:
        case "urlset":
            return Sitemap(found)
        case "sitemapindex":
            return Sitemap(more=found)
    raise _refused()


def _parsed(body: bytes, *, event: str, tag: str | None = None) -> Iterator[tuple[str, etree._Element]]:
    """As far as it is asked for."""
    safe = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
    return iter(etree.iterparse(io.BytesIO(body), events=(event,), tag=tag, **safe))


def _addresses(said: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(absolute, islice(said, _MOST_ADDRESSES)))))


def _unpacked(body: bytes) -> bytes:
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        found = unpacking.decompress(body, MOST_BYTES)
    except zlib.error as error:
        raise _refused() from error
    if unpacking.unconsumed_tail:
        raise Refused(f"the sitemap is larger than {MOST_BYTES // 1_000_000} MB")
    return found


def _refused() -> Refused:
    return Refused("that is no sitemap", what_to_do="Give the address of a sitemap, or of a page to start from.")
