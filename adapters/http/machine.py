"""Whether somebody calls from the machine itself: nobody was led here, and nothing was handed on."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
"""What the machine calls itself: a browser that was led here under another name acts for somebody else."""
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host")
"""Someone else's requests, handed on by a proxy."""


def loopback(address: str) -> bool:
    """Whether a listener (`HOST:PORT`), or an address that people open, is this machine's own."""
    return (urlsplit(address if "//" in address else f"//{address}").hostname or "") in NAMES


def at_the_machine(request: Request) -> bool:
    """By the names that the request gives; a page of another site may send one, but says so in `Origin`."""
    origin = request.headers.get("origin")
    ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    return ours and request.url.hostname in NAMES and not any(name in request.headers for name in FORWARDED)
