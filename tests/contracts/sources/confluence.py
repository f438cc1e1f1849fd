"""Confluence, in both editions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from markdown_it import MarkdownIt

from adapters.sources.confluence.api import ConfluenceCloud, ConfluenceDataCenter, confluence_auth_headers
from adapters.sources.confluence.source import ConfluenceSource
from pipeline.ports import DocumentSource, SourceCache
from tests.contracts.sources.remote import Remote, reaching
from tests.doubles.confluence import cloud, data_center
from tests.doubles.confluence.cloud import CloudSite
from tests.doubles.confluence.data_center import DataCenterSite
from tests.doubles.confluence.wiki import BOT, Content, Wiki

SPACE = "ENG"


class ConfluenceRemote(Remote):
    def __init__(self, site: CloudSite | DataCenterSite) -> None:
        super().__init__(site.outage)
        self.site = site
        self._pages: dict[str, Content] = {}
        site.wiki.space(SPACE)
        self.parent = site.wiki.page(SPACE, "Elsewhere", "", labels={"skip"})

    @property
    def wiki(self) -> Wiki:
        return self.site.wiki

    @asynccontextmanager
    async def source(
        self, memory: SourceCache, spaces: tuple[str, ...] = (SPACE,), **settings: object
    ) -> AsyncIterator[DocumentSource]:
        url, on_cloud = self.site.url, isinstance(self.site, CloudSite)
        headers = (
            confluence_auth_headers(cloud.TOKEN, cloud.EMAIL)
            if on_cloud
            else confluence_auth_headers(data_center.TOKEN)
        )
        async with reaching(url, self.site.media, headers=headers, origin=url) as (fetcher, reader):
            edition = ConfluenceCloud(fetcher, url) if on_cloud else ConfluenceDataCenter(fetcher, url)
            more = {"without_labels": frozenset({"skip"}), **settings}
            yield ConfluenceSource("wiki", url, spaces, edition, reader, **more)  # type: ignore[arg-type]

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

    def revoke(self) -> None:
        self.site.token = "rotated"


class CloudRemote(ConfluenceRemote):
    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path) -> AsyncIterator[Self]:
        async with CloudSite().running() as site:
            yield cls(site)


class DataCenterRemote(ConfluenceRemote):
    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path) -> AsyncIterator[Self]:
        async with DataCenterSite().running() as site:
            yield cls(site)
