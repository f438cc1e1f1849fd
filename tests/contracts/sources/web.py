"""A web site that has a sitemap."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from adapters.sources.web.crawl import CrawlScope
from adapters.sources.web.source import WebSource
from pipeline.ports import SourceCache
from tests.contracts.sources.remote import Remote, reaching
from tests.doubles.outage import at_once
from tests.doubles.web_site import WebSite, html, moved


class WebRemote(Remote):
    lacks: ClassVar[frozenset[str]] = frozenset({"token", "api", "reading"})

    def __init__(self, site: WebSite) -> None:
        super().__init__(site.outage)
        self.site = site

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path) -> AsyncIterator[Self]:
        async with WebSite().running() as site:
            yield cls(site)

    @asynccontextmanager
    async def source(
        self, memory: SourceCache, coverage: CrawlScope | None = None, **settings: Any
    ) -> AsyncIterator[WebSource]:
        coverage = coverage or CrawlScope(sitemap=f"{self.site.url}/sitemap.xml")
        async with reaching(self.site.url) as (fetcher, reader):
            yield WebSource("handbook", fetcher, memory, reader, coverage, **{"sleep": at_once, **settings})

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

    async def open(self, url: str) -> str:
        text = await super().open(url)
        assert f'id="{urlsplit(url).fragment}"' in text
        return text.replace(">", "> ")
