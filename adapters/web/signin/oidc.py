"""OpenID Connect: any provider, by its discovery document; Slack's among them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import structlog
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from adapters.fetch.fetcher import Fetcher
from adapters.web.signin import wording
from adapters.web.signin.provider import Attempt, NotVouched, groups_of, inside
from pipeline.errors import CitewellError
from pipeline.values import Readers
from pipeline.values.session import SignedIn

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key that the provider alone has: never `none`, and none by a shared secret."""
LEEWAY = 60
"""Seconds by which clocks may differ."""
FRESH = 3600.0
"""Seconds that a discovery document and keys are taken for what they were."""
PATIENCE = 30.0
"""Seconds before keys are asked for again because one is not known."""
SECONDS = 15.0

Whom = Callable[[Mapping[str, Any]], SignedIn]

log = structlog.get_logger(__name__)


class OpenID:
    """Vouches for whoever has an account at `issuer`. `whom` reads a person out of checked claims."""

    def __init__(
        self,
        name: str,
        title: str,
        *,
        issuer: str,
        client_id: str,
        secret: str,
        whom: Whom,
        scope: str = "openid profile email",
        resources: tuple[str, ...] = (),
    ) -> None:
        """`resources`: what access tokens may be for, beside the client."""
        self.name, self.title = name, title
        self.issuer = issuer.rstrip("/")
        self._client_id, self._secret, self._scope = client_id, secret, scope
        self._whom = whom
        self._audiences = frozenset({client_id, *resources})
        port = urlsplit(issuer).port
        self._fetcher = Fetcher(private=True, ports=frozenset({80, 443, *([port] if port else [])}))
        self._document: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def address(self, attempt: Attempt, back: str) -> str:
        """See `Provider`."""
        document = await self._discovered()
        async with self._client(back) as client:
            url, _ = client.create_authorization_url(
                document["authorization_endpoint"],
                state=attempt.state,
                nonce=attempt.nonce,
                code_challenge=create_s256_code_challenge(attempt.verifier),
                code_challenge_method="S256",
            )
        return str(url)

    async def person(self, attempt: Attempt, back: str, code: str) -> SignedIn:
        """See `Provider`: the ID token's signature, issuer, audience, times and nonce are checked."""
        document = await self._discovered()
        try:
            async with asyncio.timeout(SECONDS), self._client(back) as client:
                token = await client.fetch_token(document["token_endpoint"], code=code, code_verifier=attempt.verifier)
        except (OAuthError, JoseError) as error:
            raise NotVouched(wording.WRONG, f"token: {type(error).__name__}: {error}") from error
        except Exception as error:  # whatever the network or the provider came up with
            raise NotVouched(wording.UNREACHABLE, f"token: {type(error).__name__}") from error
        claims = await self._checked(str(token.get("id_token", "")))
        options = {"iss": {"essential": True, "value": document["issuer"]}, "nonce": {"essential": True}}
        told = CodeIDToken(claims, {}, options, {"client_id": self._client_id, "nonce": attempt.nonce})
        try:
            told.validate(now=int(time.time()), leeway=LEEWAY)
            _for({self._client_id}, claims)
        except (JoseError, ValueError) as error:
            raise NotVouched(wording.WRONG, f"ID token: {error}") from error
        return self._whom(claims)

    async def of_token(self, token: str) -> tuple[str, str, Readers] | None:
        """Whom an access token (JWT) of this provider was given to; see `Tokens`."""
        try:
            document = await self._discovered()
            claims = await self._checked(token)
            registry = jwt.JWTClaimsRegistry(
                leeway=LEEWAY, iss={"essential": True, "value": document["issuer"]}, exp={"essential": True}
            )
            registry.validate(claims)
            _for(self._audiences, claims)
            who = self._whom(claims)
        except (NotVouched, JoseError, ValueError) as error:
            log.info("token_refused", reason=str(error))
            return None
        return who.person, who.name, Readers(groups=groups_of(who))

    async def _checked(self, token: str) -> dict[str, Any]:
        """The claims of a token that this provider signed; keys that are not known are asked for again, once."""
        for again in (False, True):
            try:
                return dict(jwt.decode(token, await self._key_set(again), algorithms=list(ALGORITHMS)).claims)
            except InvalidKeyIdError as error:
                if again:
                    raise NotVouched(wording.WRONG, "signed with a key that is not the provider's") from error
            except (JoseError, ValueError) as error:
                raise NotVouched(wording.WRONG, f"{type(error).__name__}: {error}") from error
        raise AssertionError

    async def _key_set(self, again: bool) -> KeySet:
        now = time.monotonic()
        if self._keys is None or self._keys[0] < now - FRESH or (again and self._keys[0] <= now - PATIENCE):
            found = await self._json((await self._discovered())["jwks_uri"])
            self._keys = now, KeySet.import_key_set(found)  # type: ignore[arg-type] # what it is checked to be
        return self._keys[1]

    async def _discovered(self) -> dict[str, Any]:
        now = time.monotonic()
        if self._document is None or self._document[0] < now - FRESH:
            found = await self._json(f"{self.issuer}/.well-known/openid-configuration")
            if str(found.get("issuer", "")).rstrip("/") != self.issuer:
                raise NotVouched(wording.WRONG, f"{self.issuer} says that it is {found.get('issuer')}")
            self._document = now, found
        return self._document[1]

    async def _json(self, url: str) -> dict[str, Any]:
        try:
            answer = await self._fetcher.fetch(url)
            if answer.status == 200 and isinstance(found := json.loads(answer.body), dict):
                return found
        except (CitewellError, ValueError) as error:
            raise NotVouched(wording.UNREACHABLE, f"{url}: {error}") from error
        raise NotVouched(wording.UNREACHABLE, f"{url} answers {answer.status}")

    def _client(self, back: str) -> AsyncOAuth2Client:
        return AsyncOAuth2Client(
            self._client_id, self._secret, scope=self._scope, redirect_uri=back, timeout=SECONDS, trust_env=False
        )

    async def close(self) -> None:
        await self._fetcher.close()


def _for(audiences: frozenset[str] | set[str], claims: Mapping[str, Any]) -> None:
    """Raises ValueError for a token that is for nobody of these."""
    said = claims.get("aud", ())
    if not audiences.intersection([said] if isinstance(said, str) else said):
        raise ValueError("it is for somebody else")


def whom_by(groups: str) -> Whom:
    """A person of the page's own, in the groups that the claim of that name says."""

    def whom(claims: Mapping[str, Any]) -> SignedIn:
        subject = claims.get("sub")
        if not isinstance(subject, str) or not subject:
            raise NotVouched(wording.WRONG, "no subject")
        told = claims.get(groups, ())
        named = tuple(str(group) for group in ([told] if isinstance(told, str) else told) if str(group))
        name = next((str(claims[one]) for one in ("name", "preferred_username", "email") if claims.get(one)), "")
        return inside(subject, name, named)

    return whom


def whom_in_slack(claims: Mapping[str, Any]) -> SignedIn:
    """The same person as in Slack."""
    team, user = claims.get("https://slack.com/team_id"), claims.get("https://slack.com/user_id")
    if not team or not user:
        raise NotVouched(wording.WRONG, "no workspace or person of Slack's")
    return SignedIn(person=f"slack:{team}:{user}", name=str(claims.get("name") or user))
