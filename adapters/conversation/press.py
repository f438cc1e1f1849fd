"""What a button or a command does that does the same on every platform."""

from __future__ import annotations

from collections.abc import Callable

from adapters.conversation.presser import Presser
from adapters.replies import handoff, insights, panels
from adapters.replies.answer import plain
from adapters.replies.parts import Button, Reply
from pipeline import wording
from pipeline.errors import NotAllowed
from pipeline.ports import Desk, Inbox
from pipeline.values import Answer


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
            readers, alone = await by.readers(), not by.below
            chain, origin = by.places, by.conversation
            said = await desk.hand_over(by.about, by.person, readers, chain, origin, by.below, private=alone)
            await by.say(said)
        case handoff.RESOLVE_BUTTON:
            keep = await desk.handoffs.may_keep(await by.actor(), by.places[-1])
            await by.open(handoff.form(by.about, await by.words(), keep=keep))


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
