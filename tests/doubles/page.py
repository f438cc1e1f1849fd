"""The page of a bot that runs in this process: its real routes over a real data folder, asked without a socket."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from httpx2 import ASGITransport, AsyncClient, Response
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from adapters.http.auth import RateLimiter
from adapters.http.hosts import LocalOperator
from adapters.web import pages
from adapters.web.config import WebConfig
from adapters.web.context import Visitor, WebAuthenticator, WebContext
from adapters.web.links import SignedLinks
from adapters.web.loopback import LoopbackAuthenticator
from adapters.web.source import routes as source
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.wiring import open_citewell
from pipeline.ports import PassageLinks
from pipeline.values import Block, BlockKind, Document, DocumentExcerpt, ParsedDocument, RetrievedChunk
from tests.doubles.settings import extractive

URL = "https://citewell.acme.example"
"""What readers reach it as."""


def with_page(data: Path, *, originals: bool = False, **more: object) -> Settings:
    """Settings of a bot with a page, whose links lead to it."""
    web = WebConfig(listen="127.0.0.1:8080", url=URL, originals=originals)
    return extractive(data, embedder="none", web=web, **more)


@dataclass(frozen=True)
class OpenPage:
    citewell: Citewell
    client: AsyncClient
    routes: Sequence[BaseRoute]

    async def get(self, address: str, **headers: str) -> Response:
        return await self.client.get(address, headers=headers)

    async def links(self) -> PassageLinks:
        assert self.citewell.links
        return await self.citewell.links()

    async def keep(self, *documents: ParsedDocument) -> None:
        for one in documents:
            await self.citewell.indexer.add_document(one)

    async def excerpt(self, document_id: str) -> DocumentExcerpt:
        found = await self.citewell.storage.library.excerpt(document_id, 0, 1000)
        assert found
        return found

    async def link(self, document_id: str, *quotes: str, position: int = 0) -> str:
        found = await self.excerpt(document_id)
        passage = RetrievedChunk(chunk=found.chunks[position], document=found.document, score=1.0)
        return (await self.links()).build_url(passage, quotes)


@asynccontextmanager
async def open_page(
    settings: Settings, *, visitor: Visitor | None = None, clock: Callable[[], float] = time.time
) -> AsyncIterator[OpenPage]:
    """Looked at by `visitor`, or by somebody of whom nothing is known."""
    async with open_citewell(settings) as citewell:
        site = SimpleNamespace(  # what its room asks of a site
            authenticator=_Always(visitor),
            queries=citewell.reading,
            links=SignedLinks(URL, citewell.sources, clock),
            serves_originals=settings.web.originals,
            rate_limiter=RateLimiter(clock=count(step=60).__next__),
        )
        routes = [pages.asset_route(), *source.routes(cast("WebContext", site))]
        app = Starlette(routes=routes)
        async with AsyncClient(transport=ASGITransport(app=app), base_url=URL) as client:
            yield OpenPage(citewell, client, routes)


class _Always(LoopbackAuthenticator, WebAuthenticator):
    def __init__(self, who: Visitor | None) -> None:
        super().__init__(LocalOperator())
        self._who = who

    async def authenticate(self, request: object) -> Visitor | None:
        return self._who


@dataclass
class Seen(HTMLParser):
    """What a browser would make of a page: its elements with their attributes, and what is read."""

    elements: list[tuple[str, Mapping[str, str | None]]] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    text: str = ""
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    @classmethod
    def of(cls, html: str) -> Seen:
        seen = cls()
        seen.feed(html)
        seen.close()
        return seen

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "mark":
            self.marked.append("")
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.text += data
        if "mark" in self._open:
            self.marked[-1] += data

    def all(self, tag: str) -> list[Mapping[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def prose(*texts: str) -> list[Block]:
    return [Block(kind=BlockKind.PROSE, text=text) for text in texts]


def parsed(name: str, blocks: list[Block], **more: object) -> ParsedDocument:
    given = {"id": name, "filename": f"{name}.md", "title": f"About {name}", "source": "folder", **more}
    return ParsedDocument(document=Document.model_validate(given), blocks=blocks)
