"""Whoever signed in, or whom a proxy vouches for: the port `Visitors` everywhere but at the machine."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from starlette.requests import Request

from adapters.web.platform import WEB
from adapters.web.signin.provider import NotVouched, groups_of, inside
from adapters.web.visitor import Visitor
from pipeline.ports import Sessions
from pipeline.values import Actor, PersonId, Readers
from pipeline.values.keys import SignedIn

PROXY = "x-citewell-proxy"
SEEN_SECONDS = 60.0
"""How long it is taken for true what a platform said of a person; how often what a proxy says is written down, where
it says the same."""
NOBODY = Readers(groups=frozenset(), external=True)

log = structlog.get_logger(__name__)

OnPlatform = Callable[[PersonId], Awaitable[Readers | None]]
"""The readers of a person alone on the platform that they are of; None where that does not run or cannot tell."""


@dataclass(frozen=True)
class Cookie:
    """The one cookie. `__Host-` binds it to this very host over HTTPS; at the machine there may be plain HTTP."""

    secure: bool

    @property
    def name(self) -> str:
        return "__Host-citewell" if self.secure else "citewell"


class SignedInVisitors:
    def __init__(
        self,
        sessions: Sessions,
        on_platform: OnPlatform,
        cookie: Cookie,
        proxy_secret: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sessions = sessions
        self._on_platform = on_platform
        self._cookie = cookie
        self._proxy_secret = proxy_secret
        self._clock = clock
        self._seen: dict[str, tuple[float, Readers]] = {}
        """What a platform said of a person, and when."""
        self._written: dict[str, tuple[float, SignedIn]] = {}
        """What a proxy said of a person when it was written down last, and when that was."""

    async def visitor(self, request: Request) -> Visitor | None:
        if self._proxied(request):
            return await self._vouched(request)
        secret = request.cookies.get(self._cookie.name, "")
        session = await self._sessions.of(secret) if secret else None
        return await self._made(session.who, secret, session=True) if session else None

    def _proxied(self, request: Request) -> bool:
        given = request.headers.get(PROXY, "")
        return bool(self._proxy_secret) and hmac.compare_digest(given.encode(), self._proxy_secret.encode())

    async def _vouched(self, request: Request) -> Visitor | None:
        """Whom the proxy names; its headers count for nothing without the secret."""
        user = request.headers.get("x-forwarded-user", "")
        if not user:
            return None
        groups = tuple(filter(None, map(str.strip, request.headers.get("x-forwarded-groups", "").split(","))))
        name = request.headers.get("x-forwarded-preferred-username") or request.headers.get("x-forwarded-email") or user
        try:
            who = inside(user, name, groups)
        except NotVouched as error:
            log.warning("proxy_not_believed", reason=str(error))
            return None
        written = self._written.get(who.person)
        if written is None or written[0] < self._clock() - SEEN_SECONDS or written[1] != who:
            await self._sessions.vouched(who)
            self._written[who.person] = self._clock(), who
        return await self._made(who, f"{self._proxy_secret} {who.person}", session=False)

    async def _made(self, who: SignedIn, secret: str, *, session: bool) -> Visitor | None:
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
        """As their newest session tells; those of a platform as it tells now."""
        session = await self._sessions.newest(person)
        return await self._readers(session.who) if session else NOBODY

    async def _readers(self, who: SignedIn) -> Readers:
        """Of a platform that does not tell, nobody is inside."""
        if who.person.startswith(f"{WEB.name}:"):
            return Readers(groups=groups_of(who))
        now = self._clock()
        if (seen := self._seen.get(who.person)) and seen[0] > now - SEEN_SECONDS:
            return seen[1]
        readers = await self._on_platform(PersonId.parse(who.person)) or NOBODY
        self._seen[who.person] = now, readers
        return readers

    def checked(self, visitor: Visitor, given: str, request: Request) -> bool:
        """The token of their session, and no other site's page that sends it."""
        ours = request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        return ours and hmac.compare_digest(visitor.csrf.encode(), given.encode("utf-8", "replace"))
