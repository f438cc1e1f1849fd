"""Whoever vouches for people."""

from __future__ import annotations

import secrets
from typing import Protocol

from pydantic import Field

from adapters.web.platform import SPACE, WEB
from adapters.web.signin import wording
from pipeline.translations import Message
from pipeline.values import PersonId, Value
from pipeline.values.ids import joined
from pipeline.values.keys import SignedIn

LONGEST = 1000
"""Characters of a person's id and name: more can be kept in no index."""


class NotVouched(Exception):
    """Nobody vouches for them; `said` is for them, the text for the log."""

    def __init__(self, said: Message, why: str) -> None:
        super().__init__(why)
        self.said = said


class Attempt(Value):
    """One sign-in under way, which the browser brings back."""

    provider: str
    state: str = Field(default_factory=lambda: secrets.token_urlsafe(24))
    nonce: str = Field(default_factory=lambda: secrets.token_urlsafe(24))
    verifier: str = Field(default_factory=lambda: secrets.token_urlsafe(48))
    """Of PKCE (RFC 7636)."""
    then: str = "/"


class Provider(Protocol):
    name: str
    """In addresses."""
    title: str
    """On its button."""

    async def address(self, attempt: Attempt, back: str) -> str:
        """Where the browser is sent, which comes back to `back`. Raises NotVouched where it cannot be reached."""
        ...

    async def person(self, attempt: Attempt, back: str, code: str, issuer: str) -> SignedIn:
        """Whom it vouches for, as who answers to the name of `issuer` ("" where none is told). Raises NotVouched."""
        ...

    async def close(self) -> None: ...


def inside(subject: str, name: str, groups: tuple[str, ...]) -> SignedIn:
    """A person and groups of the page's own: two of a provider are never one here. Raises NotVouched for nobody."""
    if not 0 < len(joined(subject)) <= LONGEST:
        raise NotVouched(wording.WRONG, "no subject")
    return SignedIn(
        person=str(PersonId(platform=WEB.name, user=subject)),
        name=(name or subject)[:LONGEST],
        groups=tuple(joined(WEB.name, "group", group) for group in groups),
    )


def groups_of(who: SignedIn) -> frozenset[str]:
    """What rules and roles know a person of the page's own by."""
    return frozenset({joined(WEB.name, SPACE), PersonId.parse(who.person).group, *who.groups})
