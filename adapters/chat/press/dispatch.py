"""What people press, send and choose: one handler for each action, on every platform. Two quick clicks are one."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Hashable

from adapters.chat.press.feedback import Feedback
from adapters.chat.press.knowledge import Additions
from adapters.chat.press.people import AskingPeople
from adapters.chat.press.person import OwnData
from adapters.chat.press.presser import Presser, Then
from adapters.chat.press.sharing import Sharing
from adapters.chat.reply.parts import Button
from adapters.chat.words import forms
from pipeline.ports import Desk, Inbox

TWICE_SECONDS = 3.0
"""Within which nobody means to press the same again."""


class Clicks:
    """Remembers what was pressed a moment ago."""

    def __init__(self) -> None:
        self._latest: dict[Hashable, float] = {}

    def again(self, *click: Hashable) -> bool:
        """Whether the same was pressed a moment ago: who, what, of which answer, where."""
        now = asyncio.get_running_loop().time()
        self._latest = {one: at for one, at in self._latest.items() if now - at < TWICE_SECONDS}
        if click in self._latest:
            return True
        self._latest[click] = now
        return False


OF_ANSWER = frozenset(
    {
        Button.HELPFUL,
        Button.UNHELPFUL,
        forms.REASON,
        Button.PASSAGES,
        Button.WHY,
        Button.ASK,
        Button.TELL,
        Button.SHARE,
    }
)
"""What carries the id of an answer. Nothing comes of it for somebody who may not see that answer."""
ONCE = frozenset(
    {
        Button.HELPFUL,
        Button.UNHELPFUL,
        Button.PASSAGES,
        Button.WHY,
        Button.ADD,
        Button.TAKE_BACK,
        Button.EXPORT,
    }
)
"""What answers each press with something to see, and no press of a moment later with the same again: where what is
shown stays."""


class Dispatcher:
    """Knows what each press stands for; how it is acknowledged and shown is the platform's."""

    def __init__(self, desk: Desk, inbox: Inbox, *, once: Collection[str] = ONCE) -> None:
        self._clicks = Clicks()
        self._once = once
        self._handlers = {
            **Feedback(desk, inbox).handlers,
            **AskingPeople(desk).handlers,
            **OwnData(desk).handlers,
            **Additions(desk).handlers,
            **Sharing(desk).handlers,
        }

    async def press(self, by: Presser) -> None:
        """Do what was pressed; nothing for what is not ours. Raises CitewellError, which they have to be told."""
        pressed = by.pressed
        again = pressed.action in self._once and self._clicks.again(
            pressed.person, pressed.action, pressed.about, pressed.message
        )
        if again:
            await by.ack(Then.CHANGED)
        elif handler := self._handlers.get(pressed.action):
            await handler(by)
