"""The port `WebAuthenticator` for people who signed in, and for people of a proxy: everywhere but at the machine
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
    """Authentication by the session cookie, or by the headers of a proxy that sends the secret."""

    def __init__(
        self,
        sessions: SessionStore,
        platform_readers: PlatformReaders,
        cookie: SessionCookie,
        proxy_secret: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sessions = sessions
        self._platform_readers = platform_readers
        self._cookie = cookie
        self._proxy_secret = proxy_secret
        self._clock = clock
        self._cached_readers: dict[str, tuple[float, Readers]] = {}
        """The readers that a platform reported for a person, and when."""
        self._stored_identities: dict[str, tuple[float, Identity]] = {}
        """The identity that was stored last for a person of the proxy, and when."""

    async def authenticate(self, request: Request) -> Visitor | None:
        if self._is_from_proxy(request):
            return await self._proxy_visitor(request)
        secret = request.cookies.get(self._cookie.name, "")
        session = await self._sessions.get(secret) if secret else None
        return await self._make_visitor(session.who, secret, session=True) if session else None

    def _is_from_proxy(self, request: Request) -> bool:
        secret = request.headers.get(PROXY_SECRET_HEADER, "")
        return bool(self._proxy_secret) and hmac.compare_digest(secret.encode(), self._proxy_secret.encode())

    async def _proxy_visitor(self, request: Request) -> Visitor | None:
        """Return the visitor whom the proxy names; without the secret its headers are ignored."""
        user = request.headers.get("x-forwarded-user", "")
        if not user:
            return None
        groups = tuple(filter(None, map(str.strip, request.headers.get("x-forwarded-groups", "").split(","))))
        name = request.headers.get("x-forwarded-preferred-username") or request.headers.get("x-forwarded-email") or user
        try:
            identity = make_web_identity(user, name, groups)
        except SignInFailed as error:
            log.warning("proxy_rejected", reason=str(error))
            return None
        stored = self._stored_identities.get(identity.person)
        if stored is None or stored[0] < self._clock() - READERS_CACHE_SECONDS or stored[1] != identity:
            await self._sessions.refresh_identity(identity)
            self._stored_identities[identity.person] = self._clock(), identity
        return await self._make_visitor(identity, f"{self._proxy_secret} {identity.person}", session=False)

    async def _make_visitor(self, identity: Identity, secret: str, *, session: bool) -> Visitor | None:
        readers = await self._load_readers(identity)
        return Visitor(
            person=identity.person,
            name=identity.name,
            readers=readers,
            actor=Actor(person=identity.person, groups=readers.groups),
            session=session,
            csrf=hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest(),
        )

    async def readers(self, person: str) -> Readers:
        """Return the readers by the person's newest session; those of a platform as it reports them now."""
        session = await self._sessions.latest_of(person)
        return await self._load_readers(session.who) if session else NO_READERS

    async def _load_readers(self, identity: Identity) -> Readers:
        """Return readers who are not inside where the platform does not tell."""
        if identity.person.startswith(f"{WEB.name}:"):
            return Readers(groups=web_groups(identity))
        now = self._clock()
        if (cached := self._cached_readers.get(identity.person)) and cached[0] > now - READERS_CACHE_SECONDS:
            return cached[1]
        readers = await self._platform_readers(PersonId.parse(identity.person)) or NO_READERS
        self._cached_readers[identity.person] = now, readers
        return readers

    def is_valid_csrf(self, visitor: Visitor, token: str, request: Request) -> bool:
        """Return True for the token of the visitor's session, unless another site's page sent it."""
        is_same_origin = request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        return is_same_origin and hmac.compare_digest(visitor.csrf.encode(), token.encode("utf-8", "replace"))
