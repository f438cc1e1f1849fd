"""A web site over loopback: pages with their ETags, a sitemap and a robots.txt."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from aiohttp import web

from tests.doubles.outage import Service


@dataclass(frozen=True)
class Page:
    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    validates: bool = True
    """It has an ETag, and answers 304 to whoever has it."""


def html(title: str, inner: str, head: str = "") -> Page:
    """A page with `inner` as its content, and the site around it."""
    around = '<div class="nav"><a href="/">Start of the site</a> <a href="/index.html">All pages of the site</a></div>'
    body = (
        f"<!doctype html><html><head><title>{escape(title)} - Handbook</title>{head}</head><body>{around}"
        f'<div id="content"><h1 id="top">{escape(title)}</h1>{inner}</div><div class="footer">All rights reserved</div>'
        "</body></html>"
    )
    return Page(body.encode())


def moved(to: str, status: int = 301) -> Page:
    return Page(b"", status, {"Location": to}, validates=False)


class WebSite(Service):
    """`pages` by path with query. `sitemap.xml` lists all that are there, unless it is one of them."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, Page] = {}
        self.robots = "User-agent: *\nAllow: /\n"
        self.headers: dict[str, Mapping[str, str]] = {}
        """Of the last request for each path."""
        self.sent = 0
        """How many pages were sent whole."""

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_get("/{path:.*}", self._serve)

    def urls(self) -> list[str]:
        """What the sitemap lists."""
        return [self.url + path for path in self.pages]

    async def _serve(self, request: web.Request) -> web.Response:
        path = request.raw_path
        self.headers[path] = request.headers
        if path in self.pages:
            return self._page(request, self.pages[path])
        if path == "/robots.txt":
            return web.Response(text=self.robots)
        if path == "/sitemap.xml":
            return web.Response(body=sitemap(self.urls()), content_type="application/xml")
        return web.Response(status=404)

    def _page(self, request: web.Request, page: Page) -> web.Response:
        headers = dict(page.headers)
        if page.validates:
            headers["ETag"] = f'"{hashlib.sha256(page.body).hexdigest()}"'
            if request.headers.get("If-None-Match") == headers["ETag"]:
                return web.Response(status=304, headers={"ETag": headers["ETag"]})
        self.sent += 1
        return web.Response(status=page.status, body=page.body, headers=headers)


def sitemap(urls: list[str]) -> bytes:
    listed = "".join(f"<url><loc>{escape(url)}</loc></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'.encode()


def sitemap_index(urls: list[str]) -> bytes:
    listed = "".join(f"<sitemap><loc>{escape(url)}</loc></sitemap>" for url in urls)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</sitemapindex>'.encode()
