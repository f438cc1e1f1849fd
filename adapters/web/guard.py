"""Guards before every page: who the visitor is, rate limits, and that a change was asked for on our own page (CSRF)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import quote

import structlog
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from adapters.http.auth import client_key
from adapters.web import pages, wording
from adapters.web.context import Visitor, WebContext
from adapters.web.forms import browser_translator
from pipeline.errors import CitewellError
from pipeline.translations import TranslatableText
from pipeline.words.wording import TRY_AGAIN

SIGN_IN = "/sign-in"
CSRF_FIELD = "csrf"
"""The field of every form that carries `Visitor.csrf`; scripts send it in the header of this name with `X-` before
it."""

PAGES_PER_MINUTE = 300
"""Pages of one person a minute, or of one address where nobody is signed in."""
LINKS_PER_MINUTE = 3000
"""Source links of one address a minute: a whole office may share it."""

MAX_FORM_FIELDS = 50
"""Fields of a form; ours have eight at most."""

Endpoint = Callable[[Request], Awaitable[Response]]

log = structlog.get_logger(__name__)


def is_rate_limited(
    context: WebContext, request: Request, visitor: Visitor | None, per_minute: int = PAGES_PER_MINUTE
) -> bool:
    """Return True where somebody asks for pages faster than anybody reads them. This request is counted."""
    return context.rate_limiter.count_call(visitor.person if visitor else client_key(request), per_minute) > 0


def too_many_requests(request: Request, visitor: Visitor | None) -> Response:
    """Return the page for a client that sends too many requests (429)."""
    return render_message(request, visitor, wording.TOO_OFTEN, 429)


def render_message(request: Request, visitor: Visitor | None, text: TranslatableText, status: int) -> Response:
    """Render a page with one message instead of its content."""
    answer = pages.render_page(request, "why.html", visitor, browser_translator(request), status=status, said=text)
    answer.headers["Retry-After"] = "10"
    return answer


def handle_unavailable(handle: Endpoint) -> Endpoint:
    """Wrap an endpoint: an error of ours becomes a page with a message (503), and is logged."""

    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except CitewellError as error:
            log.warning("page_failed", path=request.url.path, reason=str(error))
            return render_message(request, None, TRY_AGAIN, 503)

    return answer


def protect_page(context: WebContext, handle: Callable[[Request, Visitor], Awaitable[Response]]) -> Endpoint:
    """Wrap a page that needs a visitor; others are redirected to the sign-in, and back."""

    async def answer(request: Request) -> Response:
        visitor = await context.authenticator.authenticate(request)
        if is_rate_limited(context, request, visitor):
            return too_many_requests(request, visitor)
        if visitor is None:
            return_path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return pages.see_other(f"{SIGN_IN}?next={quote(return_path)}")
        return await handle(request, visitor)

    return handle_unavailable(answer)


def protect_form(context: WebContext, handle: Callable[[Request, Visitor, FormData], Awaitable[Response]]) -> Endpoint:
    """Wrap the handler of a form: its sender must be known, and must have filled it in on our page."""

    async def answer(request: Request) -> Response:
        visitor = await context.authenticator.authenticate(request)
        if is_rate_limited(context, request, visitor):
            return too_many_requests(request, visitor)
        if visitor is None:
            return _refusal_page(request, visitor)
        try:
            form = await request.form(max_files=0, max_fields=MAX_FORM_FIELDS)
        except HTTPException:
            return _refusal_page(request, visitor)
        token = request.headers.get(f"x-{CSRF_FIELD}") or str(form.get(CSRF_FIELD, ""))
        if not context.authenticator.is_valid_csrf(visitor, token, request):
            return _refusal_page(request, visitor)
        return await handle(request, visitor, form)

    return handle_unavailable(answer)


def _refusal_page(request: Request, visitor: Visitor | None) -> Response:
    return pages.render_page(request, "refused.html", visitor, browser_translator(request), status=403, text=wording)
