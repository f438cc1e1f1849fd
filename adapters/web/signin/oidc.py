"""Sign-in by OpenID Connect with any provider, Slack's among them, and by Discord's OAuth2. A checked token's claims
become an identity. A claim may be anything: one of an unexpected type counts as missing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

import structlog
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidKeyIdError, InvalidKeyTypeError, JoseError
from joserfc.jwk import KeySet

from adapters.web.signin import wording
from adapters.web.signin.identity import SignInAttempt, SignInFailed, make_web_identity, web_groups
from adapters.web.signin.oauth import OAuthClient
from pipeline.values import PersonId, Readers
from pipeline.values.api_access import Identity

ClaimsMapper = Callable[[Mapping[str, Any]], Identity]

TEAM, USER = "https://slack.com/team_id", "https://slack.com/user_id"
_TEAM, _USER = re.compile(r"[TE][A-Z0-9]+"), re.compile(r"[UW][A-Z0-9]+")
"""Patterns of Slack's ids."""


def openid_claims_mapper(groups: str) -> ClaimsMapper:
    """Return a mapper to a person of the page's own, in the groups of the claim `groups`. It raises SignInFailed."""

    def map_claims(claims: Mapping[str, Any]) -> Identity:
        name = next(
            filter(None, (claim_text(claims.get(claim)) for claim in ("name", "preferred_username", "email"))), ""
        )
        return make_web_identity(claim_text(claims.get("sub")), name, _claim_groups(claims, groups))

    return map_claims


def map_slack_claims(claims: Mapping[str, Any]) -> Identity:
    """Return the person's identity in Slack. Raises SignInFailed."""
    team, user = claim_text(claims.get(TEAM)), claim_text(claims.get(USER))
    if not _TEAM.fullmatch(team) or not _USER.fullmatch(user):
        raise SignInFailed(wording.WRONG, "no workspace or person of Slack's")
    return Identity(
        person=str(PersonId(platform="slack", space=team, user=user)), name=claim_text(claims.get("name")) or user
    )


def token_audiences(claims: Mapping[str, Any]) -> frozenset[str]:
    """Return the audiences of a token."""
    claim = claims.get("aud")
    return frozenset(
        audience for audience in (claim if isinstance(claim, list) else [claim]) if isinstance(audience, str)
    )


def claim_text(claim: object) -> str:
    """Return the claim if it is text that can be encoded, else an empty string."""
    if not isinstance(claim, str):
        return ""
    try:
        claim.encode()
    except UnicodeEncodeError:
        return ""
    return claim


