"""What stands before every page: who looks at it, and that what changes something was asked for on a page of ours."""

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
"""The field of every form, and with `X-` before it the header of every script, that brings `Visitor.csrf` along."""

PAGES_PER_MINUTE = 300
"""Pages of one person, or of one address that nobody signed in from."""
LINKS_PER_MINUTE = 3000
"""Sources of one address: a whole office may stand behind it."""

MAX_FORM_FIELDS = 50
"""Of a form; ours have eight at most."""

Endpoint = Callable[[Request], Awaitable[Response]]

log = structlog.get_logger(__name__)


def is_rate_limited(
    site: WebContext, request: Request, visitor: Visitor | None, per_minute: int = PAGES_PER_MINUTE
) -> bool:
    """Whether somebody asks for pages faster than anybody reads them; counts this one."""
    return site.rate_limiter.count_call(visitor.person if visitor else client_key(request), per_minute) > 0


def too_many_requests(request: Request, visitor: Visitor | None) -> Response:
    return render_message(request, visitor, wording.TOO_OFTEN, 429)


def render_message(request: Request, visitor: Visitor | None, said: TranslatableText, status: int) -> Response:
    """A page that says why there is nothing else on it."""
    answer = pages.render_page(request, "why.html", visitor, browser_translator(request), status=status, said=said)
    answer.headers["Retry-After"] = "10"
    return answer


def handle_unavailable(handle: Endpoint) -> Endpoint:
    """What cannot be reached for a while is told in a sentence, and logged."""

    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except CitewellError as error:
            log.warning("page_failed", path=request.url.path, reason=str(error))
            return render_message(request, None, TRY_AGAIN, 503)

    return answer


def protect_page(site: WebContext, handle: Callable[[Request, Visitor], Awaitable[Response]]) -> Endpoint:
    """A page for whoever is known; others are led to the sign-in, and back."""

    async def answer(request: Request) -> Response:
        visitor = await site.authenticator.authenticate(request)
        if is_rate_limited(site, request, visitor):
            return too_many_requests(request, visitor)
        if visitor is None:
            here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return pages.see_other(f"{SIGN_IN}?next={quote(here)}")
        return await handle(request, visitor)

    return handle_unavailable(answer)


def protect_form(site: WebContext, handle: Callable[[Request, Visitor, FormData], Awaitable[Response]]) -> Endpoint:
    """A form that was sent: by whoever is known, from a page of ours."""

    async def answer(request: Request) -> Response:
        visitor = await site.authenticator.authenticate(request)
        if is_rate_limited(site, request, visitor):
            return too_many_requests(request, visitor)
        if visitor is None:
            return _refused(request, visitor)
        try:
            form = await request.form(max_files=0, max_fields=MAX_FORM_FIELDS)
        except HTTPException:
            return _refused(request, visitor)
        given = request.headers.get(f"x-{CSRF_FIELD}") or str(form.get(CSRF_FIELD, ""))
        if not site.authenticator.is_valid_csrf(visitor, given, request):
            return _refused(request, visitor)
        return await handle(request, visitor, form)

    return handle_unavailable(answer)


def _refused(request: Request, visitor: Visitor | None) -> Response:
    return pages.render_page(request, "refused.html", visitor, browser_translator(request), status=403, text=wording)
