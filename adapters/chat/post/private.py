"""Private answers to commands: they go back the way that the command came.

A platform that cannot edit such a message shows it once. After a crash between the intent and its record nobody can
know whether the answer was seen, so the person is asked to ask again.
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
"""The reference of a private reply that was shown and cannot be found again."""
P = TypeVar("P")
"""The type that a platform shows as one message."""


class PrivateSender(Protocol[P]):
    """A platform's port for the private reply to a command. Also an `EditingSender` where messages can be edited.
    Raises NotPosted: permanent where a reply is no longer possible, obsolete where somebody deleted it."""

    can_share: bool
    """True where the answer may be shared with the people there, who do not see it."""
    can_attach: bool
    """True where long code may be a file."""

    def render_line(self, text: str) -> P:
        """Render one message of our own words."""
        ...

    def render_reply(self, reply: Reply) -> list[P]:
        """Render the messages of a reply, as many as there may be. The last says if something is cut."""
        ...

    async def show(self, posts: Sequence[P], record: Callable[[], Awaitable[None]]) -> None:
        """Show the messages. `record` records it: after the first where messages can be edited, else after all."""
        ...


class SendDirect(Protocol):
    async def __call__(self, message: IncomingMessage, text: str, *, once: str = "") -> None: ...


class PrivateReplyDeliverer:
    """The deliverer of any number of private replies at once."""

    def __init__(
        self,
        open_sender: Callable[[LeasedMessage], PrivateSender[Any]],
        send_direct: SendDirect,
        render_options: RenderOptions,
    ) -> None:
        """Create it. `open_sender` raises NotPosted, too. `send_direct` sends the author of a message a direct
        message."""
        self._open_sender = open_sender
        self._send_direct = send_direct
        self._render_options = render_options

    async def deliver(self, stream: ReplyStream, recorder: PostRecorder) -> None:
        """Show the answer. Where that is no longer possible, ask the person to ask again."""
        work = stream.work
        try:
            sender = self._open_sender(work)
            if work.reference and not isinstance(sender, EditingSender):
                return
            await sender.show(
                await self._render(sender, stream, recorder), partial(recorder.record_posted, SHOWN_REFERENCE)
            )
        except NotPosted as refused:
            if refused.is_obsolete:
                log.info("private_reply_deleted", key=work.key)
            elif refused.is_permanent:
                log.warning("private_reply_late", key=work.key, reason=str(refused))
                await self._ask_again(work)
            else:
                raise

    async def _render(self, sender: PrivateSender[P], stream: ReplyStream, recorder: PostRecorder) -> list[P]:
        """Return the messages to show, once the intent is recorded."""
        work, translator = stream.work, Translator(stream.work.language)
        if isinstance(sender, EditingSender):
            answer = await _follow(sender, sender.render_line(translator(wording.QUESTION_ERASED)), stream, recorder)
        elif work.posting_since:
            return [sender.render_line(translator(wording.ASK_AGAIN))]
        else:
            answer = await stream.events.answer()
            await recorder.record_intent()
        notes = [*parts.question_lines(answer), *wording.question_notes(work.message, translator)]
        return sender.render_reply(
            parts.build_reply(
                answer, self._render_options, notes=notes, shareable=sender.can_share, attachable=sender.can_attach
            )
        )

    async def _ask_again(self, work: LeasedMessage) -> None:
        if work.reference:
            return
        try:
            await self._send_direct(work.message, Translator(work.language)(wording.ASK_AGAIN), once=work.key)
        except Refused as refused:
            log.warning("asker_not_notified", key=work.key, reason=str(refused))


async def _follow(sender: EditingSender[P], gone: P, stream: ReplyStream, recorder: PostRecorder) -> Answer:
    """Return the answer after showing its progress. A withdrawn question is replaced by `gone`."""
    translator = Translator(stream.work.language)
    try:
        await recorder.record_intent()
        async with EventBuffer(stream.events) as buffer:
            answer = await EditingPost(sender, sender.show_progress).follow(buffer, Draft(translator=translator))
            assert answer  # nobody stops what is asked in private
            return answer
    except QuestionWithdrawn:
        await sender.show_progress(gone)
        raise
