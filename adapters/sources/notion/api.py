"""Requests of Notion's API, no faster than it allows, and its errors in our words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TypeVar
from urllib.parse import urlencode

from pydantic import ValidationError

from adapters.fetch.fetcher import Fetched, Fetcher
from adapters.sources.answers import Parts
from adapters.sources.notion.wire import Batch, BlockPart, DataSource, Found, Page, Wire
from pipeline.errors import Unavailable

VERSION = "2025-09-03"
SERVICE = "notion"
PACE = 1 / 3
"""Seconds between two requests: Notion allows three a second on average."""
_AT_ONCE = 100
_SAID = {401: "does not take the token", 403: "does not let the token read this"}
_HINTS = {
    401: "Check the token: docs/sources.md says where to get it.",
    403: "Give the connection the capability to read content.",
}
T = TypeVar("T", bound=Wire)


def credentials(token: str) -> dict[str, str]:
    """The headers that show who asks."""
    return {"authorization": f"Bearer {token}"}


class Api:
    """What a connection may read at `base_url`, with `pace` seconds between two requests."""

    def __init__(
        self,
        fetcher: Fetcher,
        base_url: str,
        *,
        pace: float = PACE,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._base = base_url.rstrip("/")
        self._pace = pace
        self._clock = clock
        self._sleep = sleep
        self._free = 0.0
        """When the next request may be made."""

    async def search(self) -> AsyncIterator[Page | DataSource]:
        """The pages and data sources that Notion finds, not surely all; the longest unchanged first, so that what is
        edited meanwhile is not passed over."""
        body = {"sort": {"timestamp": "last_edited_time", "direction": "ascending"}}
        async for found in self._listed("/v1/search", body):
            yield found

    async def rows(self, data_source: str) -> AsyncIterator[Page]:
        """All pages of a data source; none when it is not shared any more."""
        async for found in self._listed(f"/v1/data_sources/{data_source}/query", {}):
            if isinstance(found, Page):
                yield found

    async def children(self, block: str) -> AsyncIterator[BlockPart]:
        """The blocks directly below a block or page; none when it is not shared any more."""
        cursor, parts = "", Parts(SERVICE)
        while True:
            parts.follow(cursor)
            query = {"page_size": str(_AT_ONCE)} | ({"start_cursor": cursor} if cursor else {})
            answer = await self._ask("GET", f"/v1/blocks/{block}/children?{urlencode(query)}")
            if answer is None:
                return
            batch = _read(answer, Batch)
            for part in batch.results:
                yield _checked(part, BlockPart)
            cursor = batch.next_cursor or ""
            if not batch.has_more or not cursor:
                return

    async def one(self, kind: str, found_id: str) -> Page | DataSource | None:
        """A page or data source by its id; None when it is gone or not shared any more."""
        answer = await self._ask("GET", f"/v1/{kind}s/{found_id}")
        if answer is None:
            return None
        return _read(answer, DataSource) if kind == "data_source" else _read(answer, Page)

    async def _listed(self, path: str, body: Mapping[str, object]) -> AsyncIterator[Page | DataSource]:
        cursor, parts = "", Parts(SERVICE)
        while True:
            parts.follow(cursor)
            asked = {**body, "page_size": _AT_ONCE, **({"start_cursor": cursor} if cursor else {})}
            answer = await self._ask("POST", path, asked)
            if answer is None:
                return
            batch = _read(answer, Batch)
            for result in batch.results:
                match _checked(result, Found).object:
                    case "page":
                        yield _checked(result, Page)
                    case "data_source":
                        yield _checked(result, DataSource)
            cursor = batch.next_cursor or ""
            if not batch.has_more or not cursor:
                return

    async def _ask(self, method: str, path: str, body: object = None) -> Fetched | None:
        """None for what is not there. Raises Unavailable for every other status but 200."""
        await self._turn()
        headers = {"Notion-Version": VERSION}
        answer = await self._fetcher.fetch(f"{self._base}{path}", method=method, headers=headers, json=body)
        if answer.status == 404:
            return None
        if answer.status != 200:
            hint, said = _HINTS.get(answer.status, ""), _SAID.get(answer.status, "answered")
            raise Unavailable(SERVICE, f"{said} (status {answer.status})", permanent=bool(hint), what_to_do=hint)
        return answer

    async def _turn(self) -> None:
        now = self._clock()
        mine = max(now, self._free)
        self._free = mine + self._pace
        await self._sleep(mine - now)


def _read(answer: Fetched, into: type[T]) -> T:
    try:
        return into.model_validate_json(answer.body)
    except ValidationError as error:
        raise _strange() from error


def _checked(result: object, into: type[T]) -> T:
    try:
        return into.model_validate(result)
    except ValidationError as error:
        raise _strange() from error


def _strange() -> Unavailable:
    return Unavailable(SERVICE, "answered with something that is not as its API is described")
