"""The admin pages: sources, questions, rejected sentences, documents, and a dry run of a question for an audience that
the admin chooses. They are in English, like everything that operators read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from adapters.chat.reply.panels import confidence_panel
from adapters.chat.words.advice import gap_advice, gap_draft
from adapters.web import pages
from adapters.web.context import Visitor, WebContext
from adapters.web.forms import form_field, query_number, query_text
from adapters.web.guard import protect_form, protect_page
from pipeline.errors import NotAllowed
from pipeline.values import Readers, Value
from pipeline.words.text import strip_invisible

ME, EVERYBODY, PUBLIC, GROUPS = "me", "inside", "public", "groups"


class TrialForm(Value):
    """The form of a dry run: a question and its audience."""

    question: str = ""
    who: str = EVERYBODY
    groups: str = ""
    """Group names as in `[collections]`, separated by commas."""


def trial_readers(form: TrialForm) -> Readers | None:
    """Return the readers that the form describes; None for the admin who fills it in."""
    if form.who == ME:
        return None
    if form.who == GROUPS:
        return Readers(groups=frozenset(filter(None, (one.strip() for one in form.groups.split(",")))))
    return Readers(groups=frozenset(), external=form.who == PUBLIC)


DAYS = (7, 30, 90)
ANSWERS_PER_PAGE = 50
"""Answers with rejected sentences on one page."""
DOCUMENTS_PER_PAGE = 200
"""Documents on one page."""
CHUNKS_PER_PAGE = 30
"""Chunks of a document on one page."""
MAX_TRIAL_CHARS = 1000
"""Characters of the question of a dry run."""

TemplateValues = tuple[str, dict[str, Any]]
"""The name of a template and its values."""
AdminEndpoint = Callable[[Request, Visitor], Awaitable[TemplateValues]]


def routes(site: WebContext) -> Sequence[BaseRoute]:
    """Return the routes of the admin pages."""
    admin = _Admin(site)
    shown = {
        "/admin": admin.list_sources,
        "/admin/questions": admin.questions,
        "/admin/left": admin.list_rejected,
        "/admin/documents": admin.list_documents,
        "/admin/passages": admin.read_chunks,
        "/admin/trial": admin.fill_in,
    }

    async def tried(request: Request, visitor: Visitor, form: FormData) -> Response:
        return await _for_admins(request, visitor, admin.dry_run(visitor, form))

    return [
        *(Route(path, protect_page(site, _shown(shows))) for path, shows in shown.items()),
        Route("/admin/trial", protect_form(site, tried), methods=["POST"]),
    ]


def _shown(shows: AdminEndpoint) -> Callable[[Request, Visitor], Awaitable[Response]]:
    async def answer(request: Request, visitor: Visitor) -> Response:
        return await _for_admins(request, visitor, shows(request, visitor))

    return answer


async def _for_admins(request: Request, visitor: Visitor, shown: Awaitable[TemplateValues]) -> Response:
    try:
        template, values = await shown
    except NotAllowed:
        return pages.render_page(request, "admin/refused.html", visitor, status=403)
    return pages.render_page(request, f"admin/{template}.html", visitor, admin=True, here=request.url.path, **values)


class _Admin:
    def __init__(self, site: WebContext) -> None:
        self._site = site

    async def list_sources(self, request: Request, visitor: Visitor) -> TemplateValues:
        found = await self._site.admin_service.list_sources(visitor.actor, visitor.readers)
        return "sources", {"sources": found, "failed": [one for one in found if one.failed]}

    async def questions(self, request: Request, visitor: Visitor) -> TemplateValues:
        given = query_number(request, "days")
        days = given if given in DAYS else DAYS[1]
        seen = await self._site.services.get_insights(visitor.actor, visitor.readers, days)
        most = max((week.counts.asked for week in seen.weeks), default=0)
        return "questions", {
            "seen": seen,
            "advice": gap_advice,
            "draft": gap_draft,
            "days": days,
            "choices": DAYS,
            "most": max(most, 1),
        }

    async def list_rejected(self, request: Request, visitor: Visitor) -> TemplateValues:
        return "left", {
            "left": await self._site.admin_service.list_rejected(visitor.actor, visitor.readers, ANSWERS_PER_PAGE)
        }

    async def list_documents(self, request: Request, visitor: Visitor) -> TemplateValues:
        wanted = query_text(request, "title")
        found = await self._site.admin_service.list_documents(visitor.actor, visitor.readers)
        fits = [one for one in found if wanted.casefold() in strip_invisible(f"{one.title} {one.filename}").casefold()]
        return "documents", {"documents": fits[:DOCUMENTS_PER_PAGE], "total": len(fits), "wanted": wanted}

    async def read_chunks(self, request: Request, visitor: Visitor) -> TemplateValues:
        start = query_number(request, "start") or 0
        document = request.query_params.get("document", "")
        found = await self._site.admin_service.read_chunks(
            visitor.actor, visitor.readers, document, start, CHUNKS_PER_PAGE
        )
        return "passages", {"found": found, "start": start, "step": CHUNKS_PER_PAGE}

    async def fill_in(self, request: Request, visitor: Visitor) -> TemplateValues:
        """Show the form of a dry run, filled in from the query of its URL, which can be sent to another admin. Nothing
        is run."""
        form = _audience(partial(query_text, request))
        await self._site.admin_service.list_documents(visitor.actor, visitor.readers)
        return "trial", {"form": form, "trial": None, "why": None}

    async def dry_run(self, visitor: Visitor, form: FormData) -> TemplateValues:
        """Answer the question of the form. The tokens count for the admin who runs it."""
        filled = _audience(partial(form_field, form))
        if filled.question:
            trial = await self._site.admin_service.dry_run(
                visitor.actor, visitor.readers, filled.question, trial_readers(filled)
            )
            return "trial", {"form": filled, "trial": trial, "why": confidence_panel(trial.answer)}
        await self._site.admin_service.list_documents(visitor.actor, visitor.readers)
        return "trial", {"form": filled, "trial": None, "why": None}


def _audience(said: Callable[[str], str]) -> TrialForm:
    """Return the form with the text that `read_field` returns for each field."""
    return TrialForm(
        question=said("question").strip()[:MAX_TRIAL_CHARS], who=said("who") or EVERYBODY, groups=said("groups").strip()
    )
