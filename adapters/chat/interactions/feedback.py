"""Handlers of the buttons below an answer: votes, passages, confidence, and muting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from adapters.chat.interactions.context import Acknowledgement, InteractionContext
from adapters.chat.reply import labels as words
from adapters.chat.reply import panels
from adapters.chat.reply.builder import text_reply
from adapters.chat.reply.parts import Reply, ReplyButton
from adapters.chat.words import forms
from pipeline.ports import BotServices, Inbox
from pipeline.translations import TranslatableText
from pipeline.values import Answer, Rating, Vote, replace
from pipeline.words import wording


class FeedbackHandlers:
    def __init__(self, services: BotServices, inbox: Inbox) -> None:
        self._services = services
        self._inbox = inbox

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {
            ReplyButton.HELPFUL: self._helpful,
            ReplyButton.UNHELPFUL: self._unhelpful,
            forms.REASON_FORM: self._reason,
            ReplyButton.PASSAGES: self._passages,
            ReplyButton.CONFIDENCE: self._confidence,
            ReplyButton.STOP: self._mute,
        }

    async def _helpful(self, interaction: InteractionContext) -> None:
        await interaction.ack(
            Acknowledgement.MESSAGE_UPDATE if interaction.shows_votes else Acknowledgement.PRIVATE_REPLY
        )
        if not await self._check_access(interaction):
            return
        await self._services.rate(_rating(interaction, Vote.HELPFUL), interaction.actor)
        if not interaction.shows_votes:
            await interaction.try_reply_privately((await interaction.words())(words.THANKS))

    async def _unhelpful(self, interaction: InteractionContext) -> None:
        """Count the vote at once, and ask for the reason. The form opens first: platforms do not wait for long."""
        await interaction.ack(Acknowledgement.FORM_OR_MESSAGE)
        await interaction.open_form(forms.reason_form(interaction.payload.subject_id, await interaction.words()))
        if not await self._check_access(interaction):
            return
        await self._services.rate(_rating(interaction, Vote.UNHELPFUL))
        if interaction.shows_votes:
            await interaction.show_privately(
                await self._next_steps(interaction, wording.SORRY_NOT_HELPED, ask_text=wording.SORRY)
            )

    async def _reason(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.FORM_VALIDATION)
        if not await self._check_access(interaction):
            return
        await self._services.rate(
            forms.add_reason(_rating(interaction, Vote.UNHELPFUL), interaction.payload.form_values)
        )
        if not interaction.shows_votes:
            await interaction.show_privately(
                await self._next_steps(interaction, words.THANKS_REASON, ask_text=words.THANKS_REASON)
            )

    async def _check_access(self, interaction: InteractionContext) -> bool:
        """Return True if the vote counts. A person who may not see the answer is told so, and nothing is stored."""
        may = await self._services.can_rate(interaction.payload.subject_id, await interaction.readers())
        if not may:
            await interaction.show_error((await interaction.words())(wording.ANSWER_UNAVAILABLE), forms.COMMENT_FIELD)
        return may

    async def _next_steps(
        self, interaction: InteractionContext, text: TranslatableText, *, ask_text: TranslatableText
    ) -> Reply:
        """Build the reply with the next steps after an unhelpful answer: ask a person where one is set (with the text
        `ask_text`), and subscribe."""
        place, translator = (
            await self._services.places.effective_settings(interaction.payload.places),
            await interaction.words(),
        )
        reply = text_reply(translator(ask_text if place.ask else text))
        actions = (*([ReplyButton.ASK] if place.ask else []), ReplyButton.SUBSCRIBE)
        label = wording.handoff_button_label((place.ask_name or "") if place.ask else None, translator)
        return replace(
            reply,
            language=translator.language,
            answer_id=interaction.payload.subject_id,
            buttons=actions,
            ask_label=label,
        )

    async def _passages(self, interaction: InteractionContext) -> None:
        await self._show_panel(interaction, panels.passages_panel)

    async def _confidence(self, interaction: InteractionContext) -> None:
        await self._show_panel(interaction, panels.confidence_panel)

    async def _show_panel(self, interaction: InteractionContext, panel: Callable[[Answer], Reply]) -> None:
        """Show a panel of the answer if the person may see it."""
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        answer = await self._services.find_answer(interaction.payload.subject_id, await interaction.readers())
        await interaction.show_privately(
            panel(answer) if answer else text_reply((await interaction.words())(wording.ANSWER_UNAVAILABLE))
        )

    async def _mute(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        await self._inbox.mute(interaction.payload.conversation)
        await interaction.show_privately(text_reply((await interaction.words())(wording.SILENCED)))


def _rating(interaction: InteractionContext, vote: Vote) -> Rating:
    return Rating(answer_id=interaction.payload.subject_id, person=interaction.payload.person_id, vote=vote)
