"""OAuth 2.0 with an untrusted provider: the URL to send people to, and the exchange of their code."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from adapters.fetch.fetcher import Fetcher, FetchResponse
from adapters.web.signin import wording
from adapters.web.signin.identity import SignInAttempt, SignInFailed
from pipeline.errors import CitewellError

TIMEOUT_SECONDS = 15.0
"""Seconds for one request with all its attempts: somebody waits."""
MAX_BYTES = 1_000_000
"""Bytes of a response."""


class OAuthClient:
    """A client of the provider at `base_url`. All responses are JSON objects of limited size and time. All methods
    raise SignInFailed."""

    def __init__(self, client_id: str, secret: str, *, scope: str, base_url: str) -> None:
        self._client_id, self._scope = client_id, scope
        self._basic = b64encode(f"{client_id}:{secret}".encode()).decode()
        port = urlsplit(base_url).port
        self._fetcher = Fetcher(private=True, ports=frozenset({80, 443, *([port] if port else [])}))

    def authorization_url(self, endpoint: str, attempt: SignInAttempt, callback_url: str, **extra: str) -> str:
        """Return the URL to send the browser to."""
        return str(
            prepare_grant_uri(
                endpoint,
                self._client_id,
                "code",
                redirect_uri=callback_url,
                scope=self._scope,
                state=attempt.state,
                code_challenge=create_s256_code_challenge(attempt.verifier),
                code_challenge_method="S256",
                **extra,
            )
        )

    async def fetch_token(
        self, endpoint: str, attempt: SignInAttempt, callback_url: str, code: str
    ) -> Mapping[str, Any]:
        """Exchange a code for a token; a code is sent once."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback_url,
            "code_verifier": attempt.verifier,
        }
        headers = {"authorization": f"Basic {self._basic}", "accept": "application/json"}
        answer = await self._fetch(endpoint, method="POST", form=form, headers=headers, attempts=1)
        reply = _parse_object(answer)
        if "error" in reply:
            raise SignInFailed(wording.WRONG, f"token: {reply['error']!r}")
        return _check_status(answer, reply)

    async def fetch_json(self, url: str, bearer: str = "") -> Mapping[str, Any]:
        """Return the JSON object at `url`; `bearer` goes to its host alone."""
        answer = await self._fetch(url, headers={"authorization": f"Bearer {bearer}"} if bearer else {})
        return _check_status(answer, _parse_object(answer))

    async def close(self) -> None:
        await self._fetcher.close()

    async def _fetch(self, url: str, **request: Any) -> FetchResponse:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                return await self._fetcher.fetch(url, max_bytes=MAX_BYTES, **request)
        except (CitewellError, TimeoutError) as error:
            raise SignInFailed(wording.UNREACHABLE, f"{url}: {error or 'no answer in time'}") from error


def _parse_object(answer: FetchResponse) -> dict[str, Any]:
    try:
        reply = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise SignInFailed(wording.UNREACHABLE, f"{answer.url} answers {answer.status}, and no JSON") from error
    if not isinstance(reply, dict):
        raise SignInFailed(wording.UNREACHABLE, f"{answer.url} answers {answer.status}, and no JSON object")
    return reply


def _check_status(answer: FetchResponse, reply: Mapping[str, Any]) -> Mapping[str, Any]:
    if answer.status != 200:
        raise SignInFailed(wording.UNREACHABLE, f"{answer.url} answers {answer.status}")
    return reply
