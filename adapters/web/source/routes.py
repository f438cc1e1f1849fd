"""Routes that show the text of a document at the cited passage, to whoever has a link to it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import BinaryIO
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from adapters.web import pages
from adapters.web.context import Visitor, WebContext
from adapters.web.forms import browser_translator
from adapters.web.guard import LINKS_PER_MINUTE, handle_unavailable, is_rate_limited, too_many_requests
from adapters.web.links import InvalidLink, LinkTarget, SignedLinks
from adapters.web.source import wording
from adapters.web.source.document_view import make_document_view
from adapters.web.source.page_window import AFTER, BEFORE

PRIVATE_HEADERS = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
"""The URL is the key to the document: no other page learns it, and no search engine keeps it."""

_PIECE = 1 << 16
"""Bytes of a file that are sent at a time."""

LinkEndpoint = Callable[[Request, SignedLinks, LinkTarget, Visitor | None], Awaitable[Response]]


def routes(site: WebContext) -> Sequence[BaseRoute]:
    """Return the routes; none where no links are made."""
    if site.links is None:
        return []
    return [
        Route("/s/{token}", _opened(site, site.links, _text(site))),
        Route("/s/{token}/original", _opened(site, site.links, _original(site))),
    ]


def _opened(site: WebContext, links: SignedLinks, shows: LinkEndpoint) -> Callable[[Request], Awaitable[Response]]:
    """Wrap an endpoint that a link alone opens. A visitor who is known must also be among the readers of the
    document."""

    async def answer(request: Request) -> Response:
        visitor = await site.authenticator.authenticate(request)
        if is_rate_limited(site, request, visitor, LINKS_PER_MINUTE):
            return too_many_requests(request, visitor)
        try:
            cited = await links.resolve(request.path_params["token"])
            if (
                visitor
                and cited.document.collection not in (await site.queries.resolve_audience(visitor.readers)).collections
            ):
                response: Response = _refused(request, wording.NOT_YOURS, visitor)
            else:
                response = await shows(request, links, cited, visitor)
        except InvalidLink as closed:
            response = _refused(request, wording.REFUSALS[closed.reason], visitor)
        response.headers.update(PRIVATE_HEADERS)
        return response

    return handle_unavailable(answer)


def _text(site: WebContext) -> LinkEndpoint:
    async def shows(request: Request, links: SignedLinks, cited: LinkTarget, visitor: Visitor | None) -> Response:
        at = _position(request.query_params.get("at", ""), cited)
        first = max(0, at - BEFORE)
        found = await links.excerpt(cited, first, at - first + 1 + AFTER)
        has_file = site.serves_originals and await links.link_targets.has_original(cited.document)
        words = browser_translator(request)
        shown = make_document_view(cited, found, at, words)
        return pages.render_page(request, "source.html", visitor, words, text=wording, shown=shown, has_file=has_file)

    return shows


def _original(site: WebContext) -> LinkEndpoint:
    async def shows(request: Request, links: SignedLinks, cited: LinkTarget, visitor: Visitor | None) -> Response:
        file = await links.link_targets.open_original(cited.document) if site.serves_originals else None
        if file is None:
            return _refused(request, wording.NO_ORIGINAL, visitor)
        name = quote(PurePosixPath(cited.document.filename).name, safe="")
        headers = {
            "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
            "Content-Length": str(os.fstat(file.fileno()).st_size),
        }
        kind = "application/octet-stream"
        if request.method == "HEAD":
            file.close()
            return Response(headers={**pages.HEADERS, **headers}, media_type=kind)
        return _FileResponse(file, headers={**pages.HEADERS, **headers}, media_type=kind)

    return shows


class _FileResponse(StreamingResponse):
    """An open file, closed as soon as it is sent or its reader is gone."""

    def __init__(self, file: BinaryIO, headers: Mapping[str, str], media_type: str) -> None:
        super().__init__(iter(lambda: file.read(_PIECE), b""), headers=headers, media_type=media_type)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._file:
            await super().__call__(scope, receive, send)


def _position(given: str, cited: LinkTarget) -> int:
    """Return the position in the URL; that of the cited passage where there is no such passage."""
    wanted = int(given) if given.isascii() and given.isdecimal() and len(given) < len(str(1 << 20)) else -1
    return wanted if 0 <= wanted < cited.total else cited.chunk.position


def _refused(request: Request, refusal: wording.LinkRefusal, visitor: Visitor | None) -> Response:
    words = browser_translator(request)
    return pages.render_page(request, "source_refused.html", visitor, words, status=refusal.status, refusal=refusal)
