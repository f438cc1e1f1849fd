"""Under which name a request was sent, and whether a browser sent it for another site."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from starlette.datastructures import URLPath
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""What the machine calls itself in a Host header: a browser that was led here under another name acts for somebody
else."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[0-9a-z](?:[0-9a-z._-]*[0-9a-z])?)(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
_ADDRESS = re.compile(r"\[.+\]|[0-9]+(?:\.[0-9]+){3}", re.ASCII)

Refusal = Callable[[Request], str]
"""Says why a request is not answered; nothing where it is."""


def host(request: Request) -> str:
    """Return the name in the raw Host header, in lower case and without the port.

    Empty where there is none, more than one, or what is no host: `request.url` has the listener's own address then."""
    given = request.headers.getlist("host")
    read = _HOST.fullmatch(given[0]) if len(given) == 1 else None
    return read[1].lower() if read else ""


def private(name: str, allowed: Collection[str] = ()) -> bool:
    """Whether no website can have this name: an address, a name without a dot, or one of `allowed`.

    A site that points its own name here (DNS rebinding) sends that name."""
    return name in allowed or bool(_ADDRESS.fullmatch(name)) or bool(name and "." not in name)


def from_another_site(request: Request) -> bool:
    """Whether a browser says that a page of another origin asks for this (Fetch Metadata)."""
    return request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


def navigates(request: Request) -> bool:
    """Whether somebody followed a link, which shows its target to them alone."""
    return request.method == "GET" and request.headers.get("sec-fetch-mode") == "navigate"


class _GuardedRoute(BaseRoute):
    def __init__(self, route: BaseRoute, refusal: Refusal) -> None:
        self._route = route
        self._refusal = refusal

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return self._route.matches(scope)

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        return self._route.url_path_for(name, **path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if why := self._refusal(Request(scope)):
            await PlainTextResponse(why, 403)(scope, receive, send)
        else:
            await self._route.handle(scope, receive, send)


def guarded(routes: Sequence[BaseRoute], refusal: Refusal) -> list[BaseRoute]:
    """The same routes, which answer 403 where `refusal` says why."""
    return [_GuardedRoute(route, refusal) for route in routes]