def _claim_groups(claims: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the groups of a claim that is a text or a list of texts; none of any other."""
    claim = claims.get(name, [])
    groups = claim if isinstance(claim, list) else [claim]
    if not all(isinstance(group, str) and claim_text(group) == group for group in groups):
        log.warning("groups_claim_invalid", claim=name, reason="it is no text and no list of texts")
        return ()
    return tuple(filter(None, groups))


SCOPE = "identify"


class DiscordIdentityProvider:
    """The provider of people who have an account at Discord."""

    name, title = "discord", "Discord"

    def __init__(self, client_id: str, secret: str, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")
        self._client = OAuthClient(client_id, secret, scope=SCOPE, base_url=base_url)

    async def authorization_url(self, attempt: SignInAttempt, callback_url: str) -> str:
        """See `IdentityProvider`."""
        return self._client.authorization_url(f"{self._base_url}/oauth2/authorize", attempt, callback_url)

    async def resolve_identity(self, attempt: SignInAttempt, callback_url: str, code: str, issuer: str) -> Identity:
        """See `IdentityProvider`. Discord names no issuer."""
        token = await self._client.fetch_token(f"{self._base_url}/api/oauth2/token", attempt, callback_url, code)
        access = claim_text(token.get("access_token"))
        bearer = claim_text(token.get("token_type")).lower() == "bearer" and access.isascii() and access.isprintable()
        if not access or not bearer or SCOPE not in claim_text(token.get("scope", SCOPE)).split():
            raise SignInFailed(wording.WRONG, "no token of Discord's that says who somebody is")
        profile = await self._client.fetch_json(f"{self._base_url}/api/users/@me", access)
        user = claim_text(profile.get("id"))
        if not (user.isascii() and user.isdecimal() and len(user) <= 20):
            raise SignInFailed(wording.WRONG, "no person of Discord's")
        name = claim_text(profile.get("global_name")) or claim_text(profile.get("username")) or user
        return Identity(person=str(PersonId(platform="discord", user=user)), name=name)

    async def close(self) -> None:
        await self._client.close()


ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signature algorithms whose key the provider alone has: never `none`, and no shared secret."""
LEEWAY = 60
"""Seconds by which clocks may differ."""
DISCOVERY_CACHE_SECONDS = 3600.0
"""Seconds that a discovery document and keys are cached."""
KEY_REFRESH_SECONDS = 30.0
"""Seconds before keys are fetched again because a token fits none."""
KEY_MISMATCH_ERRORS = (BadSignatureError, InvalidKeyIdError, InvalidKeyTypeError)
"""Errors for a token that fits none of the keys."""
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")

T = TypeVar("T")

log = structlog.get_logger(__name__)


class OpenIDProvider:
    """The provider of people who have an account at `issuer`. `map_claims` makes an identity of checked claims."""

    def __init__(
        self,
        name: str,
        title: str,
        *,
        issuer: str,
        client_id: str,
        secret: str,
        map_claims: ClaimsMapper,
        scope: str = "openid profile email",
        resources: tuple[str, ...] = (),
    ) -> None:
        """`resources` are further audiences of access tokens, beside the client."""
        self.name, self.title = name, title
        self.issuer = issuer.rstrip("/")
        self._client_id = client_id
        self._map_claims = map_claims
        self._audiences = frozenset({client_id, *resources})
        self._client = OAuthClient(client_id, secret, scope=scope, base_url=issuer)
        self._document: tuple[float, Mapping[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None
        self._keys_refreshed_at = -KEY_REFRESH_SECONDS

    async def authorization_url(self, attempt: SignInAttempt, callback_url: str) -> str:
        """See `IdentityProvider`."""
        endpoint = (await self._discovery())["authorization_endpoint"]
        return self._client.authorization_url(endpoint, attempt, callback_url, nonce=attempt.nonce)

    async def resolve_identity(self, attempt: SignInAttempt, callback_url: str, code: str, issuer: str) -> Identity:
        """See `IdentityProvider`: the ID token's signature, issuer, audience, times and nonce are checked."""
        document = await self._discovery()
        has_issuer = issuer or document.get("authorization_response_iss_parameter_supported") is True
        if has_issuer and issuer != document["issuer"]:
            raise SignInFailed(wording.WRONG, "the answer is another provider's")
        token = await self._client.fetch_token(document["token_endpoint"], attempt, callback_url, code)
        claims = await self._verified_claims(token.get("id_token"))
        options = {"iss": {"essential": True, "value": document["issuer"]}, "nonce": {"essential": True}}
        id_token = CodeIDToken(claims, {}, options, {"client_id": self._client_id, "nonce": attempt.nonce})
        try:
            id_token.validate(now=int(time.time()), leeway=LEEWAY)
        except (JoseError, ValueError) as error:
            raise SignInFailed(wording.WRONG, f"ID token: {error}") from error
        return self._identity({self._client_id}, claims)

    async def verify_token(self, token: str) -> tuple[str, str, Readers] | None:
        """Return the person that an access token (JWT) of this provider was given to; see `TokenVerifier`."""
        try:
            document = await self._discovery()
            claims = await self._verified_claims(token)
            registry = jwt.JWTClaimsRegistry(
                leeway=LEEWAY, iss={"essential": True, "value": document["issuer"]}, exp={"essential": True}
            )
            registry.validate(claims)
            identity = self._identity(self._audiences, claims)
        except (SignInFailed, JoseError, ValueError) as error:
            log.info("token_refused", reason=str(error))
            return None
        return identity.person, identity.name, Readers(groups=web_groups(identity))

    def _identity(self, audiences: frozenset[str] | set[str], claims: Mapping[str, Any]) -> Identity:
        """Return the identity of checked claims. Raise SignInFailed for a token that is for none of `audiences`."""
        if not token_audiences(claims).intersection(audiences):
            raise SignInFailed(wording.WRONG, "it is for somebody else")
        return self._map_claims(claims)

    async def _verified_claims(self, token: object) -> dict[str, Any]:
        """Return the claims of a token that this provider signed. Where it fits no key, keys are fetched again, once:
        not every provider names its keys."""
        if not isinstance(token, str):
            raise SignInFailed(wording.WRONG, "no token")
        claims = _verify(token, await self._key_set(again=False))
        if isinstance(claims, KEY_MISMATCH_ERRORS):
            claims = _verify(token, await self._key_set(again=True))
        if isinstance(claims, Exception):
            raise SignInFailed(wording.WRONG, f"{type(claims).__name__}: {claims}") from claims
        return claims

    async def _key_set(self, *, again: bool) -> KeySet:
        now = time.monotonic()
        again = (
            again and max(self._keys_refreshed_at, self._keys[0] if self._keys else 0.0) <= now - KEY_REFRESH_SECONDS
        )
        if self._keys is None or self._keys[0] < now - DISCOVERY_CACHE_SECONDS or again:
            self._keys_refreshed_at = now
            reply = await self._client.fetch_json((await self._discovery())["jwks_uri"])
            keys = _try(lambda: KeySet.import_key_set(reply))  # type: ignore[arg-type] # what it is checked to be
            if isinstance(keys, Exception):
                raise SignInFailed(wording.UNREACHABLE, f"keys: {type(keys).__name__}: {keys}") from keys
            self._keys = now, keys
        return self._keys[1]

    async def _discovery(self) -> Mapping[str, Any]:
        now = time.monotonic()
        if self._document is None or self._document[0] < now - DISCOVERY_CACHE_SECONDS:
            document = await self._client.fetch_json(f"{self.issuer}/.well-known/openid-configuration")
            if str(document.get("issuer", "")).rstrip("/") != self.issuer:
                raise SignInFailed(wording.WRONG, f"{self.issuer} says that it is {document.get('issuer')}")
            for name in ENDPOINTS:
                if not _is_safe_url(document.get(name), self.issuer):
                    raise SignInFailed(wording.WRONG, f"{self.issuer} gives no {name} that can be used")
            self._document = now, document
        return self._document[1]

    async def close(self) -> None:
        await self._client.close()


def _verify(token: str, keys: KeySet) -> dict[str, Any] | Exception:
    """Return the claims of a token that one of `keys` signed, else the error."""
    return _try(lambda: dict(jwt.decode(token, keys, algorithms=list(ALGORITHMS)).claims))


def _try(read: Callable[[], T]) -> T | Exception:
    """Return the result of `read`, else the error."""
    try:
        return read()
    except Exception as error:  # noqa: BLE001 - whatever keys and tokens can be made of
        return error


def _is_safe_url(address: object, issuer: str) -> bool:
    """Return True for a web address, which must be HTTPS where the issuer's is."""
    if not isinstance(address, str) or not address.isascii() or not address.isprintable() or " " in address:
        return False
    scheme = "https" if issuer.startswith("https:") else urlsplit(address).scheme
    return scheme in ("http", "https") and address.startswith(f"{scheme}://")
