"""Whoever is at the machine, where the page listens on loopback alone and nobody signs in: the operator."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection
from functools import cached_property

from starlette.requests import Request

from adapters.web.visitor import Visitor
from pipeline.rules.access import OPERATOR
from pipeline.values import Actor, Readers

NAMES = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
"""What the machine calls itself: a browser that was led here under another name acts for somebody else."""
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host")
"""Someone else's requests, handed on by a proxy."""


class AtTheMachine:
    """The port `Visitors` without sign-in."""

    def __init__(self, names: Collection[str] = NAMES) -> None:
        self._names = names

    @cached_property
    def _csrf(self) -> str:
        return secrets.token_urlsafe(24)

    async def visitor(self, request: Request) -> Visitor | None:
        if request.url.hostname not in self._names or any(name in request.headers for name in FORWARDED):
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

    def checked(self, visitor: Visitor, given: str, request: Request) -> bool:
        return hmac.compare_digest(visitor.csrf.encode(), given.encode())
