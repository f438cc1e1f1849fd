"""Routes that show the text of a document at the cited passage, to everybody who has a link to it."""

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

_PIECE_BYTES = 1 << 16
"""Bytes of a file that are sent at a time."""

LinkEndpoint = Callable[[Request, SignedLinks, LinkTarget, Visitor | None], Awaitable[Response]]


def routes(context: WebContext) -> Sequence[BaseRoute]:
    """Return the routes; none where no links are made."""
    if context.links is None:
        return []
    return [
        Route("/s/{token}", _open_link(context, context.links, _text_page(context))),
        Route("/s/{token}/original", _open_link(context, context.links, _original_file(context))),
    ]


def _open_link(context: WebContext, links: SignedLinks, show: LinkEndpoint) -> Callable[[Request], Awaitable[Response]]:
    """Wrap an endpoint that a link alone opens. A visitor who is known must also be among the readers of the
    document."""

    async def answer(request: Request) -> Response:
        visitor = await context.authenticator.authenticate(request)
        if is_rate_limited(context, request, visitor, LINKS_PER_MINUTE):
            return too_many_requests(request, visitor)
        try:
            cited = await links.resolve(request.path_params["token"])
            if (
                visitor
                and cited.document.collection
                not in (await context.queries.resolve_audience(visitor.readers)).collections
            ):
                response: Response = _refusal_page(request, wording.NOT_YOURS, visitor)
            else:
                response = await show(request, links, cited, visitor)
        except InvalidLink as closed:
            response = _refusal_page(request, wording.REFUSALS[closed.reason], visitor)
        response.headers.update(PRIVATE_HEADERS)
        return response

    return handle_unavailable(answer)


def _text_page(context: WebContext) -> LinkEndpoint:
    async def show(request: Request, links: SignedLinks, cited: LinkTarget, visitor: Visitor | None) -> Response:
        position = _parse_position(request.query_params.get("at", ""), cited)
        first = max(0, position - BEFORE)
        excerpt = await links.excerpt(cited, first, position - first + 1 + AFTER)
        has_file = context.serves_originals and await links.link_targets.has_original(cited.document)
        translator = browser_translator(request)
        view = make_document_view(cited, excerpt, position, translator)
        return pages.render_page(
            request, "source.html", visitor, translator, text=wording, shown=view, has_file=has_file
        )

    return show


def _original_file(context: WebContext) -> LinkEndpoint:
    async def show(request: Request, links: SignedLinks, cited: LinkTarget, visitor: Visitor | None) -> Response:
        file = await links.link_targets.open_original(cited.document) if context.serves_originals else None
        if file is None:
            return _refusal_page(request, wording.NO_ORIGINAL, visitor)
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

    return show


class _FileResponse(StreamingResponse):
    """An open file, closed as soon as it is sent or its reader is gone."""

    def __init__(self, file: BinaryIO, headers: Mapping[str, str], media_type: str) -> None:
        super().__init__(iter(lambda: file.read(_PIECE_BYTES), b""), headers=headers, media_type=media_type)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._file:
            await super().__call__(scope, receive, send)


def _parse_position(digits: str, cited: LinkTarget) -> int:
    """Return the position in the URL; that of the cited passage where there is no such passage."""
    position = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < len(str(1 << 20)) else -1
    return position if 0 <= position < cited.total else cited.chunk.position


def _refusal_page(request: Request, refusal: wording.LinkRefusal, visitor: Visitor | None) -> Response:
    translator = browser_translator(request)
    return pages.render_page(
        request, "source_refused.html", visitor, translator, status=refusal.status, refusal=refusal
    )
