"""Sign in with Discord: OAuth2, and the same person as in Discord."""

from __future__ import annotations

from adapters.web.signin import wording
from adapters.web.signin.claims import text
from adapters.web.signin.exchange import Exchange
from adapters.web.signin.provider import Attempt, NotVouched
from pipeline.values import PersonId
from pipeline.values.keys import SignedIn

SCOPE = "identify"


class Discord:
    name, title = "discord", "Discord"

    def __init__(self, client_id: str, secret: str, site: str) -> None:
        self._site = site.rstrip("/")
        self._exchange = Exchange(client_id, secret, scope=SCOPE, site=site)

    async def address(self, attempt: Attempt, back: str) -> str:
        """See `Provider`."""
        return self._exchange.address(f"{self._site}/oauth2/authorize", attempt, back)

    async def person(self, attempt: Attempt, back: str, code: str, issuer: str) -> SignedIn:
        """See `Provider`. Discord tells no issuer."""
        token = await self._exchange.token(f"{self._site}/api/oauth2/token", attempt, back, code)
        access = text(token.get("access_token"))
        bearer = text(token.get("token_type")).lower() == "bearer" and access.isascii() and access.isprintable()
        if not access or not bearer or SCOPE not in text(token.get("scope", SCOPE)).split():
            raise NotVouched(wording.WRONG, "no token of Discord's that says who somebody is")
        said = await self._exchange.json(f"{self._site}/api/users/@me", access)
        user = text(said.get("id"))
        if not (user.isascii() and user.isdecimal() and len(user) <= 20):
            raise NotVouched(wording.WRONG, "no person of Discord's")
        name = text(said.get("global_name")) or text(said.get("username")) or user
        return SignedIn(person=str(PersonId(platform="discord", user=user)), name=name)

    async def close(self) -> None:
        await self._exchange.close()
