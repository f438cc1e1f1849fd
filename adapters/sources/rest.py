"""Requests of a service's API, and its lists, refusals and strange answers, each understood in one way."""

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

from adapters.fetch.fetcher import Fetched, Fetcher
from pipeline.errors import Unavailable

# --- What is another since the last look ----------------------------------------------------------


def digest(*parts: object) -> str:
    """Differs when one of the parts does, which are such as JSON holds."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """What a memory that holds `before` is to keep to hold `after`; None: nothing any more."""
    gone: dict[str, str | None] = dict.fromkeys(before.keys() - after.keys())
    return gone | {name: said for name, said in after.items() if before.get(name) != said}


# --- Requests -------------------------------------------------------------------------------------

Json = dict[str, Any]
MOST_BYTES = 40_000_000
"""Of one answer."""
MOST_PARTS = 10_000
"""Of one list: a million entries in parts of a hundred."""
_DENIED = frozenset({401, 403, 404})
"""Statuses of what is not for this account; services that do not tell what there is say 404."""
_LONGEST_WORD = 60
"""Characters: more than twice those of `exportSizeLimitExceeded`, the longest that is looked for."""
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Shape(BaseModel):
    """What a service answers with, or a part of it; what it holds besides is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, coerce_numbers_to_str=True)


class ListPart(Protocol):
    @property
    def following(self) -> str:
        """What to ask for the next part with; empty at the end of the list."""
        ...


class Tokens(Protocol):
    """What signs requests, for a while."""

    async def token(self) -> str: ...

    def expire(self) -> None:
        """The service does not take the token any more."""
        ...


@dataclass(frozen=True)
class Service:
    """What a service is called, and what its answers mean that are none."""

    name: str
    words: Mapping[int | str, tuple[str, str]]
    """By status, or by the reason that it names: what the service does, and what to do about it."""
    gone: frozenset[int] = frozenset({404})
    """Statuses of what is not there, or not for this account."""
    reason: Callable[[Fetched], str] = lambda answer: ""
    """The word by which it tells one refusal from another with the same status."""
    wait: Callable[[Fetched], float | None] = lambda answer: None
    """Seconds to wait after an answer that is a limit, whatever its status; None for any other."""
    if_strange: str = ""
    """What to do about an answer that is not as the API is described."""

    def refusal(self, answer: Fetched) -> Rejected | None:
        wait = self.wait(answer)
        if answer.status == 200 and wait is None:
            return None
        return Rejected(self, answer.status, self.reason(answer), wait)


class Rejected(Unavailable):
    """The service did not do what it was asked, for the `reason` that it names; asked again now, it would not either,
    unless it said after how many seconds."""

    def __init__(self, service: Service, status: int, reason: str, wait: float | None) -> None:
        other = service.words.get(status, ("refused", "")) if wait is None else ("asked to wait", "")
        said, what_to_do = service.words.get(reason, other)
        message = f"{said} ({f'status {status} {word(reason)}'.rstrip()})"
        super().__init__(service.name, message, retry_after=wait, permanent=wait is None, what_to_do=what_to_do)
        self.denied = wait is None and status in _DENIED
        self.status = status
        self.reason = reason
        self.gone = status in service.gone
        """What was asked for is not there, or not for this account."""


A = TypeVar("A", bound=BaseModel)
P = TypeVar("P", bound=ListPart)
T = TypeVar("T")


class Rest:
    """What stands below `base`, asked for with `headers`, `pace` seconds between two requests. `tokens` sign them where
    the fetcher does not.

    All of it raises Rejected for what the service does not do, Unavailable when it does not answer, or answers
    strangely."""

    def __init__(
        self,
        fetcher: Fetcher,
        service: Service,
        base: str,
        *,
        headers: Mapping[str, str] = _NOTHING,
        tokens: Tokens | None = None,
        pace: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._service = service
        self._base = base.rstrip("/")
        self._headers = headers
        self._tokens = tokens
        self._pace = pace
        self._clock = clock
        self._sleep = sleep
        self._free = 0.0
        """When the next request may be made."""

    async def get(self, path: str, into: type[A], **query: str) -> A:
        return self.read((await self._ask("GET", _asked(path, query))).body, into)

    async def post(self, path: str, into: type[A], body: object) -> A:
        return self.read((await self._ask("POST", path, body)).body, into)

    async def download(self, path: str, *, most: int = MOST_BYTES, **query: str) -> bytes:
        """Raises Refused above `most` bytes."""
        return (await self._ask("GET", _asked(path, query), most=most)).body

    async def parts(self, ask: Callable[[str], Awaitable[P]], first: str = "") -> AsyncGenerator[P, None]:
        """The parts of a list, of which `ask` gets each with what the one before names as `following`."""
        cursor, asked = first, set[str]()
        while True:
            asked.add(cursor)
            part = await ask(cursor)
            yield part
            if not (cursor := part.following):
                return
            if cursor in asked or len(asked) >= MOST_PARTS:
                raise Unavailable(self._service.name, "lists without an end")

    def read(self, said: object, into: type[A]) -> A:
        """An answer, or a part of one that was read before, as what it should be."""
        try:
            return into.model_validate_json(said) if isinstance(said, bytes) else into.model_validate(said)
        except ValidationError as error:
            raise self.strange() from error

    def strange(self) -> Unavailable:
        said = "answered with something that is not as its API is described"
        return Unavailable(self._service.name, said, what_to_do=self._service.if_strange)

    async def _ask(self, method: str, path: str, body: object = None, *, most: int = MOST_BYTES) -> Fetched:
        try:
            return await self._once(method, path, body, most)
        except Rejected as error:
            if self._tokens is None or error.status != 401:
                raise
            self._tokens.expire()
        return await self._once(method, path, body, most)

    async def _once(self, method: str, path: str, body: object, most: int) -> Fetched:
        if path and not path.startswith("/"):
            raise self.strange()  # behind the name of the host it would make another of it
        await self._turn()
        signed = {"authorization": f"Bearer {await self._tokens.token()}"} if self._tokens else {}
        return await self._fetcher.fetch(
            f"{self._base}{path}",
            method=method,
            headers={**self._headers, **signed},
            json=body,
            most=most,
            refusal=self._service.refusal,
        )

    async def _turn(self) -> None:
        if self._pace:
            now = self._clock()
            mine = max(now, self._free)
            self._free = mine + self._pace
            await self._sleep(mine - now)


def word(said: str) -> str:
    """What a service calls a reason, if it is a word: a text of its own may hold what it was asked with."""
    return said if said.isascii() and said.replace("_", "").isalpha() and len(said) <= _LONGEST_WORD else ""


async def unless_gone(asked: Awaitable[T]) -> T | None:
    """What is asked for; None when it is not there, or not for this account."""
    try:
        return await asked
    except Rejected as error:
        if not error.gone:
            raise
        return None


def _asked(path: str, query: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(query)}" if query else path
