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
    def __init__(self, services: BotServices) -> None:
        self._services = services

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {
            ReplyButton.ASK: self._hand_over,
            handoff.RESOLVE_BUTTON: self._open_form,
            handoff.HANDOFF_FORM: self._resolve,
            handoff.SEND_BUTTON: partial(self._send_reply, keep=False),
            handoff.KEEP_BUTTON: partial(self._send_reply, keep=True),
            ReplyButton.SUBSCRIBE: self._subscribe,
            ReplyButton.UNSUBSCRIBE: self._unsubscribe,
        }

    async def _hand_over(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        await interaction.try_reply_privately(
            await self._services.hand_off(
                _answer_interaction(interaction, interaction.payload.conversation), await interaction.readers()
            )
        )

    async def _open_form(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.FORM_OR_MESSAGE)
        keep = await self._services.handoffs.is_keep_offered(await interaction.actor(), interaction.payload.places[-1])
        await interaction.open_form(
            handoff.handoff_form(interaction.payload.subject_id, await interaction.words(), keep=keep)
        )

    async def _resolve(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.FORM_VALIDATION)
        reply, keep = handoff.parse_handoff_form(interaction.payload.form_values)
        link = await interaction.message_link() if keep and isinstance(interaction, ChannelInteractionContext) else ""
        await self._close(
            interaction, interaction.payload.subject_id, interaction.payload.places[-1], reply, keep=keep, link=link
        )

    async def _send_reply(self, interaction: InteractionContext, *, keep: bool) -> None:
        """Resolve the handoff with the message that the person wrote below its notice."""
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        written = await interaction.handoff_reply() if isinstance(interaction, ChannelInteractionContext) else None
        reply = handoff.shorten_reply(written.text) if written else ""
        if written is None or not reply:
            await interaction.try_reply_privately((await interaction.words())(wording.REPLY_UNREADABLE))
            return
        open_handoff = await self._services.handoffs.find_open(written.notice)
        if open_handoff is None or open_handoff.target not in interaction.payload.places:
            await interaction.try_reply_privately((await interaction.words(written.text))(wording.HANDOFF_GONE))
            return
        await self._close(
            interaction, open_handoff.id, open_handoff.target, reply, keep=keep, link=written.link, at=written.notice
        )

    async def _close(
        self,
        interaction: InteractionContext,
        handoff_id: str,
        place: PlaceId,
        reply: str,
        *,
        keep: bool,
        link: str,
        at: MessageKey | None = None,
    ) -> None:
        """Resolve the handoff, and show on its notice who did. Shows an error where the reply may not be kept."""
        translator = await interaction.words(reply)
        name = interaction.payload.name or translator(handoff.UNNAMED_PERSON)
        try:
            outcome = await self._services.handoffs.resolve(
                handoff_id, place, await interaction.actor(), name, reply, keep=keep, link=link
            )
        except Refused:
            await interaction.show_error(translator(wording.REPLY_NOT_SAVED), "reply")
            return
        if outcome != wording.HANDOFF_GONE:
            await interaction.mark_done(translator(wording.HANDOFF_RESOLVED_BY, who=name), at)
        await interaction.try_reply_privately(translator(outcome))

    async def _subscribe(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        result = await self._services.subscribe(
            _answer_interaction(interaction, await interaction.subscription_target()), await interaction.readers()
        )
        await interaction.show_privately(subscriptions.subscribed_reply(result, await interaction.words()))

    async def _unsubscribe(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        outcome = await self._services.subscriptions.cancel(
            interaction.payload.subject_id, interaction.payload.person_id
        )
        await interaction.try_reply_privately((await interaction.words())(outcome))


def _answer_interaction(interaction: InteractionContext, origin: ConversationId) -> AnswerInteraction:
    payload = interaction.payload
    return AnswerInteraction(
        answer_id=payload.subject_id,
        person=payload.person_id,
        chain=payload.places,
        origin=origin,
        message=payload.answer_message,
        private=not payload.answer_message,
        external=payload.external,
    )
