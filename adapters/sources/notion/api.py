"""A client of Notion's API that respects its rate limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import AfterValidator, ConfigDict, Field

from adapters.fetch.fetcher import Fetcher
from adapters.sources.rest_client import Json, ResponseModel, RestClient, RestService, none_if_missing
from pipeline.values import Link, replace

# --- Responses ------------------------------------------------------------------------------------


def _check_timestamp(value: str) -> str:
    if datetime.fromisoformat(value).tzinfo is None:
        raise ValueError("a moment has a time zone")
    return value


Timestamp = Annotated[str, AfterValidator(_check_timestamp)]
"""A time in ISO 8601, with a time zone."""


class NotionResults(ResponseModel):
    """A list, or the part of it that one request gets."""

    results: tuple[Json, ...]
    next_cursor: str | None = None
    has_more: bool = False

    @property
    def next_token(self) -> str:
        return (self.next_cursor or "") if self.has_more else ""


class NotionObject(ResponseModel):
    object: str


class _Trashable(ResponseModel):
    archived: bool = False
    in_trash: bool = False

    @property
    def gone(self) -> bool:
        return self.archived or self.in_trash


class NotionPage(_Trashable):
    id: str
    url: str = ""
    edited: Timestamp = Field(alias="last_edited_time")
    properties: dict[str, Json] = Field(default_factory=dict)

    @property
    def title(self) -> str:
        titles = (value for value in self.properties.values() if value.get("type") == "title")
        return rich_text_plain(next(titles, {}).get("title"))

    @property
    def without_properties(self) -> NotionPage:
        """The page without its properties but the title: thousands of rows need not keep them in memory."""
        title = {name: value for name, value in self.properties.items() if value.get("type") == "title"}
        return replace(self, properties=title)


class NotionDataSource(_Trashable):
    """A table of a database."""

    id: str
    url: str = ""
    edited: Timestamp = Field(alias="last_edited_time")
    rich_title: tuple[Json, ...] = Field((), alias="title")
    properties: dict[str, Json] = Field(default_factory=dict)

    @property
    def title(self) -> str:
        return rich_text_plain(self.rich_title)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, the title's first."""
        return sorted(self.properties, key=lambda name: self.properties[name].get("type") != "title")


class NotionBlock(_Trashable):
    """A block without those below it."""

    id: str
    type: str
    has_children: bool = False
    model_config = ConfigDict(extra="allow")

    @property
    def type_data(self) -> Mapping[str, Any]:
        """The fields particular to its type."""
        data = (self.model_extra or {}).get(self.type)
        return data if isinstance(data, Mapping) else {}


def rich_text_plain(rich_text: object) -> str:
    """Return rich text without its marks."""
    if not isinstance(rich_text, list | tuple):
        return ""
    return "".join(str(part.get("plain_text") or "") for part in rich_text if isinstance(part, Mapping))


def rich_text_links(rich_text: object) -> list[Link]:
    """Return the links in rich text."""
    if not isinstance(rich_text, list | tuple):
        return []
    parts = (part for part in rich_text if isinstance(part, Mapping) and part.get("href"))
    return [Link(text=str(part.get("plain_text") or ""), url=str(part["href"])) for part in parts]


# --- Requests -------------------------------------------------------------------------------------

NOTION_NAME = "notion"
NOTION_VERSION = "2025-09-03"
REQUEST_INTERVAL = 1 / 3
"""Seconds between two requests: Notion allows three a second on average."""
_PAGE_SIZE = 100
_NO_RESULTS = NotionResults(results=())
_SERVICE = RestService(
    NOTION_NAME,
    {
        401: ("does not take the token", "Check the token: docs/sources.md says where to get it."),
        403: ("does not let the token read this", "Give the connection the capability to read content."),
    },
)


def notion_auth_headers(token: str) -> dict[str, str]:
    """Return the headers that authenticate."""
    return {"authorization": f"Bearer {token}"}


class NotionApi:
    """A client of the API at `base_url`, with `pace` seconds between two requests. It sees what is shared with a
    connection."""

    def __init__(
        self,
        fetcher: Fetcher,
        base_url: str,
        *,
        pace: float = REQUEST_INTERVAL,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        headers = {"Notion-Version": NOTION_VERSION}
        self._rest = RestClient(fetcher, _SERVICE, base_url, headers=headers, pace=pace, clock=clock, sleep=sleep)

    async def search(self) -> AsyncIterator[NotionPage | NotionDataSource]:
        """Yield the pages and data sources that Notion finds, not surely all. The longest unchanged come first, so that
        an edit meanwhile moves no entry out of sight."""
        body = {"sort": {"timestamp": "last_edited_time", "direction": "ascending"}}
        async for result in self._list_objects("/v1/search", body):
            yield result

    async def list_rows(self, data_source: str) -> AsyncIterator[NotionPage]:
        """Yield all pages of a data source; none when it is not shared any more."""
        async for row in self._list_objects(f"/v1/data_sources/{data_source}/query", {}):
            if isinstance(row, NotionPage):
                yield row

    async def list_children(self, block: str) -> AsyncIterator[NotionBlock]:
        """Yield the blocks directly below a block or page; none when it is not shared any more."""

        async def ask(cursor: str) -> NotionResults:
            query = urlencode(_cursor_parameters(cursor))
            return (
                await none_if_missing(self._rest.get(f"/v1/blocks/{block}/children?{query}", NotionResults))
                or _NO_RESULTS
            )

        async for part in self._rest.paginate(ask):
            for result in part.results:
                yield self._rest.validate(result, NotionBlock)

    async def get_object(self, kind: str, object_id: str) -> NotionPage | NotionDataSource | None:
        """Return a page or data source by its id; None when it is gone or not shared any more."""
        path = f"/v1/{kind}s/{object_id}"
        if kind == "data_source":
            return await none_if_missing(self._rest.get(path, NotionDataSource))
        return await none_if_missing(self._rest.get(path, NotionPage))

    async def _list_objects(
        self, path: str, body: Mapping[str, object]
    ) -> AsyncIterator[NotionPage | NotionDataSource]:
        async def ask(cursor: str) -> NotionResults:
            return (
                await none_if_missing(self._rest.post(path, NotionResults, {**body, **_cursor_parameters(cursor)}))
                or _NO_RESULTS
            )

        async for part in self._rest.paginate(ask):
            for result in part.results:
                match self._rest.validate(result, NotionObject).object:
                    case "page":
                        yield self._rest.validate(result, NotionPage)
                    case "data_source":
                        yield self._rest.validate(result, NotionDataSource)


def _cursor_parameters(cursor: str) -> dict[str, str | int]:
    """Return the parameters of the next part of a list."""
    return {"page_size": _PAGE_SIZE} | ({"start_cursor": cursor} if cursor else {})
