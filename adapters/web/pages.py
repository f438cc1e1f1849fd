"""Pages: templates of ours, whatever stands in them escaped, and headers that let nothing else in.

Words of foreign texts lead where they may."""

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
    """`url` where a browser may be led there; else nothing."""
    return url if _LINKABLE.fullmatch(url) and strip_invisible(url) == url else ""


def safe_runs(text: ReplyText) -> Iterator[TextRun]:
    """The words of a text, each run with the address that it leads to; with none, mostly."""
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
    words: Translator = ENGLISH_TRANSLATOR,
    *,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """`template` with `values`; `say` in it gives our words in the visitor's language, `visitor` who looks at it."""
    text = (
        _templates()
        .get_template(template)
        .render(
            request=request,
            visitor=visitor,
            say=words,
            language=words.language,
            direction="rtl" if words.language in RTL_LANGUAGES else "ltr",
            **{"admin": False, "heading": "", **values},
        )
    )
    return HTMLResponse(text, status, headers=dict(HEADERS))


def render_fragment(template: str, words: Translator, **values: Any) -> str:
    """A part of a page, which a script puts into it."""
    return _templates().get_template(template).render(say=words, **values)


def see_other(path: str) -> Response:
    """After a form: the page to look at now."""
    return RedirectResponse(path, 303, headers=dict(HEADERS))


def asset_route() -> BaseRoute:
    """Styles and scripts, kept in memory: strangers ask for them, too. Their addresses change with their content, so
    that browsers keep them."""
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


def _shown(value: Any) -> Any:
    """A value as it may stand on a page. What is markup already was made of such values."""
    return strip_invisible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters["zip"] = zip
    made.globals.update(asset=_asset, common=wording, opened=safe_href, pieces=pieces, spans=safe_runs)
    return made


@cache
def _asset(name: str) -> Markup:
    """The address of a file in `static`."""
    digest = hashlib.sha256(_static()[name]).hexdigest()[:12]
    return Markup(f"/static/{name}?{digest}")  # noqa: S704 - a name of ours and a digest
