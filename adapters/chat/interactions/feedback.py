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
    def __init__(self, desk: BotServices, inbox: Inbox) -> None:
        self._desk = desk
        self._inbox = inbox

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {
            ReplyButton.HELPFUL: self._helpful,
            ReplyButton.UNHELPFUL: self._unhelpful,
            forms.REASON_FORM: self._reason,
            ReplyButton.PASSAGES: self._passages,
            ReplyButton.CONFIDENCE: self._why,
            ReplyButton.STOP: self._stop,
        }

    async def _helpful(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.MESSAGE_UPDATE if by.shows_votes else Acknowledgement.PRIVATE_REPLY)
        if not await self._may(by):
            return
        await self._desk.rate(_rating(by, Vote.HELPFUL), by.actor)
        if not by.shows_votes:
            await by.try_reply_privately((await by.words())(words.THANKS))

    async def _unhelpful(self, by: InteractionContext) -> None:
        """Count the vote at once, and ask for the reason. The form opens first: platforms do not wait for long."""
        await by.ack(Acknowledgement.FORM_OR_MESSAGE)
        await by.open_form(forms.reason_form(by.payload.subject_id, await by.words()))
        if not await self._may(by):
            return
        await self._desk.rate(_rating(by, Vote.UNHELPFUL))
        if by.shows_votes:
            await by.show_privately(await self._next(by, wording.SORRY_NOT_HELPED, asking=wording.SORRY))

    async def _reason(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.FORM_VALIDATION)
        if not await self._may(by):
            return
        await self._desk.rate(forms.add_reason(_rating(by, Vote.UNHELPFUL), by.payload.form_values))
        if not by.shows_votes:
            await by.show_privately(await self._next(by, words.THANKS_REASON, asking=words.THANKS_REASON))

    async def _may(self, by: InteractionContext) -> bool:
        """Return True if the vote counts. A person who may not see the answer is told so, and nothing is stored."""
        may = await self._desk.can_rate(by.payload.subject_id, await by.readers())
        if not may:
            await by.show_error((await by.words())(wording.ANSWER_UNAVAILABLE), forms.COMMENT_FIELD)
        return may

    async def _next(self, by: InteractionContext, said: TranslatableText, *, asking: TranslatableText) -> Reply:
        """Build the reply with the next steps after an unhelpful answer: ask a person where one is set (with the text
        `asking`), and subscribe."""
        place, speech = await self._desk.places.effective_settings(by.payload.places), await by.words()
        shown = text_reply(speech(asking if place.ask else said))
        actions = (*([ReplyButton.ASK] if place.ask else []), ReplyButton.SUBSCRIBE)
        label = wording.handoff_button_label((place.ask_name or "") if place.ask else None, speech)
        return replace(
            shown, language=speech.language, answer_id=by.payload.subject_id, buttons=actions, ask_label=label
        )

    async def _passages(self, by: InteractionContext) -> None:
        await self._panel(by, panels.passages_panel)

    async def _why(self, by: InteractionContext) -> None:
        await self._panel(by, panels.confidence_panel)

    async def _panel(self, by: InteractionContext, panel: Callable[[Answer], Reply]) -> None:
        """Show a panel of the answer if the person may see it."""
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        answer = await self._desk.find_answer(by.payload.subject_id, await by.readers())
        await by.show_privately(panel(answer) if answer else text_reply((await by.words())(wording.ANSWER_UNAVAILABLE)))

    async def _stop(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        await self._inbox.mute(by.payload.conversation)
        await by.show_privately(text_reply((await by.words())(wording.SILENCED)))


def _rating(by: InteractionContext, vote: Vote) -> Rating:
    return Rating(answer_id=by.payload.subject_id, person=by.payload.person_id, vote=vote)
