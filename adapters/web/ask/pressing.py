"""What is pressed below an answer; what comes of it is a page."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adapters.chat.press.dispatch import OF_ANSWER, Dispatcher
from adapters.chat.press.presser import Pressed, Presser, Then
from adapters.chat.reply import labels
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Button, Reply
from adapters.chat.words.forms import Form
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.ask.asking import conversation
from adapters.web.forms import field, fields, locale
from adapters.web.platform import SPACE, WEB
from adapters.web.visitor import Site, Visitor
from pipeline.ports import Desk, Inbox
from pipeline.values import Actor, ConversationId, MessageKey, PlaceId, Readers
from pipeline.words.wording import NO_ANSWER


class PagePresser(Presser):
    """Collects what they are to see."""

    def __init__(self, pressed: Pressed, visitor: Visitor, desk: Desk) -> None:
        super().__init__(pressed, desk)
        self._visitor = visitor
        self.shown: list[Reply] = []
        self.form: Form | None = None
        self.file = ""
        """Their own data."""

    async def actor(self) -> Actor:
        return self._visitor.actor

    async def reads_alone(self) -> Readers:
        return self._visitor.readers

    async def everyone(self) -> Readers:
        return self._visitor.readers

    async def ack(self, then: Then) -> None:
        """A page waits until all is done."""

    async def tell(self, text: str) -> None:
        self.shown.append(plain(text))

    async def show(self, reply: Reply) -> None:
        self.shown.append(reply)

    async def open(self, form: Form) -> None:
        self.form = form

    async def at_field(self, text: str, field: str) -> bool:
        """No form is left to fill in."""
        self.form = None
        return False

    async def replace(self, text: str) -> None:
        await self.tell(text)

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        await self.tell(heading)

    async def give(self, data: str) -> None:
        self.file = data


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
