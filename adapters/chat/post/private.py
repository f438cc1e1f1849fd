"""Answers to commands, for whoever used one: they go back the way that the command came.

A platform that cannot edit what it showed so shows it once: after a crash between the intent and its record nobody can
know whether the answer was seen, and the person is asked to ask again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

import structlog

from adapters.chat.messages import NotPosted
from adapters.chat.post.growth import EditGrowth, Edits, Feed
from adapters.chat.reply import answer as parts
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import Look, Reply
from pipeline.errors import Refused, Withdrawn
from pipeline.ports import Growing, Receipt
from pipeline.translations import Words
from pipeline.values import Answer, IncomingMessage, Work
from pipeline.words import wording

log = structlog.get_logger(__name__)

SHOWN = "shown"
"""The reference of what cannot be found again."""
P = TypeVar("P")
"""What a platform shows as one message."""


class PrivateSender(Protocol[P]):
    """Back to whoever used a command. It is one of `Edits` where what is there can be edited.

    Raises NotPosted: `hopeless` where that is no longer possible, `over` where somebody deleted what was there."""

    shareable: bool
    """The answer may be shared with those who are there, who do not see it."""
    attachable: bool
    """Long code may be a file."""

    def line(self, text: str) -> P:
        """One message of our own words."""
        ...

    def drawn(self, reply: Reply) -> list[P]:
        """As many messages as there may be; where that is not all of it, they say so."""
        ...

    async def show(self, posts: Sequence[P], shown: Callable[[], Awaitable[None]]) -> None:
        """`shown` records it: once the first is there where that can be edited, else once all are."""
        ...


class Tell(Protocol):
    async def __call__(self, message: IncomingMessage, text: str, *, once: str = "") -> None: ...


class PrivateReplies:
    """Delivers any number of them at once."""

    def __init__(self, back: Callable[[Work], PrivateSender[Any]], tell: Tell, look: Look) -> None:
        """`back` raises NotPosted, too. `tell` tells whoever said a message, in a direct message."""
        self._back = back
        self._tell = tell
        self._look = look

    async def deliver(self, growing: Growing, receipt: Receipt) -> None:
        """Show the answer; once there is no way back, ask to ask again."""
        work = growing.work
        try:
            back = self._back(work)
            if work.reference and not isinstance(back, Edits):
                return
            await back.show(await self._posts(back, growing, receipt), partial(receipt.posted, SHOWN))
        except NotPosted as refused:
            if refused.over:
                log.info("private_reply_deleted", key=work.key)
            elif refused.hopeless:
                log.warning("private_reply_late", key=work.key, reason=str(refused))
                await self._ask_again(work)
            else:
                raise

    async def _posts(self, back: PrivateSender[P], growing: Growing, receipt: Receipt) -> list[P]:
        """What is to be shown; the intent is recorded."""
        work, words = growing.work, Words(growing.work.language)
        if isinstance(back, Edits):
            answer = await _grown(back, back.line(words(wording.WITHDRAWN)), growing, receipt)
        elif work.posting_since:
            return [back.line(words(wording.ASK_AGAIN))]
        else:
            answer = await growing.events.answer()
            await receipt.posting()
        notes = [*parts.asked(answer), *wording.notes_on(work.message, words)]
        return back.drawn(
            parts.reply(answer, self._look, notes=notes, shareable=back.shareable, attachable=back.attachable)
        )

    async def _ask_again(self, work: Work) -> None:
        if work.reference:
            return
        try:
            await self._tell(work.message, Words(work.language)(wording.ASK_AGAIN), once=work.key)
        except Refused as refused:
            log.warning("asker_not_told", key=work.key, reason=str(refused))


async def _grown(back: Edits[P], gone: P, growing: Growing, receipt: Receipt) -> Answer:
    """The answer, after what there was of it was shown; `gone` in the place of one that must not be."""
    words = Words(growing.work.language)
    try:
        await receipt.posting()
        async with Feed(growing.events) as feed:
            answer = await EditGrowth(back, back.glimpse, words).follow(feed, Draft(words=words))
            assert answer  # nobody stops what is asked in private
            return answer
    except Withdrawn:
        await back.glimpse(gone)
        raise
