"""Sign in with Discord: OAuth2, and the same person as in Discord."""

from __future__ import annotations

import asyncio

from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from adapters.web.signin import wording
from adapters.web.signin.provider import Attempt, NotVouched
from pipeline.values.session import SignedIn

SECONDS = 15.0


class Discord:
    name, title = "discord", "Discord"

    def __init__(self, client_id: str, secret: str, site: str) -> None:
        self._client_id, self._secret, self._site = client_id, secret, site.rstrip("/")

    async def address(self, attempt: Attempt, back: str) -> str:
        """See `Provider`."""
        async with self._client(back) as client:
            url, _ = client.create_authorization_url(
                f"{self._site}/oauth2/authorize",
                state=attempt.state,
                code_challenge=create_s256_code_challenge(attempt.verifier),
                code_challenge_method="S256",
            )
        return str(url)

    async def person(self, attempt: Attempt, back: str, code: str) -> SignedIn:
        """See `Provider`."""
        try:
            async with asyncio.timeout(SECONDS), self._client(back) as client:
                await client.fetch_token(f"{self._site}/api/oauth2/token", code=code, code_verifier=attempt.verifier)
                answer = await client.get(f"{self._site}/api/users/@me")
                answer.raise_for_status()
                found = answer.json()
        except OAuthError as error:
            raise NotVouched(wording.WRONG, f"token: {error}") from error
        except Exception as error:  # whatever the network or the provider came up with
            raise NotVouched(wording.UNREACHABLE, f"Discord: {type(error).__name__}") from error
        user = str(found.get("id", ""))
        if not user.isdecimal():
            raise NotVouched(wording.WRONG, "no person of Discord's")
        return SignedIn(person=f"discord:{user}", name=str(found.get("global_name") or found.get("username") or user))

    async def close(self) -> None:
        """Nothing is kept open."""

    def _client(self, back: str) -> AsyncOAuth2Client:
        return AsyncOAuth2Client(
            self._client_id, self._secret, scope="identify", redirect_uri=back, timeout=SECONDS, trust_env=False
        )
