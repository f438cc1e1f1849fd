"""Whether somebody calls from the machine itself, and proves it by the secret of this start."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from urllib.parse import urlsplit

from starlette.requests import Request

from adapters.http.hosts import LOOPBACK, from_another_site, host, navigates

FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""What most proxies add to a request of somebody else's. One that adds nothing is told apart by the secret alone."""
LINKS = "/s/"
"""Links to sources, which people follow from chat: each proves itself, and shows nothing of the operator's."""


def loopback(address: str) -> bool:
    """Whether a listener (`HOST:PORT`), or an address that people open, is this machine's own."""
    name = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    return name in LOOPBACK or f"[{name}]" in LOOPBACK


class Machine:
    """The machine, where nobody signs in: whoever calls from it with the secret of this start is the operator."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(24)
        """192 random bits, which the operator is told in a link; another with each start."""
        self.cookie = hmac.new(self.secret.encode(), b"cookie", hashlib.sha256).hexdigest()
        """What the browser keeps of it. A browser sends the cookies of a host to all its ports, so it is no key."""

    def opens(self, request: Request, given: str) -> bool:
        """Whether `given` is the secret, and the request comes from the machine."""
        return _here(request) and _same(given, self.secret)

    def remembers(self, request: Request, given: str) -> bool:
        """Whether `given` is the cookie, and the request comes from the machine."""
        return _here(request) and _same(given, self.cookie)

    def refusal(self, request: Request) -> str:
        """Why a request is refused whoever sends it: a page of another site asks for it."""
        if from_another_site(request) and not (navigates(request) and request.scope["path"].startswith(LINKS)):
            return "Another website asked for this. Open Citewell by its own address.\n"
        return ""


def _here(request: Request) -> bool:
    """Under the machine's own name, handed on by no proxy that says so, and for no page of another site."""
    origin = request.headers.get("origin")
    ours = origin is None or origin == f"http://{request.headers.get('host', '')}"
    forwarded = any(name in request.headers for name in FORWARDED)
    return host(request) in LOOPBACK and not forwarded and ours and not from_another_site(request)


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())
