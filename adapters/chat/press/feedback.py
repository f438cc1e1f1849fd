"""What is pressed below an answer: a vote, its passages, its confidence, and to stay out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from adapters.chat.press.presser import Presser, Then
from adapters.chat.reply import labels as words
from adapters.chat.reply import panels
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Button, Reply
from adapters.chat.words import forms
from pipeline.ports import Desk, Inbox
from pipeline.translations import Message
from pipeline.values import Answer, Rating, Vote, replace
from pipeline.words import wording


class Feedback:
    def __init__(self, desk: Desk, inbox: Inbox) -> None:
        self._desk = desk
        self._inbox = inbox

    @property
    def handlers(self) -> Mapping[str, Callable[[Presser], Awaitable[None]]]:
        return {
            Button.HELPFUL: self._helpful,
            Button.UNHELPFUL: self._unhelpful,
            forms.REASON: self._reason,
            Button.PASSAGES: self._passages,
            Button.WHY: self._why,
            Button.STOP: self._stop,
        }

    async def _helpful(self, by: Presser) -> None:
        await by.ack(Then.CHANGED if by.shows_votes else Then.TOLD)
        if not await self._may(by):
            return
        await self._desk.rate(_rating(by, Vote.HELPFUL), by.actor)
        if not by.shows_votes:
            await by.say((await by.words())(words.THANKS))

    async def _unhelpful(self, by: Presser) -> None:
        """The vote counts at once; a form asks for the reason, and opens first: platforms do not wait for long."""
        await by.ack(Then.OPENED)
        await by.open(forms.reason_form(by.pressed.about, await by.words()))
        if not await self._may(by):
            return
        await self._desk.rate(_rating(by, Vote.UNHELPFUL))
        if by.shows_votes:
            await by.show(await self._next(by, wording.NOT_HELPED, asking=wording.SORRY))

    async def _reason(self, by: Presser) -> None:
        await by.ack(Then.CHECKED)
        if not await self._may(by):
            return
        await self._desk.rate(forms.with_reason(_rating(by, Vote.UNHELPFUL), by.pressed.filled))
        if not by.shows_votes:
            await by.show(await self._next(by, words.THANKS_REASON, asking=words.THANKS_REASON))

    async def _may(self, by: Presser) -> bool:
        """Whether their vote counts; who may not see the answer is told so, and nothing is kept of it."""
        may = await self._desk.rateable(by.pressed.about, await by.readers())
        if not may:
            await by.refuse((await by.words())(wording.NO_ANSWER), forms.COMMENT_FIELD)
        return may

    async def _next(self, by: Presser, said: Message, *, asking: Message) -> Reply:
        """What can be done about an answer that did not help: ask a person where one is set, which `asking` says, and
        be told once it is right."""
        place, speech = await self._desk.places.of(by.pressed.places), await by.words()
        shown = plain(speech(asking if place.ask else said))
        actions = (*([Button.ASK] if place.ask else []), Button.TELL)
        label = wording.ask_button((place.ask_name or "") if place.ask else None, speech)
        return replace(shown, language=speech.language, answer_id=by.pressed.about, actions=actions, ask=label)

    async def _passages(self, by: Presser) -> None:
        await self._panel(by, panels.passages)

    async def _why(self, by: Presser) -> None:
        await self._panel(by, panels.why)

    async def _panel(self, by: Presser, panel: Callable[[Answer], Reply]) -> None:
        """A panel of the answer, if they may see it."""
        await by.ack(Then.TOLD)
        answer = await self._desk.answer(by.pressed.about, await by.readers())
        await by.show(panel(answer) if answer else plain((await by.words())(wording.NO_ANSWER)))

    async def _stop(self, by: Presser) -> None:
        await by.ack(Then.TOLD)
        await self._inbox.silence(by.pressed.conversation)
        await by.show(plain((await by.words())(wording.SILENCED)))


def _rating(by: Presser, vote: Vote) -> Rating:
    return Rating(answer_id=by.pressed.about, person=by.pressed.person, vote=vote)
