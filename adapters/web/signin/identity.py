"""Whoever vouches for people."""

from __future__ import annotations

import secrets
from typing import Protocol

from pydantic import Field

from adapters.web.platform import SPACE, WEB
from adapters.web.signin import wording
from pipeline.translations import TranslatableText
from pipeline.values import PersonId, Value
from pipeline.values.api_access import Identity
from pipeline.values.ids import join_id

MAX_ID_CHARS = 1000
"""Characters of a person's id and name: more can be kept in no index."""


class SignInFailed(Exception):
    """Nobody vouches for them; `said` is for them, the text for the log."""

    def __init__(self, said: TranslatableText, why: str) -> None:
        super().__init__(why)
        self.user_message = said


class SignInAttempt(Value):
    """One sign-in under way, which the browser brings back."""

    provider: str
    state: str = Field(default_factory=lambda: secrets.token_urlsafe(24))
    nonce: str = Field(default_factory=lambda: secrets.token_urlsafe(24))
    verifier: str = Field(default_factory=lambda: secrets.token_urlsafe(48))
    """Of PKCE (RFC 7636)."""
    then: str = "/"


class IdentityProvider(Protocol):
    name: str
    """In addresses."""
    title: str
    """On its button."""

    async def authorization_url(self, attempt: SignInAttempt, back: str) -> str:
        """Where the browser is sent, which comes back to `back`. Raises NotVouched where it cannot be reached."""
        ...

    async def resolve_identity(self, attempt: SignInAttempt, back: str, code: str, issuer: str) -> Identity:
        """Whom it vouches for, as who answers to the name of `issuer` ("" where none is told). Raises NotVouched."""
        ...

    async def close(self) -> None: ...


def make_web_identity(subject: str, name: str, groups: tuple[str, ...]) -> Identity:
    """A person and groups of the page's own: two of a provider are never one here. Raises NotVouched for nobody."""
    if not 0 < len(join_id(subject)) <= MAX_ID_CHARS:
        raise SignInFailed(wording.WRONG, "no subject")
    return Identity(
        person=str(PersonId(platform=WEB.name, user=subject)),
        name=(name or subject)[:MAX_ID_CHARS],
        groups=tuple(join_id(WEB.name, "group", group) for group in groups),
    )


def web_groups(who: Identity) -> frozenset[str]:
    """What rules and roles know a person of the page's own by."""
    return frozenset({join_id(WEB.name, SPACE), PersonId.parse(who.person).group, *who.groups})
