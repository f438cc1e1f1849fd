"""State of the sign-in: providers, callback URLs, cookies, and the attempts under way."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from adapters.http.auth import RateLimiter
from adapters.web.signin.authenticator import PlatformReaders, SessionCookie
from adapters.web.signin.identity import IdentityProvider, SignInAttempt
from pipeline.ports import SessionStore

ATTEMPT_SECONDS = 600
ATTEMPT_CLOCK_SKEW_SECONDS = 60
"""Seconds by which the clock of the process that began an attempt may be ahead of ours."""
SIGN_INS_PER_MINUTE = 20
"""Sign-ins of one address a minute."""


@dataclass(frozen=True)
class SignInFlow:
    """Providers, sessions and cookies of the sign-in."""

    providers: Mapping[str, IdentityProvider]
    """Providers by name; empty where only a proxy vouches."""
    sessions: SessionStore
    platform_readers: PlatformReaders
    cookie: SessionCookie
    url: str
    """The address at which people reach the page."""
    signing_key: Callable[[], Awaitable[str]]
    rate_limiter: RateLimiter

    def callback_url(self, provider: str) -> str:
        return f"{self.url.rstrip('/')}/sign-in/{provider}/back"

    async def save_attempt(self, response: Response, attempt: SignInAttempt) -> None:
        """Store the attempt in a signed cookie until the browser comes back."""
        self._set_cookie(
            response, self._attempt_cookie, (await self._signer()).dumps(attempt.model_dump()), ATTEMPT_SECONDS
        )

    async def load_attempt(self, request: Request) -> SignInAttempt | None:
        """Return the attempt that this very browser began; None for anything else."""
        try:
            attempt, signed_at = (await self._signer()).loads(
                request.cookies.get(self._attempt_cookie, ""), return_timestamp=True
            )
            is_valid = -ATTEMPT_CLOCK_SKEW_SECONDS <= time.time() - signed_at.timestamp() <= ATTEMPT_SECONDS
            return SignInAttempt.model_validate(attempt) if is_valid else None
        except (BadData, ValueError):
            return None

    def set_session(self, response: Response, secret: str) -> None:
        self._set_cookie(response, self.cookie.name, secret, None)
        response.delete_cookie(self._attempt_cookie, secure=self.cookie.secure, httponly=True)

    def clear_session(self, response: Response) -> None:
        response.delete_cookie(self.cookie.name, secure=self.cookie.secure, httponly=True)

    @property
    def _attempt_cookie(self) -> str:
        return f"{self.cookie.name}-attempt"

    async def _signer(self) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(await self.signing_key(), salt="sign-in")

    def _set_cookie(self, response: Response, name: str, value: str, seconds: int | None) -> None:
        response.set_cookie(
            name, value, max_age=seconds, path="/", secure=self.cookie.secure, httponly=True, samesite="lax"
        )
