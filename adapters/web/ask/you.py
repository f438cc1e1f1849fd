"""How a person is answered, and what is kept of them."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from adapters.chat.press.person import prefer
from adapters.chat.reply import labels, panels
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.forms import field
from adapters.web.language import locale
from adapters.web.site import Site
from adapters.web.visitor import Visitor

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
