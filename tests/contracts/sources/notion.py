"""Notion, with pages shared with a connection."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import httpx2

from adapters.fetch.fetcher import open_fetcher
from adapters.sources.notion.api import Api, credentials
from adapters.sources.notion.source import NotionSource
from pipeline.ports import DocumentSource, SourceMemory
from tests.doubles.notion.server import TOKEN, NotionServer
from tests.doubles.notion.workspace import Block, Page, written
from tests.doubles.outage import at_once


class NotionRemote:
    lacks: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, server: NotionServer) -> None:
        self.server = server
        self._pages: dict[str, Page] = {}

    @property
    def requests(self) -> int:
        return self.server.outage.requests

    @asynccontextmanager
    async def source(
        self, memory: SourceMemory, now: Callable[[], datetime] | None = None
    ) -> AsyncIterator[DocumentSource]:
        ports = frozenset(filter(None, {urlsplit(self.server.url).port}))
        headers, origin = credentials(TOKEN), self.server.url
        async with open_fetcher(private=True, ports=ports, headers=headers, origin=origin, sleep=at_once) as fetcher:
            api = Api(fetcher, self.server.url, pace=0)
            yield NotionSource("team", api, memory, **({"now": now} if now else {}))

    async def put(self, key: str, title: str, text: str) -> None:
        if key in self._pages:
            self.server.workspace.edit(self._pages[key], *blocks(text), title=title)
        else:
            self._pages[key] = self.server.workspace.page(title, *blocks(text))

    async def delete(self, key: str) -> None:
        self._pages[key].in_trash = True

    async def move(self, key: str, to: str) -> None:
        self._pages[to] = self._pages.pop(key)
        others = (page for page in self._pages.values() if page is not self._pages[to])
        self._pages[to].parent = next(others).id

    async def restrict(self, key: str) -> None:
        self._pages[key].shared = False

    def fail_after(self, requests: int | None) -> None:
        self.server.outage.fail_after(requests)

    def throttle(self, requests: int) -> None:
        self.server.outage.throttle(requests)

    async def open(self, url: str) -> str:
        async with httpx2.AsyncClient() as client:
            response = await client.get(url)
        assert response.status_code == 200
        return response.text


def blocks(text: str) -> list[Block]:
    """Headings and paragraphs of Markdown."""
    lines = filter(None, text.splitlines())
    return [written("heading_2", line[3:]) if line.startswith("## ") else written("paragraph", line) for line in lines]


@asynccontextmanager
async def open_notion(_: Path) -> AsyncIterator[NotionRemote]:
    async with NotionServer().running() as server:
        yield NotionRemote(server)
