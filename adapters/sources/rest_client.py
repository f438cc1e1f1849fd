"""A client of REST services: requests, paginated lists, refusals and unexpected responses."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, ValidationError

from adapters.fetch.fetcher import Fetcher, FetchResponse
from pipeline.errors import Unavailable

# --- Changes between two syncs --------------------------------------------------------------------


def hash_parts(*parts: object) -> str:
    """Return a hash that differs when one of the parts does. Parts are JSON values."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def cache_changes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """Return the changes that turn a cache that holds `before` into `after`; None removes an entry."""
    gone: dict[str, str | None] = dict.fromkeys(before.keys() - after.keys())
    return gone | {name: value for name, value in after.items() if before.get(name) != value}


# --- Requests -------------------------------------------------------------------------------------

Json = dict[str, Any]
MAX_ANSWER_BYTES = 40_000_000
"""Bytes of one response."""
MAX_LIST_PAGES = 10_000
"""Pages of one list: a million entries in parts of a hundred."""
_DENIED = frozenset({401, 403, 404})
"""Statuses for what the account may not see; services that do not tell what exists answer 404."""
_MAX_REASON_CHARS = 60
"""Characters: more than twice those of `exportSizeLimitExceeded`, the longest reason that is looked for."""
_EMPTY: Mapping[str, str] = MappingProxyType({})


class ResponseModel(BaseModel):
    """A response of a service, or a part of it; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, coerce_numbers_to_str=True)


class ListPage(Protocol):
    """A part of a paginated list."""

    @property
    def next_token(self) -> str:
        """The token of the next part; empty at the end of the list."""
        ...


class TokenProvider(Protocol):
    """A provider of short-lived access tokens."""

    async def token(self) -> str: ...

    def invalidate(self) -> None:
        """Forget the token: the service does not take it any more."""
        ...


@dataclass(frozen=True)
class RestService:
    """The name of a service, and the meaning of its error responses."""

    name: str
    error_messages: Mapping[int | str, tuple[str, str]]
    """Message and remedy, by status or by the reason that the service names."""
    missing_statuses: frozenset[int] = frozenset({404})
    """Statuses for what does not exist, or what this account may not see."""
    parse_reason: Callable[[FetchResponse], str] = lambda answer: ""
    """Returns the word by which the service tells refusals with the same status apart."""
    parse_retry_after: Callable[[FetchResponse], float | None] = lambda answer: None
    """Returns the seconds to wait after a rate-limit response, whatever its status; None for any other."""
    unexpected_hint: str = ""
    """The remedy for a response that is not as the API is described."""

    def to_error(self, answer: FetchResponse) -> RequestRejected | None:
        """Return the error that a response stands for; None for a success."""
        wait = self.parse_retry_after(answer)
        if answer.status == 200 and wait is None:
            return None
        return RequestRejected(self, answer.status, self.parse_reason(answer), wait)


class RequestRejected(Unavailable):
    """The service rejected the request, for the `reason` that it names. It would reject it again now, unless it refusal
    after how many seconds to retry."""

    def __init__(self, service: RestService, status: int, reason: str, wait: float | None) -> None:
        default = service.error_messages.get(status, ("refused", "")) if wait is None else ("asked to wait", "")
        refusal, what_to_do = service.error_messages.get(reason, default)
        message = f"{refusal} ({f'status {status} {safe_reason(reason)}'.rstrip()})"
        super().__init__(service.name, message, retry_after=wait, permanent=wait is None, what_to_do=what_to_do)
        self.denied = wait is None and status in _DENIED
        self.status = status
        self.reason = reason
        self.is_missing = status in service.missing_statuses
        """True where the object does not exist, or this account may not see it."""


A = TypeVar("A", bound=BaseModel)
P = TypeVar("P", bound=ListPage)
T = TypeVar("T")


