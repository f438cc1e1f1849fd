"""Addresses of pages: their normalization, and the canonical address and robots rules that a page gives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from adapters.files.content import NOFOLLOW_WORDS, NOINDEX_WORDS, ROBOTS_AGENT, PageLinks, parse_robots

# --- Normalization --------------------------------------------------------------------------------

_MAX_URL_CHARS = 2_048
"""Characters of a URL, as in sitemaps."""
_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNRESERVED = re.compile(r"%(?:2[de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)", re.IGNORECASE)
"""Characters whose escapes are decoded (RFC 3986, 6.2.2.2): letters, digits, `-`, `.`, `_`, `~`."""
_SLASHES = re.compile(r"[/\\]")


def normalize_url(link: str, base: str = "") -> str:
    """Return `link`, which stands on the page `base`, as the address of a page: without fragment, default port and
    `..`. Empty when it leads to no page of a web server, is too long, or holds an escaped `..`, which some servers
    resolve and others do not: it could then lie below any path."""
    if len(link) > _MAX_URL_CHARS:
        return ""
    try:
        parts = urlsplit(urljoin(base, link.strip()))
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username or parts.password:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    host += f":{port}" if port not in (None, _DEFAULT_PORTS[parts.scheme]) else ""
    path = urljoin("/", _UNRESERVED.sub(lambda match: unquote(match[0]), parts.path)) or "/"
    if ".." in _SLASHES.split(unquote(path)):
        return ""
    return urlunsplit((parts.scheme, host, path, parts.query, ""))


def is_below(address: str, prefix: str) -> bool:
    """Return True where `address` is `prefix`, or continues it at the end of a path segment or of a query parameter;
    every address is below an empty prefix."""
    if not address.startswith(prefix):
        return False
    rest = address[len(prefix) :]
    return (
        not (rest and prefix)
        or prefix.endswith(("/", "?", "&", "="))
        or rest.startswith("&" if "?" in prefix else ("/", "?"))
    )


def url_origin(address: str) -> str:
    """Return scheme, host and port: `https://docs.example`."""
    return "/".join(address.split("/", 3)[:3])


def url_host(address: str) -> str:
    """Return the host, and the port where it is not the usual one."""
    return urlsplit(address).netloc


def parent_url(address: str) -> str:
    """Return the prefix that the address shares with those beside it."""
    path = address.partition("?")[0]
    return path[: path.rindex("/") + 1]


# --- Links, canonical address and robots rules of a page ------------------------------------------


@dataclass(frozen=True)
class PageHead:
    """Links, canonical address and robots rules of a page."""

    links: tuple[str, ...]
    """Addresses of the pages that it links to, in order."""
    canonical: str
    is_indexable: bool
    is_followable: bool


def build_page_head(address: str, page_links: PageLinks, robots_tag: str = "") -> PageHead:
    """Return the links and rules of the page at `address`, from its HTML and its X-Robots-Tag header."""
    base = normalize_url(page_links.base_url, address) if page_links.base_url else ""
    robots = page_links.robots
    for rules in robots_tag.split(","):
        name, separator, rest = rules.partition(":")
        if not separator or name.strip().lower() == ROBOTS_AGENT:
            robots |= parse_robots(rest if separator else rules)
    return PageHead(
        links=normalize_links(page_links.links, base or address),
        canonical=normalize_url(page_links.canonical, address) if page_links.canonical else "",
        is_indexable=not robots & NOINDEX_WORDS,
        is_followable=not robots & NOFOLLOW_WORDS,
    )


def normalize_links(links: tuple[str, ...], base: str = "") -> tuple[str, ...]:
    """Return the links that lead to a page of a web server, without duplicates."""
    return tuple(dict.fromkeys(filter(None, (normalize_url(link, base) for link in links))))
