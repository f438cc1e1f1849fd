"""What stands before every page: who looks at it, and that what changes something was asked for on a page of ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from adapters.web import pages, wording
from adapters.web.language import spoken
from adapters.web.site import Site
from adapters.web.visitor import Visitor

SIGN_IN = "/sign-in"
TOKEN = "csrf"  # noqa: S105 - the name of a field
"""The field of every form, and with `X-` before it the header of every script, that brings `Visitor.csrf` along."""

PER_MINUTE = 300
"""Pages of one person, or of one address that nobody signed in from."""

Endpoint = Callable[[Request], Awaitable[Response]]


def hurried(site: Site, request: Request, visitor: Visitor | None) -> bool:
    """Whether somebody asks for pages faster than anybody reads them; counts this one."""
    who = visitor.person if visitor else f"address {request.client.host if request.client else ''}"
    return site.pace.wait(who, PER_MINUTE) > 0


def too_often(request: Request, visitor: Visitor | None) -> Response:
    answer = pages.page(request, "too_often.html", visitor, spoken(request), status=429, text=wording)
    answer.headers["Retry-After"] = "10"
    return answer


def looking(site: Site, handle: Callable[[Request, Visitor], Awaitable[Response]]) -> Endpoint:
    """A page for whoever is known; others are led to the sign-in, and back."""

    async def answer(request: Request) -> Response:
        visitor = await site.visitors.visitor(request)
        if hurried(site, request, visitor):
            return too_often(request, visitor)
        if visitor is None:
            here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return pages.see_other(f"{SIGN_IN}?next={quote(here)}")
        return await handle(request, visitor)

    return answer


def changing(site: Site, handle: Callable[[Request, Visitor, FormData], Awaitable[Response]]) -> Endpoint:
    """A form that was sent: by whoever is known, from a page of ours."""

    async def answer(request: Request) -> Response:
        visitor = await site.visitors.visitor(request)
        if hurried(site, request, visitor):
            return too_often(request, visitor)
        form = await request.form()
        given = request.headers.get(f"x-{TOKEN}") or str(form.get(TOKEN, ""))
        if visitor is None or not site.visitors.checked(visitor, given, request):
            return pages.page(request, "refused.html", visitor, spoken(request), status=403, text=wording)
        return await handle(request, visitor, form)

    return answer
