"""Authentication of callers (a program with a key, a person with an access token, or the operator at the machine), and
their rate limits."""

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

# --- Rate limits ----------------------------------------------------------------------------------

MAX_TRACKED_CALLERS = 10_000
"""Callers whose calls are counted; beyond these, the ones that called longest ago are forgotten."""


def client_key(request: Request) -> str:
    """Return the key by which a rate limit counts the caller's address; behind a trusted proxy, the address that the
    proxy reports. For IPv6 it is the network of 64 bits, all of which one household has."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return f"address {host[:64]}"
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or ip_network((address, 64), strict=False).network_address
    return f"address {address}"


class RateLimiter:
    """A token bucket for each caller, which refills within a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()
        """The time at which each bucket is full again."""

    def count_call(self, caller: str, per_minute: int) -> float:
        """Count a call of `caller`. Return 0.0 where it is granted, else the seconds until one would be."""
        # GCRA: not tokens are counted, but the time when the bucket will be full; `backlog` is how far ahead that is.
        now, interval = self._clock(), 60.0 / per_minute
        backlog = max(self._full_at.get(caller, now) - now, 0.0)
        if caller in self._full_at:
            self._full_at.move_to_end(caller)
        if backlog + interval > 60.0:
            return backlog + interval - 60.0
        self._full_at[caller] = now + backlog + interval
        if len(self._full_at) > MAX_TRACKED_CALLERS:
            self._full_at.popitem(last=False)
        return 0.0


# --- Callers --------------------------------------------------------------------------------------

PERSON_PER_MINUTE = 60
"""Calls of a person or of the operator a minute; a key has the limit that its admin set."""
FAILED_CALLS_PER_MINUTE = 20
"""Calls with invalid keys from one address a minute."""


class Caller(Value):
    """An authenticated caller of the API or MCP."""

    id: str
    """The id under which calls are counted and stored: `key:7f3a`, `web:ann`, `slack:T1:U3`, `console:local`."""
    name: str
    audience: Audience
    """The documents that the caller may find; all others are treated as missing."""


class NotAuthenticated(Exception):
    """No known caller; the text says what to do."""


class RateLimited(Exception):
    """The caller has made too many calls."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too many calls in the last minute")
        self.retry_after = seconds
        """Seconds until the next call is granted."""


class TokenVerifier(Protocol):
    """A verifier of access tokens of the provider with which people sign in."""

    issuer: str
    """The provider's address."""

    async def verify_token(self, token: str) -> tuple[str, str, Readers] | None:
        """Return the person that a token was given to (`web:ann`), their name, and them alone as readers; None for a
        token that is invalid, for another audience or expired."""
        ...


class CallerAuthenticator:
    """Authentication of the callers of the API and MCP."""

    def __init__(
        self,
        keys: ApiKeyStore,
        queries: QueryService,
        *,
        machine: LocalOperator | None = None,
        tokens: TokenVerifier | None = None,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        """`machine` is given where nobody signs in: its secret is the operator's key."""
        self._keys = keys
        self._queries = queries
        self._machine = machine
        self._tokens = tokens
        self._rate_limiter = rate_limiter or RateLimiter()

    @property
    def issuer(self) -> str:
        """The address where people get access tokens; empty where only keys are accepted."""
        return self._tokens.issuer if self._tokens else ""

    async def authenticate(self, request: Request) -> Caller:
        """Return the caller that `Authorization: Bearer` names: a key, a person by an access token, or the operator at
        the machine. Raises NotAuthenticated, RateLimited, and Unavailable."""
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and secret.isascii() and 0 < len(secret) <= 4096:
            if self._machine and self._machine.is_valid_secret(request, secret):
                return await self._person_caller(OPERATOR, "operator", Readers(groups=frozenset({OPERATOR})))
            if key := await self._keys.find_key(secret):
                return await self._key_caller(key)
            if self._tokens and (token_person := await self._tokens.verify_token(secret)):
                return await self._person_caller(*token_person)
        self._check_rate(client_key(request), FAILED_CALLS_PER_MINUTE)
        raise NotAuthenticated("Send the key that an admin made with `citewell keys add` as `Authorization: Bearer …`.")

    async def _key_caller(self, key: ApiKey) -> Caller:
        """Return the caller of a key. It sees the documents that anyone inside sees, or only the collections that the
        admin named for it."""
        self._check_rate(key.person, key.per_minute)
        audience = await self._queries.resolve_audience(
            Readers(groups=frozenset({OPERATOR} if key.collections else ()))
        )
        if key.collections:
            audience = Audience(collections=audience.collections.intersection(key.collections))
        return Caller(id=key.person, name=key.name, audience=audience)

    async def _person_caller(self, person: str, name: str, readers: Readers) -> Caller:
        self._check_rate(person, PERSON_PER_MINUTE)
        return Caller(id=person, name=name, audience=await self._queries.resolve_audience(readers))

    def _check_rate(self, caller: str, per_minute: int) -> None:
        if seconds := self._rate_limiter.count_call(caller, per_minute):
            raise RateLimited(seconds)
