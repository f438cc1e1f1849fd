"""Where people ask, read on, press what stands below an answer, and say how they want to be answered."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from adapters.chat.press.person import prefer
from adapters.chat.reply import labels, panels
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.ask.asking import Asking
from adapters.web.ask.live import Live
from adapters.web.ask.pressing import Pressing
from adapters.web.ask.talk import TalkPages
from adapters.web.forms import field, locale
from adapters.web.guard import changing, looking
from adapters.web.visitor import Site, Visitor
from pipeline.ports import Inbox

NAMES = {"style": wording.STYLE, "citations": wording.CITATIONS, "language": wording.LANGUAGE}


class You:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def show(self, request: Request, visitor: Visitor, saved: bool = False) -> Response:
        words = await self._site.desk.words(visitor.person, locale=locale(request))
        return pages.page(
            request,
            "you.html",
            visitor,
            words,
            text=wording,
            labels=labels.LABELS,
            names=NAMES,
            choices=panels.CHOICES,
            chosen=panels.chosen(await self._site.desk.preferences(visitor.person)),
            saved=saved,
            admin=self._site.admin(visitor.actor),
        )

    async def choose(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        chosen = {name: field(form, name) for name in NAMES if field(form, name) in panels.CHOICES[name]}
        await prefer(self._site.desk, visitor.person, chosen)
        return await self.show(request, visitor, saved=True)


def routes(site: Site, inbox: Inbox, live: Live) -> Sequence[BaseRoute]:
    talks, you = TalkPages(site, live), You(site)
    return [
        Route("/", looking(site, talks.first)),
        Route("/c/{id}", looking(site, talks.show)),
        Route("/c/{id}/events", looking(site, talks.events)),
        Route("/ask", changing(site, Asking(site, inbox).ask), methods=["POST"]),
        Route("/press", changing(site, Pressing(site, inbox).press), methods=["POST"]),
        Route("/you", looking(site, you.show)),
        Route("/you", changing(site, you.choose), methods=["POST"]),
    ]
