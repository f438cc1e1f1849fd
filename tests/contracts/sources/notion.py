"""Notion, with pages shared with a connection."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Self

from adapters.sources.notion.api import NotionApi, notion_auth_headers
from adapters.sources.notion.source import NotionSource
from pipeline.ports import DocumentSource, SourceCache
from tests.contracts.sources.remote import Remote, reaching
from tests.doubles.notion.server import TOKEN, NotionServer
from tests.doubles.notion.workspace import Block, Page, written


class NotionRemote(Remote):
    """A page that is gone when it is read holds no blocks."""

    lacks: ClassVar[frozenset[str]] = frozenset({"reading"})

    def __init__(self, server: NotionServer) -> None:
        super().__init__(server.outage)
        self.server = server
        self._pages: dict[str, Page] = {}

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path) -> AsyncIterator[Self]:
        async with NotionServer().running() as server:
            yield cls(server)

    @asynccontextmanager
    async def source(
        self, memory: SourceCache, now: Callable[[], datetime] | None = None
    ) -> AsyncIterator[DocumentSource]:
        url = self.server.url
        async with reaching(url, headers=notion_auth_headers(TOKEN), origin=url) as (fetcher, _):
            yield NotionSource("team", NotionApi(fetcher, url, pace=0), memory, **({"now": now} if now else {}))

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

    def revoke(self) -> None:
        self.server.token = "rotated"


def blocks(text: str) -> list[Block]:
    """Headings and paragraphs of Markdown."""
    lines = filter(None, text.splitlines())
    return [written("heading_2", line[3:]) if line.startswith("## ") else written("paragraph", line) for line in lines]
