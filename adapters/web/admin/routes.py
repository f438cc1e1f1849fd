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
        return Readers(groups=frozenset(filter(None, (group.strip() for group in form.groups.split(",")))))
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


def routes(context: WebContext) -> Sequence[BaseRoute]:
    """Return the routes of the admin pages."""
    admin = _Admin(context)
    pages_by_path = {
        "/admin": admin.list_sources,
        "/admin/questions": admin.questions,
        "/admin/left": admin.list_rejected,
        "/admin/documents": admin.list_documents,
        "/admin/passages": admin.read_chunks,
        "/admin/trial": admin.fill_in,
    }

    async def run_trial(request: Request, visitor: Visitor, form: FormData) -> Response:
        return await _for_admins(request, visitor, admin.dry_run(visitor, form))

    return [
        *(Route(path, protect_page(context, _admin_page(show))) for path, show in pages_by_path.items()),
        Route("/admin/trial", protect_form(context, run_trial), methods=["POST"]),
    ]


def _admin_page(show: AdminEndpoint) -> Callable[[Request, Visitor], Awaitable[Response]]:
    async def answer(request: Request, visitor: Visitor) -> Response:
        return await _for_admins(request, visitor, show(request, visitor))

    return answer


async def _for_admins(request: Request, visitor: Visitor, outcome: Awaitable[TemplateValues]) -> Response:
    try:
        template, values = await outcome
    except NotAllowed:
        return pages.render_page(request, "admin/refused.html", visitor, status=403)
    return pages.render_page(request, f"admin/{template}.html", visitor, admin=True, here=request.url.path, **values)


class _Admin:
    def __init__(self, context: WebContext) -> None:
        self._context = context

    async def list_sources(self, request: Request, visitor: Visitor) -> TemplateValues:
        sources = await self._context.admin_service.list_sources(visitor.actor, visitor.readers)
        return "sources", {"sources": sources, "failed": [source for source in sources if source.failed]}

    async def questions(self, request: Request, visitor: Visitor) -> TemplateValues:
        requested = query_number(request, "days")
        days = requested if requested in DAYS else DAYS[1]
        insights = await self._context.services.get_insights(visitor.actor, visitor.readers, days)
        max_questions = max((week.counts.asked for week in insights.weeks), default=0)
        return "questions", {
            "seen": insights,
            "advice": gap_advice,
            "draft": gap_draft,
            "days": days,
            "choices": DAYS,
            "most": max(max_questions, 1),
        }

    async def list_rejected(self, request: Request, visitor: Visitor) -> TemplateValues:
        return "left", {
            "left": await self._context.admin_service.list_rejected(visitor.actor, visitor.readers, ANSWERS_PER_PAGE)
        }

    async def list_documents(self, request: Request, visitor: Visitor) -> TemplateValues:
        wanted = query_text(request, "title")
        documents = await self._context.admin_service.list_documents(visitor.actor, visitor.readers)
        matches = [
            document
            for document in documents
            if wanted.casefold() in strip_invisible(f"{document.title} {document.filename}").casefold()
        ]
        return "documents", {"documents": matches[:DOCUMENTS_PER_PAGE], "total": len(matches), "wanted": wanted}

    async def read_chunks(self, request: Request, visitor: Visitor) -> TemplateValues:
        start = query_number(request, "start") or 0
        document = request.query_params.get("document", "")
        excerpt = await self._context.admin_service.read_chunks(
            visitor.actor, visitor.readers, document, start, CHUNKS_PER_PAGE
        )
        return "passages", {"found": excerpt, "start": start, "step": CHUNKS_PER_PAGE}

    async def fill_in(self, request: Request, visitor: Visitor) -> TemplateValues:
        """Show the form of a dry run, filled in from the query of its URL, which can be sent to another admin. Nothing
        is run."""
        form = _parse_trial_form(partial(query_text, request))
        await self._context.admin_service.list_documents(visitor.actor, visitor.readers)
        return "trial", {"form": form, "trial": None, "why": None}

    async def dry_run(self, visitor: Visitor, form: FormData) -> TemplateValues:
        """Answer the question of the form. The tokens count for the admin who runs it."""
        trial_form = _parse_trial_form(partial(form_field, form))
        if trial_form.question:
            trial = await self._context.admin_service.dry_run(
                visitor.actor, visitor.readers, trial_form.question, trial_readers(trial_form)
            )
            return "trial", {"form": trial_form, "trial": trial, "why": confidence_panel(trial.answer)}
        await self._context.admin_service.list_documents(visitor.actor, visitor.readers)
        return "trial", {"form": trial_form, "trial": None, "why": None}


def _parse_trial_form(read_field: Callable[[str], str]) -> TrialForm:
    """Return the form with the text that `read_field` returns for each field."""
    return TrialForm(
        question=read_field("question").strip()[:MAX_TRIAL_CHARS],
        who=read_field("who") or EVERYBODY,
        groups=read_field("groups").strip(),
    )
