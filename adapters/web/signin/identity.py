"""Identity providers and the identities that they vouch for."""

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
"""Characters of a person's id and name: no index takes more."""


class SignInFailed(Exception):
    """No provider vouches for the person. `user_message` is for them, the text for the log."""

    def __init__(self, user_message: TranslatableText, reason: str) -> None:
        super().__init__(reason)
        self.user_message = user_message


class SignInAttempt(Value):
    """A sign-in under way, which the browser brings back."""

    provider: str
    state: str = Field(default_factory=lambda: secrets.token_urlsafe(24))
    nonce: str = Field(default_factory=lambda: secrets.token_urlsafe(24))
    verifier: str = Field(default_factory=lambda: secrets.token_urlsafe(48))
    """The code verifier of PKCE (RFC 7636)."""
    then: str = "/"


class IdentityProvider(Protocol):
    """A provider that vouches for people."""

    name: str
    """The name in URLs."""
    title: str
    """The name on its button."""

    async def authorization_url(self, attempt: SignInAttempt, callback_url: str) -> str:
        """Return the URL to send the browser to; it comes back to `callback_url`. Raise SignInFailed where the provider
        cannot be reached."""
        ...

    async def resolve_identity(self, attempt: SignInAttempt, callback_url: str, code: str, issuer: str) -> Identity:
        """Return the identity that `code` stands for. `issuer` is the one in the provider's answer, empty where it
        names none. Raises SignInFailed."""
        ...

    async def close(self) -> None: ...


def make_web_identity(subject: str, name: str, groups: tuple[str, ...]) -> Identity:
    """Return an identity of the page's own person and groups; two people of a provider never become one. Raise
    SignInFailed for an empty or too long id."""
    if not 0 < len(join_id(subject)) <= MAX_ID_CHARS:
        raise SignInFailed(wording.WRONG, "no subject")
    return Identity(
        person=str(PersonId(platform=WEB.name, user=subject)),
        name=(name or subject)[:MAX_ID_CHARS],
        groups=tuple(join_id(WEB.name, "group", group) for group in groups),
    )


def web_groups(identity: Identity) -> frozenset[str]:
    """Return the groups by which rules and roles know a person of the page's own."""
    return frozenset({join_id(WEB.name, SPACE), PersonId.parse(identity.person).group, *identity.groups})
