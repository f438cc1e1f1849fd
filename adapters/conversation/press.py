"""What a button or a command does that does the same on every platform."""

from __future__ import annotations

from collections.abc import Callable

from adapters.conversation.presser import Presser
from adapters.replies import handoff, insights, panels, wishes
from adapters.replies.answer import plain
from adapters.replies.parts import Button, Reply
from pipeline import wording
from pipeline.errors import NotAllowed
from pipeline.ports import Desk, Inbox
from pipeline.values import Answer, ConversationId, Press


async def press(desk: Desk, inbox: Inbox, by: Presser, action: str) -> None:
    """Do what a button stands for; nothing for any other."""
    match action:
        case Button.PASSAGES:
            await by.show(await _panel(desk, by, panels.passages))
        case Button.WHY:
            await by.show(await _panel(desk, by, panels.why))
        case Button.STOP:
            await inbox.silence(by.conversation)
            await by.show(plain((await by.words())(wording.SILENCED)))
        case Button.ASK:
            await by.say(await desk.hand_over(_pressed(by, by.conversation), await by.readers()))
        case Button.TELL:
            wished = await desk.wish(_pressed(by, await by.told_in()), await by.readers())
            await by.show(wishes.noted(wished, await by.words()))
        case Button.UNTELL:
            await by.say((await by.words())(await desk.wishes.take_back(by.about, by.person)))
        case handoff.RESOLVE_BUTTON:
            keep = await desk.handoffs.may_keep(await by.actor(), by.places[-1])
            await by.open(handoff.form(by.about, await by.words(), keep=keep))


async def next_steps(desk: Desk, by: Presser) -> tuple[tuple[Button, str], ...]:
    """What can be done about an answer that did not help, with the words on its button: ask a person where one is set,
    and be told once it is right."""
    place, words = await desk.places.of(by.places), await by.words()
    asking = ((Button.ASK, wording.ask_button(place.ask_name or "", words)),) if place.ask else ()
    return (*asking, (Button.TELL, words(wording.TELL_ME)))


def _pressed(by: Presser, origin: ConversationId) -> Press:
    return Press(
        answer_id=by.about,
        person=by.person,
        chain=by.places,
        origin=origin,
        message=by.below,
        private=not by.below,
        external=by.external,
    )


async def _panel(desk: Desk, by: Presser, panel: Callable[[Answer], Reply]) -> Reply:
    """A panel of the answer, if they may see it."""
    answer = await desk.answer(by.about, await by.readers())
    return panel(answer) if answer else plain((await by.words())(wording.NO_ANSWER))


async def insights_panel(desk: Desk, by: Presser) -> Reply:
    """What was asked, as far as they may hear of it; to admins alone."""
    words = await by.words()
    try:
        return insights.panel(await desk.insights(await by.actor(), await by.readers(), insights.DAYS), words)
    except NotAllowed:
        return plain(words(insights.ADMINS_ONLY))
