"""Handlers of handoffs to people, their replies, and answer subscriptions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from adapters.chat.interactions.context import Acknowledgement, ChannelInteractionContext, InteractionContext
from adapters.chat.reply.parts import ReplyButton
from adapters.chat.words import handoff, subscriptions
from pipeline.errors import Refused
from pipeline.ports import BotServices
from pipeline.values import AnswerInteraction, ConversationId, MessageKey, PlaceId
from pipeline.words import wording


class HandoffHandlers:
    def __init__(self, desk: BotServices) -> None:
        self._desk = desk

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {
            ReplyButton.ASK: self._ask,
            handoff.RESOLVE_BUTTON: self._open,
            handoff.HANDOFF_FORM: self._resolve,
            handoff.SEND_BUTTON: partial(self._send, keep=False),
            handoff.KEEP_BUTTON: partial(self._send, keep=True),
            ReplyButton.SUBSCRIBE: self._tell,
            ReplyButton.UNSUBSCRIBE: self._untell,
        }

    async def _ask(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        await by.try_reply_privately(
            await self._desk.hand_over(_press(by, by.payload.conversation), await by.readers())
        )

    async def _open(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.FORM_OR_MESSAGE)
        keep = await self._desk.handoffs.is_keep_offered(await by.actor(), by.payload.places[-1])
        await by.open_form(handoff.handoff_form(by.payload.subject_id, await by.words(), keep=keep))

    async def _resolve(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.FORM_VALIDATION)
        reply, keep = handoff.parse_handoff_form(by.payload.form_values)
        link = await by.message_link() if keep and isinstance(by, ChannelInteractionContext) else ""
        await self._close(by, by.payload.subject_id, by.payload.places[-1], reply, keep=keep, link=link)

    async def _send(self, by: InteractionContext, *, keep: bool) -> None:
        """Resolve the handoff with the message that the person wrote below its notice."""
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        written = await by.handoff_reply() if isinstance(by, ChannelInteractionContext) else None
        reply = handoff.shorten_reply(written.text) if written else ""
        if written is None or not reply:
            await by.try_reply_privately((await by.words())(wording.REPLY_UNREADABLE))
            return
        asked = await self._desk.handoffs.find_open(written.notice)
        if asked is None or asked.target not in by.payload.places:
            await by.try_reply_privately((await by.words(written.text))(wording.HANDOFF_GONE))
            return
        await self._close(by, asked.id, asked.target, reply, keep=keep, link=written.link, at=written.notice)

    async def _close(
        self,
        by: InteractionContext,
        handoff_id: str,
        place: PlaceId,
        reply: str,
        *,
        keep: bool,
        link: str,
        at: MessageKey | None = None,
    ) -> None:
        """Resolve the handoff, and show on its notice who did. Shows an error where the reply may not be kept."""
        words = await by.words(reply)
        name = by.payload.name or words(handoff.UNNAMED_PERSON)
        try:
            said = await self._desk.handoffs.resolve(
                handoff_id, place, await by.actor(), name, reply, keep=keep, link=link
            )
        except Refused:
            await by.show_error(words(wording.REPLY_NOT_SAVED), "reply")
            return
        if said != wording.HANDOFF_GONE:
            await by.mark_done(words(wording.HANDOFF_RESOLVED_BY, who=name), at)
        await by.try_reply_privately(words(said))

    async def _tell(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        wished = await self._desk.subscribe(_press(by, await by.subscription_target()), await by.readers())
        await by.show_privately(subscriptions.subscribed_reply(wished, await by.words()))

    async def _untell(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        said = await self._desk.subscriptions.cancel(by.payload.subject_id, by.payload.person_id)
        await by.try_reply_privately((await by.words())(said))


def _press(by: InteractionContext, origin: ConversationId) -> AnswerInteraction:
    pressed = by.payload
    return AnswerInteraction(
        answer_id=pressed.subject_id,
        person=pressed.person_id,
        chain=pressed.places,
        origin=origin,
        message=pressed.answer_message,
        private=not pressed.answer_message,
        external=pressed.external,
    )
