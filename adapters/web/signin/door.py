"""What the sign-in has: who vouches, where browsers come back to, and how an attempt is remembered."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from adapters.http.caller import Pace
from adapters.web.signin.provider import Attempt, Provider
from adapters.web.signin.visitors import Cookie, OnPlatform
from pipeline.ports import Sessions

ATTEMPT_SECONDS = 600
AHEAD_SECONDS = 60
"""By how much the clock of the process where it was begun may be ahead of ours."""
TRIES = 20
"""Of one address in a minute."""


@dataclass(frozen=True)
class Door:
    providers: Mapping[str, Provider]
    """By name; none where only a proxy vouches."""
    sessions: Sessions
    on_platform: OnPlatform
    cookie: Cookie
    url: str
    """What people reach the page as."""
    key: Callable[[], Awaitable[str]]
    pace: Pace

    def back(self, provider: str) -> str:
        return f"{self.url.rstrip('/')}/sign-in/{provider}/back"

    async def remember(self, response: Response, attempt: Attempt) -> None:
        """In the browser, signed, until it comes back."""
        self._set(response, self._attempts, (await self._signer()).dumps(attempt.model_dump()), ATTEMPT_SECONDS)

    async def remembered(self, request: Request) -> Attempt | None:
        """What this very browser began; None for anything else."""
        try:
            told, at = (await self._signer()).loads(request.cookies.get(self._attempts, ""), return_timestamp=True)
            lasts = -AHEAD_SECONDS <= time.time() - at.timestamp() <= ATTEMPT_SECONDS
            return Attempt.model_validate(told) if lasts else None
        except (BadData, ValueError):
            return None

    def enter(self, response: Response, secret: str) -> None:
        self._set(response, self.cookie.name, secret, None)
        response.delete_cookie(self._attempts, secure=self.cookie.secure, httponly=True)

    def leave(self, response: Response) -> None:
        response.delete_cookie(self.cookie.name, secure=self.cookie.secure, httponly=True)

    @property
    def _attempts(self) -> str:
        return f"{self.cookie.name}-attempt"

    async def _signer(self) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(await self.key(), salt="sign-in")

    def _set(self, response: Response, name: str, value: str, seconds: int | None) -> None:
        response.set_cookie(
            name, value, max_age=seconds, path="/", secure=self.cookie.secure, httponly=True, samesite="lax"
        )
