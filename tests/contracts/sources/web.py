"""A web site that has a sitemap."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import httpx2
from markdown_it import MarkdownIt

from adapters.fetch.fetcher import open_fetcher
from adapters.sources.web.reach import Reach
from adapters.sources.web.source import WebSource
from pipeline.ports import DocumentSource, SourceMemory
from tests.doubles.outage import at_once
from tests.doubles.reader import ReaderHere
from tests.doubles.web_site import WebSite, html, moved


class WebRemote:
    lacks: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, site: WebSite) -> None:
        self.site = site

    @property
    def requests(self) -> int:
        return self.site.outage.requests

    @asynccontextmanager
    async def source(self, memory: SourceMemory) -> AsyncIterator[DocumentSource]:
        reader = ReaderHere()
        ports = frozenset(filter(None, [urlsplit(self.site.url).port]))
        reach = Reach(sitemap=f"{self.site.url}/sitemap.xml")
        try:
            async with open_fetcher(private=True, ports=ports, sleep=at_once) as fetcher:
                yield WebSource("handbook", fetcher, memory, reader, reach, sleep=at_once)
        finally:
            await reader.close()

    async def put(self, key: str, title: str, text: str) -> None:
        written = MarkdownIt().render(text).replace("<h2>Holidays", '<h2 id="holidays">Holidays')
        self.site.pages[f"/{key}"] = html(title, written)

    async def delete(self, key: str) -> None:
        del self.site.pages[f"/{key}"]

    async def move(self, key: str, to: str) -> None:
        self.site.pages[f"/{to}"] = self.site.pages[f"/{key}"]
        self.site.pages[f"/{key}"] = moved(f"/{to}")

    async def restrict(self, key: str) -> None:
        self.site.pages[f"/{key}"] = replace(self.site.pages[f"/{key}"], status=403, validates=False)

    def fail_after(self, requests: int | None) -> None:
        self.site.outage.fail_after(requests)

    def throttle(self, requests: int) -> None:
        self.site.outage.throttle(requests)

    async def open(self, url: str) -> str:
        async with httpx2.AsyncClient(trust_env=False) as browser:
            response = await browser.get(url)
        assert response.status_code == 200
        fragment = urlsplit(url).fragment
        assert f'id="{fragment}"' in response.text
        return response.text.replace(">", "> ")


@asynccontextmanager
async def open_web(folder: Path) -> AsyncIterator[WebRemote]:
    async with WebSite().running() as site:
        yield WebRemote(site)
