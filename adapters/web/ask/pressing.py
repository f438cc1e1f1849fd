"""What is pressed below an answer, and what comes of it."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adapters.chat.press.dispatch import Dispatcher
from adapters.chat.press.presser import Pressed
from adapters.chat.reply import labels
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.ask.asking import conversation
from adapters.web.ask.presser import Nowhere, PagePresser
from adapters.web.language import locale
from adapters.web.platform import SPACE, WEB
from adapters.web.site import Site
from adapters.web.visitor import Visitor
from pipeline.ports import Inbox
from pipeline.values import ConversationId, PlaceId

OWN = {"action", "about", "conversation", "csrf", "fragment"}
"""Fields that every form has, beside those that somebody fills in."""


class Pressing:
    def __init__(self, site: Site, inbox: Inbox) -> None:
        self._site = site
        nowhere = Nowhere()
        self._dispatcher: Dispatcher[PagePresser] = Dispatcher(site.desk, inbox, nowhere, nowhere)

    async def press(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        """As a page of its own; as the part of one for a script, which says `fragment`."""
        by = PagePresser(_read(form, visitor), visitor, self._site.desk, locale(request))
        await self._dispatcher.press(by)
        if by.file:
            headers = {**pages.HEADERS, "Content-Disposition": 'attachment; filename="citewell.json"'}
            return Response(by.file, media_type="application/json", headers=headers)
        words = await by.words()
        id_ = by.pressed.conversation.channel
        values: dict[str, Any] = {"by": by, "text": wording, "labels": labels.LABELS, "id": id_}
        if form.get("fragment"):
            html = pages.fragment("pressed.html", words, visitor=visitor, **values)
            return HTMLResponse(html, headers=dict(pages.HEADERS))
        back = f"/c/{id_}#latest" if id_ else "/you"
        admin = self._site.admin(visitor.actor)
        return pages.page(request, "outcome.html", visitor, words, back=back, admin=admin, **values)


def _read(form: FormData, visitor: Visitor) -> Pressed:
    """What a form says, of whoever sent it."""
    filled = {name: tuple(str(value) for value in form.getlist(name) if value) for name in form if name not in OWN}
    where = conversation(str(form.get("conversation", "")))
    about = str(form.get("about", ""))
    return Pressed(
        action=str(form.get("action", "")),
        about=about,
        person=visitor.person,
        places=PlaceId.parse(f"{WEB.name}:{SPACE}").chain,
        conversation=where or ConversationId(platform=WEB.name, space=SPACE, channel=""),
        message=about,
        below=about,
        name=visitor.name,
        filled=filled,
    )
