"""A private answer for everyone in its channel: once, to those who may see it, and as the start of a conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import structlog

from adapters.chat.press.presser import AmongOthers, Presser, Then
from adapters.chat.reply.parts import Button
from adapters.chat.words import handoff
from pipeline.errors import CitewellError
from pipeline.ports import Desk
from pipeline.values import PlaceId
from pipeline.values.posting import Share
from pipeline.words import wording

log = structlog.get_logger(__name__)


class Sharing:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def handlers(self) -> Mapping[str, Callable[[Presser], Awaitable[None]]]:
        return {Button.SHARE: self._share}

    async def _share(self, by: Presser) -> None:
        """Let the answer be posted where the button was pressed, if everyone there may see what it rests on; otherwise
        say why it is not there. What was given up may be tried again."""
        await by.ack(Then.CHANGED)
        if not isinstance(by, AmongOthers):
            return
        words = await by.words()
        readers = await by.channel()
        answer = None if isinstance(readers, str) else await self._desk.answer(by.pressed.about, readers)
        if answer is None:
            await by.say(words(readers if isinstance(readers, str) else wording.NOT_SHARED))
            return
        where = by.pressed.conversation
        share = Share(
            to=str(PlaceId(platform=where.platform, space=where.space, channel=where.channel)),
            answer_id=answer.id,
            person=by.pressed.person,
            name=by.pressed.name or words(handoff.COLLEAGUE),
            language=words.language,
        )
        if not await self._desk.posts.begin(share):
            await by.say(words(wording.SHARED_ALREADY))
            return
        why = await self._desk.posts.ended(share)
        if why:
            await by.say(why)
        elif why is not None:
            try:
                await by.confirm(answer)
            except CitewellError as error:  # it is shared all the same
                log.warning("share_not_confirmed", reason=str(error))
