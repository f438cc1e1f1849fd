"""Asking people, their reply, and being told once it can be answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from adapters.chat.press.presser import AmongOthers, Presser, Then
from adapters.chat.reply.parts import Button
from adapters.chat.words import handoff, wishes
from pipeline.errors import Refused
from pipeline.ports import Desk
from pipeline.values import ConversationId, MessageKey, PlaceId, Press
from pipeline.words import wording


class AskingPeople:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def handlers(self) -> Mapping[str, Callable[[Presser], Awaitable[None]]]:
        return {
            Button.ASK: self._ask,
            handoff.RESOLVE_BUTTON: self._open,
            handoff.RESOLVED: self._resolve,
            handoff.SEND_BUTTON: partial(self._send, keep=False),
            handoff.KEEP_BUTTON: partial(self._send, keep=True),
            Button.TELL: self._tell,
            Button.UNTELL: self._untell,
        }

    async def _ask(self, by: Presser) -> None:
        await by.ack(Then.TOLD)
        await by.say(await self._desk.hand_over(_press(by, by.pressed.conversation), await by.readers()))

    async def _open(self, by: Presser) -> None:
        await by.ack(Then.OPENED)
        keep = await self._desk.handoffs.may_keep(await by.actor(), by.pressed.places[-1])
        await by.open(handoff.form(by.pressed.about, await by.words(), keep=keep))

    async def _resolve(self, by: Presser) -> None:
        await by.ack(Then.CHECKED)
        reply, keep = handoff.given(by.pressed.filled)
        link = await by.link() if keep and isinstance(by, AmongOthers) else ""
        await self._close(by, by.pressed.about, by.pressed.places[-1], reply, keep=keep, link=link)

    async def _send(self, by: Presser, *, keep: bool) -> None:
        """The same with what they wrote there."""
        await by.ack(Then.TOLD)
        written = await by.written() if isinstance(by, AmongOthers) else None
        reply = handoff.shortened(written.text) if written else ""
        if written is None or not reply:
            await by.say((await by.words())(wording.NOT_YOUR_REPLY))
            return
        asked = await self._desk.handoffs.waits(written.notice)
        if asked is None or asked.target not in by.pressed.places:
            await by.say((await by.words(written.text))(wording.HANDOFF_GONE))
            return
        await self._close(by, asked.id, asked.target, reply, keep=keep, link=written.link, at=written.notice)

    async def _close(
        self,
        by: Presser,
        handoff_id: str,
        place: PlaceId,
        reply: str,
        *,
        keep: bool,
        link: str,
        at: MessageKey | None = None,
    ) -> None:
        """Close the question, and say in the place of the heading who did; refused where the reply may not be kept."""
        words = await by.words(reply)
        name = by.pressed.name or words(handoff.COLLEAGUE)
        try:
            said = await self._desk.handoffs.resolve(
                handoff_id, place, await by.actor(), name, reply, keep=keep, link=link
            )
        except Refused:
            await by.refuse(words(wording.NOT_KEPT), "reply")
            return
        if said != wording.HANDOFF_GONE:
            await by.tick(words(wording.RESOLVED_BY, who=name), at)
        await by.say(words(said))

    async def _tell(self, by: Presser) -> None:
        await by.ack(Then.TOLD)
        wished = await self._desk.wish(_press(by, await by.told_in()), await by.readers())
        await by.show(wishes.noted(wished, await by.words()))

    async def _untell(self, by: Presser) -> None:
        await by.ack(Then.TOLD)
        said = await self._desk.wishes.take_back(by.pressed.about, by.pressed.person)
        await by.say((await by.words())(said))


def _press(by: Presser, origin: ConversationId) -> Press:
    pressed = by.pressed
    return Press(
        answer_id=pressed.about,
        person=pressed.person,
        chain=pressed.places,
        origin=origin,
        message=pressed.below,
        private=not pressed.below,
        external=pressed.external,
    )
