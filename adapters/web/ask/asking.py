"""A question that was sent from the page, into the inbox."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from adapters.chat.intake import Intake
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.language import locale
from adapters.web.platform import SPACE, WEB
from adapters.web.site import Site
from adapters.web.visitor import Visitor
from pipeline.ports import Inbox
from pipeline.values import ConversationId, IncomingMessage, Manner, MessageKey, PlaceId

LONGEST = 4000
"""Characters; what may be asked at most is the operator's to say, and the planner's to tell."""
_ID = re.compile(r"[0-9a-f]{32}")


def conversation(id_: str) -> ConversationId | None:
    """That of an address; None for what is none."""
    return ConversationId(platform=WEB.name, space=SPACE, channel=id_) if _ID.fullmatch(id_) else None


class Asking:
    def __init__(self, site: Site, inbox: Inbox) -> None:
        self._site = site
        self._intake = Intake(inbox, site.desk, lambda _: False)

    async def _conversation(self, given: str, visitor: Visitor) -> ConversationId:
        """One of their own, or a new one: another's is not gone on with, whatever a form says."""
        where = conversation(given)
        if where and await self._site.archive.exchanges(where, visitor.person):
            return where
        return ConversationId(platform=WEB.name, space=SPACE, channel=secrets.token_hex(16))

    async def ask(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        """Take it in, and lead to the conversation, where the answer appears. A form that is sent twice asks once."""
        text = str(form.get("question", "")).strip()
        words = await self._site.desk.words(visitor.person, locale=locale(request))
        if not text or len(text) > LONGEST:
            wrong = words(wording.LONGEST, most=LONGEST) if text else words(wording.EMPTY)
            return pages.page(request, "told.html", visitor, words, status=422, text=wording, told=wrong, back="/")
        where = await self._conversation(str(form.get("conversation", "")), visitor)
        given = str(form.get("once", ""))
        once = given if _ID.fullmatch(given) else secrets.token_hex(16)
        busy: list[str] = []

        async def tell(said: str) -> None:
            busy.append(said)

        message = IncomingMessage(
            key=str(MessageKey(platform=WEB.name, space=SPACE, channel=where.channel, message=once)),
            conversation=where,
            author=visitor.person,
            text=text,
            sent_at=datetime.now(UTC),
            manner=Manner.DIRECT,
            locale=locale(request),
            said_in=PlaceId.parse(f"{WEB.name}:{SPACE}").chain,
        )
        await self._intake.keep(message, tell)
        if busy:
            return pages.page(request, "told.html", visitor, words, status=503, text=wording, told=busy[0], back="/")
        return pages.see_other(f"/c/{where.channel}#latest")
