"""Who calls, a program with a key, a person through one, or whoever is at the machine; and how often."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Protocol

from starlette.requests import Request

from adapters.http.hosts import LocalOperator
from pipeline.ports import ApiKeyStore, QueryService
from pipeline.rules.access import OPERATOR
from pipeline.values import Audience, Readers, Value
from pipeline.values.api_access import ApiKey

# --- How often somebody may call ------------------------------------------------------------------

MAX_TRACKED_CALLERS = 10_000
"""Callers whose calls are counted; of more, those that called longest ago are forgotten."""


def client_key(request: Request) -> str:
    """Whom a limit for each address counts: the caller, by the word of a trusted proxy where one stands between.

    Of IPv6 it is the network of 64 bits, all of which one household has."""
    given = request.client.host if request.client else ""
    try:
        known = ip_address(given.partition("%")[0])
    except ValueError:
        return f"address {given[:64]}"
    if isinstance(known, IPv6Address):
        known = known.ipv4_mapped or ip_network((known, 64), strict=False).network_address
    return f"address {known}"


class RateLimiter:
    """A bucket of tokens for each caller, which fills again by the minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full: OrderedDict[str, float] = OrderedDict()
        """When the bucket of each is full again."""

    def count_call(self, who: str, per_minute: int) -> float:
        """Count a call of `who`; 0.0 where it is granted, else the seconds until one would be."""
        now, each = self._clock(), 60.0 / per_minute
        ahead = max(self._full.get(who, now) - now, 0.0)
        if who in self._full:
            self._full.move_to_end(who)
        if ahead + each > 60.0:
            return ahead + each - 60.0
        self._full[who] = now + ahead + each
        if len(self._full) > MAX_TRACKED_CALLERS:
            self._full.popitem(last=False)
        return 0.0


# --- Who calls ------------------------------------------------------------------------------------

PERSON_PER_MINUTE = 60
"""Calls of a person, or of whoever is at the machine; of a key, as many as its admin said."""
FAILED_CALLS_PER_MINUTE = 20
"""Calls with keys that are none, from one address."""


class Caller(Value):
    id: str
    """As what is counted and kept names it: `key:7f3a`, `web:ann`, `slack:T1:U3`, `console:local`."""
    name: str
    audience: Audience
    """What may be found for them; all else is as if it were not there."""


class NotAuthenticated(Exception):
    """Nobody that is known; the text says what to do."""


class RateLimited(Exception):
    def __init__(self, seconds: float) -> None:
        super().__init__("too many calls in the last minute")
        self.retry_after = seconds
        """Until the next is granted."""


class TokenVerifier(Protocol):
    """The access tokens of the provider where people sign in."""

    issuer: str
    """Its address."""

    async def verify_token(self, token: str) -> tuple[str, str, Readers] | None:
        """The person that a token was given to (`web:ann`), their name, and they alone as readers; None for a token
        that is none, is not for us or has expired."""
        ...


class CallerAuthenticator:
    """Tells who calls the API and MCP."""

    def __init__(
        self,
        keys: ApiKeyStore,
        reading: QueryService,
        *,
        machine: LocalOperator | None = None,
        tokens: TokenVerifier | None = None,
        pace: RateLimiter | None = None,
    ) -> None:
        """`machine`: where nobody signs in; its secret is the operator's key."""
        self._keys = keys
        self._reading = reading
        self._machine = machine
        self._tokens = tokens
        self._pace = pace or RateLimiter()

    @property
    def issuer(self) -> str:
        """Where people get access tokens; empty where only keys open."""
        return self._tokens.issuer if self._tokens else ""

    async def authenticate(self, request: Request) -> Caller:
        """Whoever `Authorization: Bearer` names: a key, a person by an access token, or at the machine the operator.

        Raises NotSignedIn, TooOften, and Unavailable."""
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and secret.isascii() and 0 < len(secret) <= 4096:
            if self._machine and self._machine.is_valid_secret(request, secret):
                return await self._person(OPERATOR, "operator", Readers(groups=frozenset({OPERATOR})))
            if key := await self._keys.find_key(secret):
                return await self._program(key)
            if self._tokens and (known := await self._tokens.verify_token(secret)):
                return await self._person(*known)
        self._in_time(client_key(request), FAILED_CALLS_PER_MINUTE)
        raise NotAuthenticated("Send the key that an admin made with `citewell keys add` as `Authorization: Bearer …`.")

    async def _program(self, key: ApiKey) -> Caller:
        """What anyone inside sees; with collections that the admin named, these and nothing else."""
        self._in_time(key.person, key.per_minute)
        audience = await self._reading.resolve_audience(
            Readers(groups=frozenset({OPERATOR} if key.collections else ()))
        )
        if key.collections:
            audience = Audience(collections=audience.collections.intersection(key.collections))
        return Caller(id=key.person, name=key.name, audience=audience)

    async def _person(self, person: str, name: str, readers: Readers) -> Caller:
        self._in_time(person, PERSON_PER_MINUTE)
        return Caller(id=person, name=name, audience=await self._reading.resolve_audience(readers))

    def _in_time(self, who: str, per_minute: int) -> None:
        if seconds := self._pace.count_call(who, per_minute):
            raise RateLimited(seconds)
