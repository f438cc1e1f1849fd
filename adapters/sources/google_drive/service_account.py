"""A service account's key, and the access tokens that Google gives for it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from google.auth import crypt, jwt

from adapters.fetch.fetcher import Fetcher
from pipeline.errors import Misconfigured, Unavailable

_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_DENIED = frozenset({400, 401, 403, 404})
"""Statuses of a key that is not taken (`invalid_grant` is a 400)."""
_LIFETIME = 3600
"""Seconds that an assertion may be valid for, by Google's rules."""
_EARLY = 60
"""Seconds before its end that a token is not used any more."""


class ServiceAccount:
    """`key` is the JSON that Google Cloud hands out for a service account, or the path of a file that holds it.

    Raises Misconfigured, naming `setting`, when it is neither."""

    def __init__(self, key: str, fetcher: Fetcher, *, setting: str) -> None:
        try:
            info: dict[str, Any] = json.loads(key if key.lstrip().startswith("{") else Path(key).read_bytes())
            self._signer = crypt.RSASigner.from_service_account_info(info)  # type: ignore[no-untyped-call]
            self.email = str(info["client_email"])
            self._token_uri = str(info["token_uri"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            wrong = (
                "leads to no file that can be read"
                if isinstance(error, OSError)
                else "is not the key of a Google service account"
            )
            raise Misconfigured(
                setting,
                wrong,
                what_to_do="Set it to the path of the JSON file that Google Cloud gave you for the service account.",
            ) from error
        self._fetcher = fetcher
        self._token, self._until = "", 0.0

    async def token(self) -> str:
        """One that is valid for the next minute. Raises Unavailable."""
        if time.time() > self._until - _EARLY:
            self._token, self._until = await self._exchanged(int(time.time()))
        return self._token

    def expire(self) -> None:
        """The service does not take the token any more."""
        self._until = 0.0

    async def _exchanged(self, now: int) -> tuple[str, float]:
        claims = {"iss": self.email, "scope": _SCOPE, "aud": self._token_uri, "iat": now, "exp": now + _LIFETIME}
        assertion = jwt.encode(self._signer, claims).decode()  # type: ignore[no-untyped-call]
        form = {"grant_type": _GRANT, "assertion": assertion}
        answer = await self._fetcher.fetch(self._token_uri, method="POST", form=form)
        try:
            found = json.loads(answer.body)
            return str(found["access_token"]), now + float(found["expires_in"])
        except (ValueError, KeyError, TypeError) as error:
            raise Unavailable(
                "Google",
                f"gave no access token (status {answer.status})",
                permanent=True,
                denied=answer.status in _DENIED,
                what_to_do="Check that the service account's key is not deleted, and this machine's clock.",
            ) from error
