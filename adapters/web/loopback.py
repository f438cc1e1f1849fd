"""Whoever is at the machine, where the page listens on loopback alone and nobody signs in: the operator."""

from __future__ import annotations

import hmac
import secrets
from functools import cached_property

from starlette.requests import Request

from adapters.http.machine import at_the_machine
from adapters.web.visitor import Visitor
from pipeline.rules.access import OPERATOR
from pipeline.values import Actor, Readers


class AtTheMachine:
    """The port `Visitors` without sign-in."""

    @cached_property
    def _csrf(self) -> str:
        return secrets.token_urlsafe(24)

    async def visitor(self, request: Request) -> Visitor | None:
        if not at_the_machine(request):
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
        return hmac.compare_digest(visitor.csrf.encode(), given.encode("utf-8", "replace"))