class RestClient:
    """A client of the API at `base_url`. Requests carry `headers`, with `pace` seconds between two of them. `tokens`
    sign them where the fetcher does not. All methods raise RequestRejected where the service rejects a request,
    Unavailable when it does not answer, or answers unexpectedly."""

    def __init__(
        self,
        fetcher: Fetcher,
        service: RestService,
        base_url: str,
        *,
        headers: Mapping[str, str] = _EMPTY,
        tokens: TokenProvider | None = None,
        pace: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._service = service
        self._base = base_url.rstrip("/")
        self._headers = headers
        self._tokens = tokens
        self._pace = pace
        self._clock = clock
        self._sleep = sleep
        self._free_at = 0.0
        """The time when the next request may be made."""

    async def get(self, path: str, into: type[A], **query: str) -> A:
        return self.validate((await self._send_signed("GET", _with_query(path, query))).body, into)

    async def post(self, path: str, into: type[A], body: object) -> A:
        return self.validate((await self._send_signed("POST", path, body)).body, into)

    async def download(self, path: str, *, max_bytes: int = MAX_ANSWER_BYTES, **query: str) -> bytes:
        """Return the body. Raise Refused above `max_bytes`."""
        return (await self._send_signed("GET", _with_query(path, query), max_bytes=max_bytes)).body

    async def paginate(
        self, fetch_page: Callable[[str], Awaitable[P]], first_cursor: str = ""
    ) -> AsyncGenerator[P, None]:
        """Yield the parts of a list. `fetch_page` gets each with the `next_token` of the one before."""
        cursor, cursors = first_cursor, set[str]()
        while True:
            cursors.add(cursor)
            part = await fetch_page(cursor)
            yield part
            if not (cursor := part.next_token):
                return
            if cursor in cursors or len(cursors) >= MAX_LIST_PAGES:
                raise Unavailable(self._service.name, "lists without an end")

    def validate(self, body: object, into: type[A]) -> A:
        """Return a response, or a part of one that was read before, as its model. Raise Unavailable where it does not
        fit."""
        try:
            return into.model_validate_json(body) if isinstance(body, bytes) else into.model_validate(body)
        except ValidationError as error:
            raise self.unexpected_answer() from error

    def unexpected_answer(self) -> Unavailable:
        message = "answered with something that is not as its API is described"
        return Unavailable(self._service.name, message, what_to_do=self._service.unexpected_hint)

    async def _send_signed(
        self, method: str, path: str, body: object = None, *, max_bytes: int = MAX_ANSWER_BYTES
    ) -> FetchResponse:
        try:
            return await self._send(method, path, body, max_bytes)
        except RequestRejected as error:
            if self._tokens is None or error.status != 401:
                raise
            self._tokens.invalidate()
        return await self._send(method, path, body, max_bytes)

    async def _send(self, method: str, path: str, body: object, max_bytes: int) -> FetchResponse:
        if path and not path.startswith("/"):
            raise self.unexpected_answer()  # behind the name of the host it would make another of it
        await self._wait_for_turn()
        signed = {"authorization": f"Bearer {await self._tokens.token()}"} if self._tokens else {}
        return await self._fetcher.fetch(
            f"{self._base}{path}",
            method=method,
            headers={**self._headers, **signed},
            json=body,
            max_bytes=max_bytes,
            refusal=self._service.to_error,
        )

    async def _wait_for_turn(self) -> None:
        if self._pace:
            now = self._clock()
            turn = max(now, self._free_at)
            self._free_at = turn + self._pace
            await self._sleep(turn - now)


def safe_reason(reason: str) -> str:
    """Return the reason that a service names, if it is a single word: longer texts may hold parts of the request."""
    return reason if reason.isascii() and reason.replace("_", "").isalpha() and len(reason) <= _MAX_REASON_CHARS else ""


async def none_if_missing(request: Awaitable[T]) -> T | None:
    """Await a request; None when its object does not exist, or this account may not see it."""
    try:
        return await request
    except RequestRejected as error:
        if not error.is_missing:
            raise
        return None


def _with_query(path: str, query: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(query)}" if query else path
