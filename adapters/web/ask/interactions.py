"""Buttons below an answer; their outcome is a page."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adapters.chat.interactions.context import Acknowledgement, InteractionContext, InteractionPayload
from adapters.chat.interactions.dispatcher import ANSWER_ACTIONS, InteractionDispatcher
from adapters.chat.reply import labels
from adapters.chat.reply.builder import text_reply
from adapters.chat.reply.parts import Reply, ReplyButton
from adapters.chat.words.forms import Form
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.ask.questions import parse_conversation
from adapters.web.context import Visitor, WebContext
from adapters.web.forms import browser_locale, form_field, form_fields
from adapters.web.platform import SPACE, WEB
from pipeline.ports import BotServices, Inbox
from pipeline.values import Actor, ConversationId, MessageKey, PlaceId, Readers
from pipeline.words.wording import ANSWER_UNAVAILABLE


class BrowserInteraction(InteractionContext):
    """An interaction on the page, which collects the replies to show."""

    def __init__(self, payload: InteractionPayload, visitor: Visitor, services: BotServices) -> None:
        super().__init__(payload, services)
        self._visitor = visitor
        self.shown: list[Reply] = []
        self.form: Form | None = None
        self.file = ""
        """The export of the visitor's own data."""

    async def actor(self) -> Actor:
        return self._visitor.actor

    async def private_readers(self) -> Readers:
        return self._visitor.readers

    async def channel_readers(self) -> Readers:
        return self._visitor.readers

    async def ack(self, kind: Acknowledgement) -> None:
        """Do nothing: a page waits until all is done."""

    async def reply_privately(self, text: str) -> None:
        self.shown.append(text_reply(text))

    async def show_privately(self, reply: Reply) -> None:
        self.shown.append(reply)

    async def open_form(self, form: Form) -> None:
        self.form = form

    async def show_field_error(self, text: str, field: str) -> bool:
        """Return False: no form is left to fill in."""
        self.form = None
        return False

    async def replace_message(self, text: str) -> None:
        await self.reply_privately(text)

    async def mark_done(self, heading: str, at: MessageKey | None = None) -> None:
        await self.reply_privately(heading)

    async def send_export(self, data: str) -> None:
        self.file = data


HIDDEN_FIELDS = {"action", "about", "conversation", "csrf", "fragment"}
"""Fields that every form has, beside those that people fill in."""
NO_WEB_CONVERSATION = ConversationId(platform=WEB.name, space=SPACE, channel="")
"""The conversation of a button that stands below no answer."""


class InteractionEndpoint:
    """The endpoint of the forms that buttons send."""

    def __init__(self, context: WebContext, inbox: Inbox) -> None:
        self._context = context
        self._dispatcher = InteractionDispatcher(context.services, inbox, deduplicated=())

    async def handle(self, request: Request, visitor: Visitor, form: FormData) -> Response:
        """Handle a button and show the outcome as a page; as a fragment for a script, which sends the field `fragment`.
        A button pressed twice is handled twice: a browser shows the last reply."""
        payload = _parse_payload(form, visitor, browser_locale(request))
        is_own = await self._is_own(payload)
        interaction = BrowserInteraction(
            payload if is_own else payload._replace(conversation=NO_WEB_CONVERSATION), visitor, self._context.services
        )
        if is_own:
            await self._dispatcher.dispatch(interaction)
        else:
            await interaction.reply_privately((await interaction.words())(ANSWER_UNAVAILABLE))
        if interaction.file:
            headers = {**pages.HEADERS, "Content-Disposition": 'attachment; filename="citewell.json"'}
            return Response(interaction.file, media_type="application/json", headers=headers)
        translator = await interaction.words()
        if not (interaction.shown or interaction.form):
            await interaction.reply_privately(translator(wording.CANNOT))
        id_ = interaction.payload.conversation.channel
        values: dict[str, Any] = {"by": interaction, "text": wording, "labels": labels.BUTTON_LABELS, "id": id_}
        if form_field(form, "fragment"):
            html = pages.render_fragment("pressed.html", translator, visitor=visitor, **values)
            return HTMLResponse(html, headers=dict(pages.HEADERS))
        back_path = f"/c/{id_}#latest" if id_ else "/you"
        admin = self._context.is_admin(visitor.actor)
        return pages.render_page(request, "outcome.html", visitor, translator, back=back_path, admin=admin, **values)

    async def _is_own(self, payload: InteractionPayload) -> bool:
        """Return True where everything that the form names belongs to its sender; what others asked is treated as
        missing."""
        conversation, person = payload.conversation, payload.person_id
        if conversation != NO_WEB_CONVERSATION and not await self._context.conversations.has_asked(
            conversation, person
        ):
            return False
        if payload.action in ANSWER_ACTIONS:
            return conversation != NO_WEB_CONVERSATION and await self._context.queries.is_saved(
                payload.subject_id, person
            )
        return conversation != NO_WEB_CONVERSATION or payload.action != ReplyButton.STOP


def _parse_payload(form: FormData, visitor: Visitor, locale: str) -> InteractionPayload:
    """Parse a form into the payload of its sender."""
    form_values = {name: form_fields(form, name) for name in form if name not in HIDDEN_FIELDS}
    subject_id, conversation = (
        form_field(form, "about"),
        parse_conversation(form_field(form, "conversation")) or NO_WEB_CONVERSATION,
    )
    return InteractionPayload(
        action=form_field(form, "action"),
        subject_id=subject_id,
        person_id=visitor.person,
        places=PlaceId(platform=WEB.name, space=SPACE).chain,
        conversation=conversation,
        message=subject_id,
        answer_message=subject_id,
        name=visitor.name,
        form_values=form_values,
        subscription_conversation=conversation,
        locale=locale,
    )
