"""Addresses of pages: one way to write each."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit, urlunsplit

_LONGEST = 2_048
"""Characters, as of the addresses in sitemaps."""
_DEFAULT_PORTS = {"http": 80, "https": 443}


def absolute(link: str, base: str = "") -> str:
    """`link`, which stands on the page `base`, as the address of a page: without fragment, default port and `..`.
    Empty when it leads to no page of a web server, or is longer than addresses are."""
    if len(link) > _LONGEST:
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
    return urlunsplit((parts.scheme, host, urljoin("/", parts.path) or "/", parts.query, ""))


def origin(address: str) -> str:
    """Scheme, host and port: `https://docs.example`."""
    return "/".join(address.split("/", 3)[:3])


def netloc(address: str) -> str:
    """Host and port, where it is not the usual one."""
    return urlsplit(address).netloc


def folder(address: str) -> str:
    """What the addresses beside it begin with."""
    path = address.partition("?")[0]
    return path[: path.rindex("/") + 1]
