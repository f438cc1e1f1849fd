"""Origin of a request: its Host header, whether a browser sent it for another site, and whether it comes from the
machine itself."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import URLPath
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

# --- Host names -----------------------------------------------------------------------------------

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names of the machine itself in a Host header. A browser that was led here under another name acts for somebody
else."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[0-9a-z](?:[0-9a-z._-]*[0-9a-z])?)(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
_ADDRESS = re.compile(r"\[.+\]|[0-9]+(?:\.[0-9]+){3}", re.ASCII)

RefusalCheck = Callable[[Request], str]
"""Returns the reason why a request is refused; empty where it is answered."""


def request_host(request: Request) -> str:
    """Return the name in the raw Host header, in lower case and without the port.
    Empty where the header is missing, repeated or no host: `request.url` has the listener's own address then."""
    hosts = request.headers.getlist("host")
    match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
    return match[1].lower() if match else ""


def is_private_host(name: str, allowed: Collection[str] = ()) -> bool:
    """Return True for a name that no website can have: an address, a name without a dot, or one of `allowed`.
    A site that points its own name here (DNS rebinding) sends that name."""
    return name in allowed or bool(_ADDRESS.fullmatch(name)) or bool(name and "." not in name)


def is_cross_site(request: Request) -> bool:
    """Return True where the browser says that a page of another origin asks for this (Fetch Metadata)."""
    return request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


def is_navigation(request: Request) -> bool:
    """Return True where somebody followed a link, which shows its target to them alone."""
    return request.method == "GET" and request.headers.get("sec-fetch-mode") == "navigate"


class _GuardedRoute(BaseRoute):
    def __init__(self, route: BaseRoute, refusal: RefusalCheck) -> None:
        self._route = route
        self._refusal = refusal

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return self._route.matches(scope)

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        return self._route.url_path_for(name, **path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if reason := self._refusal(Request(scope)):
            await PlainTextResponse(reason, 403)(scope, receive, send)
        else:
            await self._route.handle(scope, receive, send)


def guard_routes(routes: Sequence[BaseRoute], refusal: RefusalCheck) -> list[BaseRoute]:
    """Wrap routes so that they answer 403 where `refusal` gives a reason."""
    return [_GuardedRoute(route, refusal) for route in routes]


# --- The operator at the machine, who proves it by the secret of this start -----------------------

FORWARDING_HEADERS = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""Headers that most proxies add to the requests they forward. A proxy that adds none is told apart by the secret
alone."""
LINKS_PATH = "/s/"
"""The path of links to sources, which people follow from chat: each carries its own proof, and shows nothing of the
operator's."""


def is_loopback(address: str) -> bool:
    """Return True where a listener (`HOST:PORT`), or an address that people open, is this machine's own."""
    name = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    return name in LOOPBACK_HOSTS or f"[{name}]" in LOOPBACK_HOSTS


class LocalOperator:
    """The operator of a machine where nobody signs in: a local caller with the secret of this start."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(24)
        """192 random bits in the link that is printed for the operator; new with each start."""
        self.cookie = hmac.new(self.secret.encode(), b"cookie", hashlib.sha256).hexdigest()
        """The proof that the browser keeps. A browser sends the cookies of a host to all its ports, so it is not the
        key itself."""

    def is_valid_secret(self, request: Request, secret: str) -> bool:
        """Return True where `secret` is right and the request comes from the machine."""
        return _is_local(request) and _is_equal(secret, self.secret)

    def is_valid_cookie(self, request: Request, cookie: str) -> bool:
        """Return True where `cookie` is right and the request comes from the machine."""
        return _is_local(request) and _is_equal(cookie, self.cookie)

    def refusal_reason(self, request: Request) -> str:
        """Return why a request is refused, whoever sent it: a page of another site asks for it. Empty where it is
        not."""
        if is_cross_site(request) and not (is_navigation(request) and request.scope["path"].startswith(LINKS_PATH)):
            return "Another website asked for this. Open Citewell by its own address.\n"
        return ""


def _is_local(request: Request) -> bool:
    """Return True for a request under the machine's own name that no proxy claims to have forwarded and no page of
    another site sent."""
    origin = request.headers.get("origin")
    is_same_origin = origin is None or origin == f"http://{request.headers.get('host', '')}"
    forwarded = any(name in request.headers for name in FORWARDING_HEADERS)
    return request_host(request) in LOOPBACK_HOSTS and not forwarded and is_same_origin and not is_cross_site(request)


def _is_equal(value: str, expected: str) -> bool:
    return hmac.compare_digest(value.encode("utf-8", "replace"), expected.encode())
