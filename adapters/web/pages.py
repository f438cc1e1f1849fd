"""Rendering of pages: our templates, which escape all values, and headers that let nothing else in. URLs of foreign
texts are checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from adapters.chat.reply.inline import TextRun, text_runs
from adapters.chat.reply.parts import ReplyText
from adapters.web import wording
from adapters.web.context import Visitor
from adapters.web.icons import pieces
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.words.text import strip_invisible

_LINKABLE = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.ASCII | re.IGNORECASE)


def safe_href(url: str) -> str:
    """Return `url` where a browser may open it, else an empty string."""
    return url if _LINKABLE.fullmatch(url) and strip_invisible(url) == url else ""


def safe_runs(text: ReplyText) -> Iterator[TextRun]:
    """Return the runs of a text, each with the URL that it leads to; most have none."""
    for run in [TextRun(text.text, text.url)] if text.url else text_runs(text):
        yield run._replace(url=safe_href(run.url))


_HERE = Path(__file__).parent
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
RTL_LANGUAGES = frozenset({"ar", "fa", "he", "ur"})
"""Languages that are written from right to left."""


def render_page(
    request: Request,
    template: str,
    visitor: Visitor | None,
    translator: Translator = ENGLISH_TRANSLATOR,
    *,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """Render `template` with `values`. In it, `say` translates our texts, and `visitor` is the visitor."""
    text = (
        _templates()
        .get_template(template)
        .render(
            request=request,
            visitor=visitor,
            say=translator,
            language=translator.language,
            direction="rtl" if translator.language in RTL_LANGUAGES else "ltr",
            **{"admin": False, "heading": "", **values},
        )
    )
    return HTMLResponse(text, status, headers=dict(HEADERS))


def render_fragment(template: str, translator: Translator, **values: Any) -> str:
    """Render a part of a page, which a script inserts."""
    return _templates().get_template(template).render(say=translator, **values)


def see_other(path: str) -> Response:
    """Redirect to the page to show after a form."""
    return RedirectResponse(path, 303, headers=dict(HEADERS))


def asset_route() -> BaseRoute:
    """Return the route of styles and scripts. They are kept in memory, as strangers ask for them too; their URLs change
    with their content, so that browsers can cache them."""
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}

    async def asset(request: Request) -> Response:
        content = _static().get(name := request.path_params["name"])
        if content is None:
            return PlainTextResponse("Not Found", 404)
        return Response(content, headers=headers, media_type=guess_type(name)[0])

    return Route("/static/{name}", asset)


@cache
def _static() -> Mapping[str, bytes]:
    return {file.name: file.read_bytes() for file in (_HERE / "static").iterdir()}


def _sanitize(value: Any) -> Any:
    """Return a value without invisible characters. Markup stays: it was made of such values."""
    return strip_invisible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_sanitize,
    )
    environment.filters["zip"] = zip
    environment.globals.update(asset=_asset, common=wording, opened=safe_href, pieces=pieces, spans=safe_runs)
    return environment


@cache
def _asset(name: str) -> Markup:
    """Return the URL of a file in `static`."""
    digest = hashlib.sha256(_static()[name]).hexdigest()[:12]
    return Markup(f"/static/{name}?{digest}")  # noqa: S704 - a name of ours and a digest
