"""Routes of the pages where people ask, read answers, press buttons and set their preferences."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from adapters.chat.interactions.personal_data import save_preferences
from adapters.chat.reply import labels, panels
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.ask.conversations import ConversationEndpoints
from adapters.web.ask.interactions import InteractionEndpoint
from adapters.web.ask.live_drafts import LiveDrafts
from adapters.web.ask.questions import QuestionEndpoint
from adapters.web.context import Visitor, WebContext
from adapters.web.forms import browser_locale, form_field
from adapters.web.guard import protect_form, protect_page
from pipeline.ports import Inbox

PREFERENCE_LABELS = {"style": wording.STYLE, "citations": wording.CITATIONS, "language": wording.LANGUAGE}


class PreferencesEndpoints:
    """The page of a person's preferences and data."""

    def __init__(self, context: WebContext) -> None:
        self._context = context

    async def show(self, request: Request, visitor: Visitor, saved: bool = False) -> Response:
        translator = await self._context.services.translator_for(visitor.person, locale=browser_locale(request))
        return pages.render_page(
            request,
            "you.html",
            visitor,
            translator,
            text=wording,
            labels=labels.BUTTON_LABELS,
            names=PREFERENCE_LABELS,
            choices=panels.PREFERENCE_CHOICES,
            chosen=panels.current_choices(await self._context.services.preferences(visitor.person)),
            saved=saved,
            admin=self._context.is_admin(visitor.actor),
        )

    async def save(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        chosen = {
            name: form_field(form, name)
            for name in PREFERENCE_LABELS
            if form_field(form, name) in panels.PREFERENCE_CHOICES[name]
        }
        await save_preferences(self._context.services, visitor.person, chosen)
        return await self.show(request, visitor, saved=True)


def routes(context: WebContext, inbox: Inbox, drafts: LiveDrafts) -> Sequence[BaseRoute]:
    """Return the routes of the pages for asking."""
    conversations, preferences = ConversationEndpoints(context, drafts), PreferencesEndpoints(context)
    return [
        Route("/", protect_page(context, conversations.index)),
        Route("/c/{id}", protect_page(context, conversations.show)),
        Route("/c/{id}/events", protect_page(context, conversations.events)),
        Route("/ask", protect_form(context, QuestionEndpoint(context, inbox).submit), methods=["POST"]),
        Route("/press", protect_form(context, InteractionEndpoint(context, inbox).handle), methods=["POST"]),
        Route("/you", protect_page(context, preferences.show)),
        Route("/you", protect_form(context, preferences.save), methods=["POST"]),
    ]
