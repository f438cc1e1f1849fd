"""An OpenID provider on loopback: real keys, real tokens, and everything that can be wrong with them."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jws
from joserfc.jwk import KeySet, RSAKey
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from adapters.http.servers import UvicornServers

Lie = Callable[[Request], Awaitable[Response]]

CLIENT, SECRET = "citewell", "the client's secret"


def _made() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig", "alg": "RS256"})


_first = cache(_made)
"""What each provider begins with: a key takes longer to make than most tests."""


class Provider:
    """`claims` are added to every token. What stands in `lies` for a path is answered there in the place of the truth.
    Where keys are not `named`, neither they nor tokens have a `kid`."""

    def __init__(self) -> None:
        self.subject = "ann"
        self.claims: dict[str, Any] = {"name": "Ann", "groups": ["staff"]}
        self.key = _first()
        self.published = [self.key]
        self.named = True
        self.asked_for_keys = 0
        self.lies: dict[str, Lie] = {}
        self.asked: list[Request] = []
        """What was answered with a lie."""
        self._codes: dict[str, dict[str, str]] = {}

    def rotate(self, *, publish: bool = True) -> None:
        self.key = _made()
        if publish:
            self.published = [self.key]

    def token(self, nonce: str = "", **claims: Any) -> str:
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "sub": self.subject,
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            **({"nonce": nonce} if nonce else {}),
            **self.claims,
            **claims,
        }
        head = {"typ": "JWT", "alg": "RS256", **({"kid": self.key.kid} if self.named else {})}
        return jws.serialize_compact(head, json.dumps(said), self.key)

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Provider]:
        answers = {
            "/.well-known/openid-configuration": self._document,
            "/authorize": self._authorize,
            "/token": self._token,
            "/keys": self._keys,
            "/oauth2/authorize": self._authorize,
            "/api/oauth2/token": self._token,
            "/api/users/@me": self._me,
            "/elsewhere": self._elsewhere,
        }
        routes = [Route(path, self._or_a_lie(path, truth), methods=["GET", "POST"]) for path, truth in answers.items()]
        async with UvicornServers().serve("127.0.0.1:0", routes, setting="the double") as self.port:
            yield self

    def _or_a_lie(self, path: str, truth: Lie) -> Lie:
        async def answer(request: Request) -> Response:
            if path not in self.lies:
                return await truth(request)
            self.asked.append(request)
            return await self.lies[path](request)

        return answer

    async def _elsewhere(self, request: Request) -> Response:
        """Where nobody should be sent who brings something along."""
        return JSONResponse({"id": "66", "access_token": "a", "token_type": "Bearer"})

    async def _document(self, _: Request) -> Response:
        paths = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return JSONResponse({"issuer": self.issuer, **{name: f"{self.issuer}/{path}" for name, path in paths.items()}})

    async def _keys(self, _: Request) -> Response:
        self.asked_for_keys += 1
        keys = KeySet(self.published).as_dict(private=False)["keys"]  # type: ignore[arg-type] # of one kind
        return JSONResponse(
            {"keys": [{name: said for name, said in key.items() if self.named or name != "kid"} for key in keys]}
        )

    async def _me(self, request: Request) -> Response:
        """As Discord tells it."""
        if not request.headers.get("authorization", "").startswith("Bearer "):
            return JSONResponse({"message": "401: Unauthorized"}, 401)
        return JSONResponse({"id": self.subject, "username": "ann", "global_name": "Ann"})

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        code = secrets.token_hex(8)
        self._codes[code] = asked
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}")

    async def _token(self, request: Request) -> Response:
        sent = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        asked = self._codes.pop(sent.get("code", ""), None)
        proven = asked and create_s256_code_challenge(sent.get("code_verifier", "")) == asked["code_challenge"]
        if not asked or not proven or sent["redirect_uri"] != asked["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        made = self.token(asked.get("nonce", ""))
        return JSONResponse({"access_token": secrets.token_hex(8), "token_type": "Bearer", "id_token": made})
