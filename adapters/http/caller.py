"""Who calls: a program with a key, a person through one, or whoever is at the machine."""

from __future__ import annotations

from typing import Protocol

from starlette.requests import Request

from pipeline.values import Audience, Readers, Value


class Caller(Value):
    id: str
    """As what is counted and kept names it: `key:7f3a`, `web:ann`, `slack:T1:U3`, `console:local`."""
    name: str
    audience: Audience
    """What may be found for them; all else is as if it were not there."""
    operator: bool = False


class Callers(Protocol):
    async def caller(self, request: Request) -> Caller:
        """Whoever `Authorization: Bearer` names; on loopback without it, the operator.

        Raises NotSignedIn, or Busy with `retry_after` where they asked too often."""
        ...

    async def allowed(self, caller: Caller) -> bool:
        """Whether the tokens that a model may spend for them today are not used up."""
        ...

    async def spent(self, caller: Caller, tokens: int) -> None: ...


class NotSignedIn(Exception):
    """Nobody that is known; the text says what to do."""


class Tokens(Protocol):
    """The access tokens of the provider where people sign in."""

    @property
    def issuer(self) -> str:
        """Its address; empty where there is none."""
        ...

    async def person(self, token: str) -> tuple[str, str, Readers] | None:
        """The person that a token was given to (`web:ann`), their name, and they alone as readers; None for a token
        that is none, is not for us or has expired."""
        ...
