"""What is asked of Notion's API, no faster than it allows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import urlencode

from adapters.fetch.fetcher import Fetcher
from adapters.sources.notion.shapes import BlockPart, DataSource, Found, NotionPage, ResultPart
from adapters.sources.rest import Rest, Service, unless_gone

NAME = "notion"
VERSION = "2025-09-03"
PACE = 1 / 3
"""Seconds between two requests: Notion allows three a second on average."""
_AT_ONCE = 100
_NOTHING = ResultPart(results=())
_SERVICE = Service(
    NAME,
    {
        401: ("does not take the token", "Check the token: docs/sources.md says where to get it."),
        403: ("does not let the token read this", "Give the connection the capability to read content."),
    },
)


def credentials(token: str) -> dict[str, str]:
    """The headers that show who asks."""
    return {"authorization": f"Bearer {token}"}


class NotionApi:
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
        headers = {"Notion-Version": VERSION}
        self._rest = Rest(fetcher, _SERVICE, base_url, headers=headers, pace=pace, clock=clock, sleep=sleep)

    async def search(self) -> AsyncIterator[NotionPage | DataSource]:
        """The pages and data sources that Notion finds, not surely all; the longest unchanged first, so that what is
        edited meanwhile is not passed over."""
        body = {"sort": {"timestamp": "last_edited_time", "direction": "ascending"}}
        async for found in self._listed("/v1/search", body):
            yield found

    async def rows(self, data_source: str) -> AsyncIterator[NotionPage]:
        """All pages of a data source; none when it is not shared any more."""
        async for found in self._listed(f"/v1/data_sources/{data_source}/query", {}):
            if isinstance(found, NotionPage):
                yield found

    async def children(self, block: str) -> AsyncIterator[BlockPart]:
        """The blocks directly below a block or page; none when it is not shared any more."""

        async def ask(cursor: str) -> ResultPart:
            query = urlencode(_after(cursor))
            return await unless_gone(self._rest.get(f"/v1/blocks/{block}/children?{query}", ResultPart)) or _NOTHING

        async for part in self._rest.parts(ask):
            for result in part.results:
                yield self._rest.read(result, BlockPart)

    async def one(self, kind: str, found_id: str) -> NotionPage | DataSource | None:
        """A page or data source by its id; None when it is gone or not shared any more."""
        path = f"/v1/{kind}s/{found_id}"
        if kind == "data_source":
            return await unless_gone(self._rest.get(path, DataSource))
        return await unless_gone(self._rest.get(path, NotionPage))

    async def _listed(self, path: str, body: Mapping[str, object]) -> AsyncIterator[NotionPage | DataSource]:
        async def ask(cursor: str) -> ResultPart:
            return await unless_gone(self._rest.post(path, ResultPart, {**body, **_after(cursor)})) or _NOTHING

        async for part in self._rest.parts(ask):
            for result in part.results:
                match self._rest.read(result, Found).object:
                    case "page":
                        yield self._rest.read(result, NotionPage)
                    case "data_source":
                        yield self._rest.read(result, DataSource)


def _after(cursor: str) -> dict[str, str | int]:
    """How much of a list is asked for."""
    return {"page_size": _AT_ONCE} | ({"start_cursor": cursor} if cursor else {})
