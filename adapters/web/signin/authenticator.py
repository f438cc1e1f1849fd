"""The port `WebAuthenticator` for people who signed in or whom a proxy vouches for: everywhere but at the machine
itself."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from starlette.requests import Request

from adapters.web.context import Visitor
from adapters.web.platform import WEB
from adapters.web.signin.identity import SignInFailed, make_web_identity, web_groups
from pipeline.ports import SessionStore
from pipeline.values import Actor, PersonId, Readers
from pipeline.values.api_access import Identity

PROXY_SECRET_HEADER = "x-citewell-proxy"  # noqa: S105 - the name of a header
READERS_CACHE_SECONDS = 60.0
"""Seconds for which a platform's word on a person is cached, and between two writes of the same identity from a
proxy."""
NO_READERS = Readers(groups=frozenset(), external=True)

log = structlog.get_logger(__name__)

PlatformReaders = Callable[[PersonId], Awaitable[Readers | None]]
"""Returns the readers that a person alone is on their platform; None where that does not run or cannot tell."""


@dataclass(frozen=True)
class SessionCookie:
    """The one cookie. `__Host-` binds it to this host over HTTPS; at the machine itself there may be plain HTTP."""

    secure: bool

    @property
    def name(self) -> str:
        return "__Host-citewell" if self.secure else "citewell"


class SessionAuthenticator:
    """Authenticates by the session cookie, or by the headers of a proxy that sends the secret."""

    def __init__(
        self,
        sessions: SessionStore,
        on_platform: PlatformReaders,
        cookie: SessionCookie,
        proxy_secret: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sessions = sessions
        self._on_platform = on_platform
        self._cookie = cookie
        self._proxy_secret = proxy_secret
        self._clock = clock
        self._seen: dict[str, tuple[float, Readers]] = {}
        """The readers that a platform reported for a person, and when."""
        self._written: dict[str, tuple[float, Identity]] = {}
        """The identity that was stored last for a person of the proxy, and when."""

    async def authenticate(self, request: Request) -> Visitor | None:
        if self._proxied(request):
            return await self._vouched(request)
        secret = request.cookies.get(self._cookie.name, "")
        session = await self._sessions.get(secret) if secret else None
        return await self._made(session.who, secret, session=True) if session else None

    def _proxied(self, request: Request) -> bool:
        given = request.headers.get(PROXY_SECRET_HEADER, "")
        return bool(self._proxy_secret) and hmac.compare_digest(given.encode(), self._proxy_secret.encode())

    async def _vouched(self, request: Request) -> Visitor | None:
        """Return the visitor whom the proxy names; without the secret its headers are ignored."""
        user = request.headers.get("x-forwarded-user", "")
        if not user:
            return None
        groups = tuple(filter(None, map(str.strip, request.headers.get("x-forwarded-groups", "").split(","))))
        name = request.headers.get("x-forwarded-preferred-username") or request.headers.get("x-forwarded-email") or user
        try:
            who = make_web_identity(user, name, groups)
        except SignInFailed as error:
            log.warning("proxy_not_believed", reason=str(error))
            return None
        written = self._written.get(who.person)
        if written is None or written[0] < self._clock() - READERS_CACHE_SECONDS or written[1] != who:
            await self._sessions.refresh_identity(who)
            self._written[who.person] = self._clock(), who
        return await self._made(who, f"{self._proxy_secret} {who.person}", session=False)

    async def _made(self, who: Identity, secret: str, *, session: bool) -> Visitor | None:
        readers = await self._readers(who)
        return Visitor(
            person=who.person,
            name=who.name,
            readers=readers,
            actor=Actor(person=who.person, groups=readers.groups),
            session=session,
            csrf=hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest(),
        )

    async def readers(self, person: str) -> Readers:
        """Return the readers by the person's newest session; those of a platform as it reports them now."""
        session = await self._sessions.latest_of(person)
        return await self._readers(session.who) if session else NO_READERS

    async def _readers(self, who: Identity) -> Readers:
        """Return readers who are not inside where the platform does not tell."""
        if who.person.startswith(f"{WEB.name}:"):
            return Readers(groups=web_groups(who))
        now = self._clock()
        if (seen := self._seen.get(who.person)) and seen[0] > now - READERS_CACHE_SECONDS:
            return seen[1]
        readers = await self._on_platform(PersonId.parse(who.person)) or NO_READERS
        self._seen[who.person] = now, readers
        return readers

    def is_valid_csrf(self, visitor: Visitor, given: str, request: Request) -> bool:
        """Return True for the token of the visitor's session, unless another site's page sent it."""
        ours = request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        return ours and hmac.compare_digest(visitor.csrf.encode(), given.encode("utf-8", "replace"))
