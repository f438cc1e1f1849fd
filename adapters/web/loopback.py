"""Authentication where the page listens on loopback alone and nobody signs in: the person who opened the link of this
start is the operator."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from functools import cached_property

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from adapters.http.hosts import LocalOperator
from adapters.web import pages
from adapters.web.context import Visitor
from adapters.web.forms import browser_translator
from adapters.web.guard import SIGN_IN
from adapters.web.wording import CLOSED_HERE
from pipeline.rules.access import OPERATOR
from pipeline.values import Actor, Readers

OPEN_PATH = "/open"


class LoopbackAuthenticator:
    """The port `WebAuthenticator` without sign-in."""

    def __init__(self, machine: LocalOperator) -> None:
        self._machine = machine

    @cached_property
    def _csrf(self) -> str:
        return secrets.token_urlsafe(24)

    async def authenticate(self, request: Request) -> Visitor | None:
        if not self._machine.is_valid_cookie(request, request.cookies.get(_cookie(request), "")):
            return None
        return Visitor(
            person=OPERATOR,
            name="operator",
            readers=Readers(groups=frozenset({OPERATOR})),
            actor=Actor(person=OPERATOR),
            operator=True,
            csrf=self._csrf,
        )

    async def readers(self, person: str) -> Readers:
        inside = person == OPERATOR
        return Readers(groups=frozenset({OPERATOR} if inside else ()), external=not inside)

    def is_valid_csrf(self, visitor: Visitor, token: str, request: Request) -> bool:
        return hmac.compare_digest(visitor.csrf.encode(), token.encode("utf-8", "replace"))


def routes(machine: LocalOperator) -> Sequence[BaseRoute]:
    """Return the routes of the start link, and of the page that tells others to open it."""

    async def enter(request: Request) -> Response:
        """Set a strict cookie that proves that the browser's user opened the link."""
        if not machine.is_valid_secret(request, request.path_params["secret"]):
            return await closed(request)
        answer = pages.see_other("/")
        answer.set_cookie(_cookie(request), machine.cookie, path="/", httponly=True, samesite="strict")
        return answer

    async def closed(request: Request) -> Response:
        return pages.render_page(request, "why.html", None, browser_translator(request), status=403, said=CLOSED_HERE)

    return [Route(f"{OPEN_PATH}/{{secret}}", enter), Route(SIGN_IN, closed)]


def operator_link(address: str, machine: LocalOperator) -> str:
    """Return the link with which the operator opens the page."""
    return f"{address.rstrip('/')}{OPEN_PATH}/{machine.secret}"


def _cookie(request: Request) -> str:
    """Return the cookie's name, with the port in it: two of us on one machine do not overwrite each other's."""
    return f"citewell-{(request.scope.get('server') or ('', 0))[1]}"
