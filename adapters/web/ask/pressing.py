"""What is pressed below an answer, and what comes of it."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adapters.chat.press.dispatch import OF_ANSWER, Dispatcher
from adapters.chat.press.presser import Pressed
from adapters.chat.reply import labels
from adapters.chat.reply.parts import Button
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.ask.asking import conversation
from adapters.web.ask.presser import PagePresser
from adapters.web.forms import field, fields
from adapters.web.language import locale
from adapters.web.platform import SPACE, WEB
from adapters.web.site import Site
from adapters.web.visitor import Visitor
from pipeline.ports import Inbox
from pipeline.values import ConversationId, PlaceId
from pipeline.words.wording import NO_ANSWER

OWN = {"action", "about", "conversation", "csrf", "fragment"}
"""Fields that every form has, beside those that somebody fills in."""
NOWHERE = ConversationId(platform=WEB.name, space=SPACE, channel="")
"""Where somebody presses what is below no answer."""


class Pressing:
    def __init__(self, site: Site, inbox: Inbox) -> None:
        self._site = site
        self._dispatcher = Dispatcher(site.desk, inbox, once=())

    async def press(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        """As a page of its own; as the part of one for a script, which says `fragment`. Pressed twice it is answered
        twice: a browser shows what comes last."""
        pressed = _read(form, visitor, locale(request))
        theirs = await self._theirs(pressed)
        by = PagePresser(pressed if theirs else pressed._replace(conversation=NOWHERE), visitor, self._site.desk)
        if theirs:
            await self._dispatcher.press(by)
        else:
            await by.tell((await by.words())(NO_ANSWER))
        if by.file:
            headers = {**pages.HEADERS, "Content-Disposition": 'attachment; filename="citewell.json"'}
            return Response(by.file, media_type="application/json", headers=headers)
        words = await by.words()
        if not (by.shown or by.form):
            await by.tell(words(wording.CANNOT))
        id_ = by.pressed.conversation.channel
        values: dict[str, Any] = {"by": by, "text": wording, "labels": labels.LABELS, "id": id_}
        if field(form, "fragment"):
            html = pages.fragment("pressed.html", words, visitor=visitor, **values)
            return HTMLResponse(html, headers=dict(pages.HEADERS))
        back = f"/c/{id_}#latest" if id_ else "/you"
        admin = self._site.admin(visitor.actor)
        return pages.page(request, "outcome.html", visitor, words, back=back, admin=admin, **values)

    async def _theirs(self, pressed: Pressed) -> bool:
        """Whether what a form names is its sender's: what others asked is as if it were not there."""
        where, person = pressed.conversation, pressed.person
        if where != NOWHERE and not await self._site.archive.asked(where, person):
            return False
        if pressed.action in OF_ANSWER:
            return where != NOWHERE and await self._site.reading.kept(pressed.about, person)
        return where != NOWHERE or pressed.action != Button.STOP


def _read(form: FormData, visitor: Visitor, locale: str) -> Pressed:
    """What a form says, of whoever sent it."""
    filled = {name: fields(form, name) for name in form if name not in OWN}
    about, where = field(form, "about"), conversation(field(form, "conversation")) or NOWHERE
    return Pressed(
        action=field(form, "action"),
        about=about,
        person=visitor.person,
        places=PlaceId(platform=WEB.name, space=SPACE).chain,
        conversation=where,
        message=about,
        below=about,
        name=visitor.name,
        filled=filled,
        told_in=where,
        locale=locale,
    )
