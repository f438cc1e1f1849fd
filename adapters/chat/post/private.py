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
from adapters.chat.post.streaming import EditingPost, EditingSender, EventBuffer
from adapters.chat.reply import builder as parts
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import RenderOptions, Reply
from pipeline.errors import QuestionWithdrawn, Refused
from pipeline.ports import PostRecorder, ReplyStream
from pipeline.translations import Translator
from pipeline.values import Answer, IncomingMessage, LeasedMessage
from pipeline.words import wording

log = structlog.get_logger(__name__)

SHOWN_REFERENCE = "shown"
"""The reference of what cannot be found again."""
P = TypeVar("P")
"""What a platform shows as one message."""


class PrivateSender(Protocol[P]):
    """Back to whoever used a command. It is one of `EditingSender` where what is there can be edited.

    Raises NotPosted: `hopeless` where that is no longer possible, `over` where somebody deleted what was there."""

    can_share: bool
    """The answer may be shared with those who are there, who do not see it."""
    can_attach: bool
    """Long code may be a file."""

    def render_line(self, text: str) -> P:
        """One message of our own words."""
        ...

    def render_reply(self, reply: Reply) -> list[P]:
        """As many messages as there may be; where that is not all of it, they say so."""
        ...

    async def show(self, posts: Sequence[P], shown: Callable[[], Awaitable[None]]) -> None:
        """`shown` records it: once the first is there where that can be edited, else once all are."""
        ...


class SendDirect(Protocol):
    async def __call__(self, message: IncomingMessage, text: str, *, once: str = "") -> None: ...


class PrivateReplyDeliverer:
    """Delivers any number of them at once."""

    def __init__(
        self, back: Callable[[LeasedMessage], PrivateSender[Any]], tell: SendDirect, look: RenderOptions
    ) -> None:
        """`back` raises NotPosted, too. `tell` tells whoever said a message, in a direct message."""
        self._back = back
        self._tell = tell
        self._look = look

    async def deliver(self, growing: ReplyStream, receipt: PostRecorder) -> None:
        """Show the answer; once there is no way back, ask to ask again."""
        work = growing.work
        try:
            back = self._back(work)
            if work.reference and not isinstance(back, EditingSender):
                return
            await back.show(await self._posts(back, growing, receipt), partial(receipt.record_posted, SHOWN_REFERENCE))
        except NotPosted as refused:
            if refused.is_obsolete:
                log.info("private_reply_deleted", key=work.key)
            elif refused.is_permanent:
                log.warning("private_reply_late", key=work.key, reason=str(refused))
                await self._ask_again(work)
            else:
                raise

    async def _posts(self, back: PrivateSender[P], growing: ReplyStream, receipt: PostRecorder) -> list[P]:
        """What is to be shown; the intent is recorded."""
        work, words = growing.work, Translator(growing.work.language)
        if isinstance(back, EditingSender):
            answer = await _grown(back, back.render_line(words(wording.QUESTION_ERASED)), growing, receipt)
        elif work.posting_since:
            return [back.render_line(words(wording.ASK_AGAIN))]
        else:
            answer = await growing.events.answer()
            await receipt.record_intent()
        notes = [*parts.question_lines(answer), *wording.question_notes(work.message, words)]
        return back.render_reply(
            parts.build_reply(answer, self._look, notes=notes, shareable=back.can_share, attachable=back.can_attach)
        )

    async def _ask_again(self, work: LeasedMessage) -> None:
        if work.reference:
            return
        try:
            await self._tell(work.message, Translator(work.language)(wording.ASK_AGAIN), once=work.key)
        except Refused as refused:
            log.warning("asker_not_notified", key=work.key, reason=str(refused))


async def _grown(back: EditingSender[P], gone: P, growing: ReplyStream, receipt: PostRecorder) -> Answer:
    """The answer, after what there was of it was shown; `gone` in the place of one that must not be."""
    words = Translator(growing.work.language)
    try:
        await receipt.record_intent()
        async with EventBuffer(growing.events) as feed:
            answer = await EditingPost(back, back.show_progress, words).follow(feed, Draft(words=words))
            assert answer  # nobody stops what is asked in private
            return answer
    except QuestionWithdrawn:
        await back.show_progress(gone)
        raise
