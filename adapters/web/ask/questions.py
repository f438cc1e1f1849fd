"""The intake of questions from the page."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from adapters.chat.intake import QuestionCandidate, QuestionIntake
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.context import Visitor, WebContext
from adapters.web.forms import browser_locale, form_field
from adapters.web.platform import SPACE, WEB
from pipeline.ports import Inbox
from pipeline.values import ConversationId, IncomingMessage, MessageKey, MessageTrigger, PersonId, PlaceId
from pipeline.words.wording import BOT_BUSY

MAX_QUESTION_CHARS = 4000
"""Characters that the form takes; the operator's own limit is checked by the planner."""
_ID = re.compile(r"[0-9a-f]{32}")


def parse_conversation(id_: str) -> ConversationId | None:
    """Return the conversation that an id in a URL names; None for a malformed id."""
    return ConversationId(platform=WEB.name, space=SPACE, channel=id_) if _ID.fullmatch(id_) else None


class QuestionEndpoint:
    """The endpoint of the form that asks a question."""

    def __init__(self, context: WebContext, inbox: Inbox) -> None:
        self._context = context
        self._intake = QuestionIntake(inbox, context.services, lambda _: False)

    async def _conversation(self, id_: str, visitor: Visitor, once: str) -> ConversationId:
        """Return the visitor's conversation that the form names, or the one that the form with the key `once` begins.
        Another person's conversation is never continued, whatever the form says."""
        conversation = parse_conversation(id_)
        if conversation and await self._context.conversations.has_asked(conversation, visitor.person):
            return conversation
        return ConversationId(platform=WEB.name, space=SPACE, channel=_new_conversation_id(visitor, once))

    async def submit(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        """Take the question in and redirect to the conversation, where the answer appears. A form that is sent twice
        asks once."""
        text = form_field(form, "question").strip()
        translator = await self._context.services.translator_for(visitor.person, locale=browser_locale(request))
        if not text or len(text) > MAX_QUESTION_CHARS:
            problem = translator(wording.LONGEST, most=MAX_QUESTION_CHARS) if text else translator(wording.EMPTY)
            return pages.render_page(
                request, "told.html", visitor, translator, status=422, text=wording, told=problem, back="/"
            )
        form_key = form_field(form, "once")
        once = form_key if _ID.fullmatch(form_key) else secrets.token_hex(16)
        conversation = await self._conversation(form_field(form, "conversation"), visitor, once)
        message = IncomingMessage(
            place=MessageKey(platform=WEB.name, space=SPACE, channel=conversation.channel, message=once),
            conversation=conversation,
            asker=PersonId.parse(visitor.person),
            text=text,
            sent_at=datetime.now(UTC),
            manner=MessageTrigger.DIRECT,
            locale=browser_locale(request),
            said_in=PlaceId(platform=WEB.name, space=SPACE).chain,
        )
        await self._intake.accept(QuestionCandidate(message=message), _ignore_notice)
        if not await self._context.conversations.owns_question(message.key, visitor.person):
            notice = translator(BOT_BUSY)
            return pages.render_page(
                request, "told.html", visitor, translator, status=503, text=wording, told=notice, back="/"
            )
        return pages.see_other(f"/c/{conversation.channel}#latest")


def _new_conversation_id(visitor: Visitor, once: str) -> str:
    """Return the id of the conversation that a form begins. It is the same each time the form is sent, and nobody else
    can make it."""
    return hmac.new(visitor.csrf.encode(), f"{visitor.person} {once}".encode(), hashlib.sha256).hexdigest()[:32]


async def _ignore_notice(text: str) -> None:
    """Ignore the notice: the page itself says what was not taken in."""
