"""Google's token endpoint, for one service account."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import jwt

ACCOUNT = "reader@project.iam.gserviceaccount.com"
_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


class TokenEndpoint:
    def __init__(self) -> None:
        self.tokens: dict[str, float] = {}
        """What was given out, and until when it is valid."""
        self.deleted = False
        """The service account's key is not known any more."""
        self._secret = rsa.generate_private_key(65537, 2048)

    def key(self, url: str) -> dict[str, Any]:
        """The service account's key file; `url` is where the double is."""
        form = serialization.PrivateFormat.PKCS8
        pem = self._secret.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
        return {
            "type": "service_account",
            "client_email": ACCOUNT,
            "private_key_id": "key-1",
            "private_key": pem.decode(),
            "token_uri": f"{url}/token",
        }

    def knows(self, request: web.Request) -> bool:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return self.tokens.get(token, 0) > time.time()

    async def answer(self, request: web.Request) -> web.Response:
        if request.content_type != "application/x-www-form-urlencoded":
            return _refused("invalid_request")
        form = dict(parse_qsl(await request.text()))
        public = self._secret.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        try:
            claims = jwt.decode(form["assertion"], certs=public, audience=str(request.url))
        except (KeyError, ValueError):
            return _refused("invalid_grant")
        if (
            self.deleted
            or form.get("grant_type") != _GRANT
            or claims["iss"] != ACCOUNT
            or claims["exp"] - claims["iat"] > 3600
        ):
            return _refused("invalid_grant")
        if claims.get("scope") != _SCOPE:
            return _refused("invalid_scope")
        token = f"ya29.{len(self.tokens)}"
        self.tokens[token] = time.time() + 3599
        return web.json_response({"access_token": token, "expires_in": 3599, "token_type": "Bearer"})


def _refused(error: str) -> web.Response:
    return web.json_response({"error": error}, status=400)
