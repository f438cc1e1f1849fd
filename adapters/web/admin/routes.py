"""Where admins see how it goes, and why an answer was as it was. English, as all that operators read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from adapters.chat.reply.panels import why
from adapters.chat.words.advice import advice, draft
from adapters.web import pages
from adapters.web.admin.audiences import EVERYBODY, AudienceForm, chosen
from adapters.web.guard import looking
from adapters.web.site import Site
from adapters.web.visitor import Visitor
from pipeline.errors import NotAllowed
from pipeline.values import Readers

DAYS = (7, 30, 90)
LEFT = 50
"""Answers of which something was left out, on one page."""
LISTED = 200
"""Documents on one page."""
CHUNKS = 30
"""Passages of a document on one page."""
QUESTION = 1000
"""Characters of a question that is tried."""

Shows = Callable[[Request, Visitor], Awaitable[tuple[str, dict[str, Any]]]]


def routes(site: Site) -> Sequence[BaseRoute]:
    admin = _Admin(site)
    shown = {
        "/admin": admin.sources,
        "/admin/questions": admin.questions,
        "/admin/left": admin.left,
        "/admin/documents": admin.documents,
        "/admin/passages": admin.passages,
        "/admin/trial": admin.trial,
    }
    return [Route(path, looking(site, _for_admins(site, shows))) for path, shows in shown.items()]


def _for_admins(site: Site, shows: Shows) -> Callable[[Request, Visitor], Awaitable[Response]]:
    async def answer(request: Request, visitor: Visitor) -> Response:
        try:
            template, values = await shows(request, visitor)
        except NotAllowed:
            return pages.page(request, "admin/refused.html", visitor, status=403)
        return pages.page(request, f"admin/{template}.html", visitor, admin=True, here=request.url.path, **values)

    return answer


class _Admin:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def sources(self, request: Request, visitor: Visitor) -> tuple[str, dict[str, Any]]:
        found = await self._site.overview.sources(visitor.actor, visitor.readers)
        return "sources", {"sources": found, "failed": [one for one in found if one.failed]}

    async def questions(self, request: Request, visitor: Visitor) -> tuple[str, dict[str, Any]]:
        days = _number(request, "days", 30)
        seen = await self._site.desk.insights(visitor.actor, visitor.readers, days if days in DAYS else 30)
        most = max((week.counts.asked for week in seen.weeks), default=0)
        return "questions", {
            "seen": seen,
            "advice": advice,
            "draft": draft,
            "days": days,
            "choices": DAYS,
            "most": max(most, 1),
        }

    async def left(self, request: Request, visitor: Visitor) -> tuple[str, dict[str, Any]]:
        return "left", {"left": await self._site.overview.left(visitor.actor, visitor.readers, LEFT)}

    async def documents(self, request: Request, visitor: Visitor) -> tuple[str, dict[str, Any]]:
        wanted = request.query_params.get("title", "").strip()
        found = await self._site.overview.documents(visitor.actor, visitor.readers)
        fits = [one for one in found if wanted.casefold() in f"{one.title} {one.filename}".casefold()]
        return "documents", {"documents": fits[:LISTED], "total": len(fits), "wanted": wanted}

    async def passages(self, request: Request, visitor: Visitor) -> tuple[str, dict[str, Any]]:
        start = _number(request, "start", 0)
        document = request.query_params.get("document", "")
        found = await self._site.overview.passages(visitor.actor, visitor.readers, document, start, CHUNKS)
        return "passages", {"found": found, "start": start, "step": CHUNKS}

    async def trial(self, request: Request, visitor: Visitor) -> tuple[str, dict[str, Any]]:
        """A form that changes nothing: its address can be sent to another admin."""
        form = AudienceForm(
            question=request.query_params.get("question", "").strip()[:QUESTION],
            who=request.query_params.get("who", EVERYBODY),
            groups=request.query_params.get("groups", "").strip(),
        )
        trial = None
        if form.question:
            readers: Readers | None = chosen(form)
            overview = self._site.overview
            trial = await overview.trial(visitor.actor, visitor.readers, form.question, readers)
        else:
            await self._site.overview.documents(visitor.actor, visitor.readers)
        return "trial", {"form": form, "trial": trial, "why": why(trial.answer) if trial else None}


def _number(request: Request, name: str, otherwise: int) -> int:
    given = request.query_params.get(name, "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 8 else otherwise
