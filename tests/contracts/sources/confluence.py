"""Confluence, in both editions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import httpx2
from markdown_it import MarkdownIt

from adapters.fetch.fetcher import open_fetcher
from adapters.sources.confluence.api import Api, credentials
from adapters.sources.confluence.cloud import Cloud
from adapters.sources.confluence.data_center import DataCenter
from adapters.sources.confluence.source import ConfluenceSource
from pipeline.ports import DocumentSource, SourceMemory
from tests.doubles.confluence import cloud, data_center
from tests.doubles.confluence.cloud import CloudSite
from tests.doubles.confluence.data_center import DataCenterSite
from tests.doubles.confluence.wiki import BOT, Content, Wiki
from tests.doubles.outage import at_once
from tests.doubles.reader import ReaderHere

SPACE = "ENG"


class ConfluenceRemote:
    lacks: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, site: CloudSite | DataCenterSite) -> None:
        self.site = site
        self._pages: dict[str, Content] = {}
        site.wiki.space(SPACE)
        self.parent = site.wiki.page(SPACE, "Elsewhere", "", labels={"skip"})

    @property
    def wiki(self) -> Wiki:
        return self.site.wiki

    @property
    def requests(self) -> int:
        return self.site.outage.requests

    @asynccontextmanager
    async def source(
        self, memory: SourceMemory, spaces: tuple[str, ...] = (SPACE,), **settings: object
    ) -> AsyncIterator[DocumentSource]:
        reader = ReaderHere()
        on_cloud = isinstance(self.site, CloudSite)
        headers = credentials(cloud.TOKEN, cloud.EMAIL) if on_cloud else credentials(data_center.TOKEN)
        ports = frozenset(filter(None, (urlsplit(url).port for url in (self.site.url, self.site.media))))
        try:
            async with open_fetcher(
                private=True, ports=ports, headers=headers, origin=self.site.url, sleep=at_once
            ) as fetcher:
                api = Api(fetcher, self.site.url)
                edition = Cloud(api) if on_cloud else DataCenter(api)
                more = {"without_labels": frozenset({"skip"}), **settings}
                yield ConfluenceSource("wiki", self.site.url, spaces, edition, reader, **more)  # type: ignore[arg-type]
        finally:
            await reader.close()

    async def put(self, key: str, title: str, text: str) -> None:
        body = MarkdownIt("commonmark", {"xhtmlOut": True}).render(text)
        if key in self._pages:
            self.wiki.edit(self._pages[key], title=title, body=body)
        else:
            self._pages[key] = self.wiki.page(SPACE, title, body)

    async def delete(self, key: str) -> None:
        self._pages[key].status = "trashed"

    async def move(self, key: str, to: str) -> None:
        self._pages[to] = self._pages.pop(key)
        self._pages[to].parent = self.parent.id

    async def restrict(self, key: str) -> None:
        self._pages[key].readers = {BOT}

    def fail_after(self, requests: int | None) -> None:
        self.site.outage.fail_after(requests)

    def throttle(self, requests: int) -> None:
        self.site.outage.throttle(requests)

    async def open(self, url: str) -> str:
        async with httpx2.AsyncClient() as client:
            response = await client.get(url)
        assert response.status_code == 200
        return response.text


@asynccontextmanager
async def open_cloud(_: Path) -> AsyncIterator[ConfluenceRemote]:
    async with CloudSite().running() as site:
        yield ConfluenceRemote(site)


@asynccontextmanager
async def open_data_center(_: Path) -> AsyncIterator[ConfluenceRemote]:
    async with DataCenterSite().running() as site:
        yield ConfluenceRemote(site)
