"""Where admins see how it goes, and why an answer was as it was, for whom they choose. English, as all that operators
read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from adapters.chat.reply.panels import why
from adapters.chat.words.advice import advice, draft
from adapters.web import pages
from adapters.web.forms import field, number, parameter
from adapters.web.guard import changing, looking
from adapters.web.visitor import Site, Visitor
from pipeline.errors import NotAllowed
from pipeline.values import Readers, Value
from pipeline.words.text import visible

ME, EVERYBODY, PUBLIC, GROUPS = "me", "inside", "public", "groups"


class AudienceForm(Value):
    question: str = ""
    who: str = EVERYBODY
    groups: str = ""
    """As `[collections]` names them, with commas."""


def chosen(form: AudienceForm) -> Readers | None:
    """The readers that the form describes; None for who fills it in."""
    if form.who == ME:
        return None
    if form.who == GROUPS:
        return Readers(groups=frozenset(filter(None, (one.strip() for one in form.groups.split(",")))))
    return Readers(groups=frozenset(), external=form.who == PUBLIC)


DAYS = (7, 30, 90)
LEFT = 50
"""Answers of which something was left out, on one page."""
LISTED = 200
"""Documents on one page."""
CHUNKS = 30
"""Passages of a document on one page."""
QUESTION = 1000
"""Characters of a question that is tried."""

Room = tuple[str, dict[str, Any]]
"""A template, and what it is given."""
Shows = Callable[[Request, Visitor], Awaitable[Room]]


def routes(site: Site) -> Sequence[BaseRoute]:
    admin = _Admin(site)
    shown = {
        "/admin": admin.sources,
        "/admin/questions": admin.questions,
        "/admin/left": admin.left,
        "/admin/documents": admin.documents,
        "/admin/passages": admin.passages,
        "/admin/trial": admin.fill_in,
    }

    async def tried(request: Request, visitor: Visitor, form: FormData) -> Response:
        return await _for_admins(request, visitor, admin.trial(visitor, form))

    return [
        *(Route(path, looking(site, _shown(shows))) for path, shows in shown.items()),
        Route("/admin/trial", changing(site, tried), methods=["POST"]),
    ]


def _shown(shows: Shows) -> Callable[[Request, Visitor], Awaitable[Response]]:
    async def answer(request: Request, visitor: Visitor) -> Response:
        return await _for_admins(request, visitor, shows(request, visitor))

    return answer


async def _for_admins(request: Request, visitor: Visitor, shown: Awaitable[Room]) -> Response:
    try:
        template, values = await shown
    except NotAllowed:
        return pages.page(request, "admin/refused.html", visitor, status=403)
    return pages.page(request, f"admin/{template}.html", visitor, admin=True, here=request.url.path, **values)


class _Admin:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def sources(self, request: Request, visitor: Visitor) -> Room:
        found = await self._site.overview.sources(visitor.actor, visitor.readers)
        return "sources", {"sources": found, "failed": [one for one in found if one.failed]}

    async def questions(self, request: Request, visitor: Visitor) -> Room:
        given = number(request, "days")
        days = given if given in DAYS else DAYS[1]
        seen = await self._site.desk.insights(visitor.actor, visitor.readers, days)
        most = max((week.counts.asked for week in seen.weeks), default=0)
        return "questions", {
            "seen": seen,
            "advice": advice,
            "draft": draft,
            "days": days,
            "choices": DAYS,
            "most": max(most, 1),
        }

    async def left(self, request: Request, visitor: Visitor) -> Room:
        return "left", {"left": await self._site.overview.left(visitor.actor, visitor.readers, LEFT)}

    async def documents(self, request: Request, visitor: Visitor) -> Room:
        wanted = parameter(request, "title")
        found = await self._site.overview.documents(visitor.actor, visitor.readers)
        fits = [one for one in found if wanted.casefold() in visible(f"{one.title} {one.filename}").casefold()]
        return "documents", {"documents": fits[:LISTED], "total": len(fits), "wanted": wanted}

    async def passages(self, request: Request, visitor: Visitor) -> Room:
        start = number(request, "start") or 0
        document = request.query_params.get("document", "")
        found = await self._site.overview.passages(visitor.actor, visitor.readers, document, start, CHUNKS)
        return "passages", {"found": found, "start": start, "step": CHUNKS}

    async def fill_in(self, request: Request, visitor: Visitor) -> Room:
        """The form of a trial, filled in as its address says, which can be sent to another admin. Nothing is tried."""
        form = _audience(partial(parameter, request))
        await self._site.overview.documents(visitor.actor, visitor.readers)
        return "trial", {"form": form, "trial": None, "why": None}

    async def trial(self, visitor: Visitor, form: FormData) -> Room:
        """What becomes of the question, in the day's tokens of whoever tries it."""
        filled = _audience(partial(field, form))
        if filled.question:
            trial = await self._site.overview.trial(visitor.actor, visitor.readers, filled.question, chosen(filled))
            return "trial", {"form": filled, "trial": trial, "why": why(trial.answer)}
        await self._site.overview.documents(visitor.actor, visitor.readers)
        return "trial", {"form": filled, "trial": None, "why": None}


def _audience(said: Callable[[str], str]) -> AudienceForm:
    """The form with what is `said` in each of its fields."""
    return AudienceForm(
        question=said("question").strip()[:QUESTION], who=said("who") or EVERYBODY, groups=said("groups").strip()
    )
