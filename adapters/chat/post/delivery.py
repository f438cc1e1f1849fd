"""Delivery of an answer's events as a reply below its question, on every platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import structlog

from adapters.chat.messages import MessageSender, MessageSequence, NotPosted
from adapters.chat.post.private import PrivateReplyDeliverer, PrivateSender
from adapters.chat.post.streaming import (
    EditingPost,
    EditingSender,
    EventBuffer,
    SettleIndicator,
    StreamingPost,
    StreamingSender,
)
from adapters.chat.reply import builder as parts
from adapters.chat.reply import labels
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import RenderOptions, Reply, ReplyFile
from adapters.chat.words import subscriptions
from adapters.chat.words.subscriptions import AnswerHeading
from pipeline.errors import CitewellError, Refused, UnusableResponse
from pipeline.ports import PostRecorder, ReplyStream
from pipeline.translations import TranslatableText, Translator
from pipeline.values import Answer, ConversationId, IncomingMessage, LeasedMessage, MessageTrigger, replace
from pipeline.values.platform import Platform
from pipeline.words import wording

log = structlog.get_logger(__name__)

OUTSIDER_MESSAGE = TranslatableText(
    "You belong to another organisation, and I am not allowed to answer you. Please ask somebody here."
)
NO_REPLY = TranslatableText("I could not answer you in {channel}: {why}")
"""Sent to the asker alone."""

P = TypeVar("P")
"""The type that a platform shows as one message."""


class ReplyPlacement(NamedTuple):
    """Properties of the place where a reply is posted."""

    can_stop: bool
    """True where questions that mention nobody are answered there."""
    can_attach: bool
    """True where files may be attached."""
    remarks: Sequence[TranslatableText] = ()
    """Notes about where the reply was posted."""


class ReplySender(MessageSender[P], Protocol[P]):
    """The messages of the reply to one question. Also a `StreamingSender` or an `EditingSender` where it can grow."""

    is_text_withheld: bool
    """True where the platform hid the question's text."""
    place: str
    """The place of the question, as a message names it."""

    def placement(self) -> ReplyPlacement:
        """Return the placement, once the target is prepared."""
        ...

    def show_working(self, translator: Translator, *, begun: bool) -> AbstractAsyncContextManager[SettleIndicator]:
        """Show a typing indicator while in the context, unless it is to be hidden. `begun`: a part of the reply is
        posted."""
        ...

    def render_line(self, text: str) -> P:
        """Render one message of our own words."""
        ...

    def render_reply(self, reply: Reply, above: AnswerHeading | None) -> list[P]:
        """Render the messages of a reply. `above` stands at its top, with a mention of the subscriber."""
        ...

    def render_plain(self, reply: Reply, above: AnswerHeading | None, *, begun: bool) -> list[P]:
        """Render the messages without files, in the form that the platform accepts where it refuses others. `begun`: a
        part of the reply is posted."""
        ...

    async def attach(self, files: Sequence[ReplyFile], *, resumed: bool) -> bool:
        """Attach files below the reply, each once, `resumed` after a crash. Return False where they are refused."""
        ...


class ReplyPoster(Protocol[P]):
    """A platform's port for replies."""

    def open_reply(self, work: LeasedMessage, recorder: PostRecorder) -> ReplySender[P]: ...

    def open_private_reply(self, work: LeasedMessage) -> PrivateSender[Any]:
        """Return the sender of a private reply to a command. Raises NotPosted, permanent, where the command is too
        old."""
        ...

    async def find_posted(self, work: LeasedMessage) -> str | None:
        """Return the reference of a reply that a crash left unrecorded, or None."""
        ...

    async def delete_reply(self, channel: str, reference: str) -> None:
        """Delete the messages of a reply."""
        ...

    async def send_direct(self, message: IncomingMessage, text: str, *, once: str = "") -> None:
        """Send the author of `message` a direct message; with `once` not a second time right after."""
        ...

    async def is_shared(self, channel: str) -> bool:
        """Return True if other organisations are known to read the channel."""
        ...

    def upload_button_value(self, message: IncomingMessage) -> str:
        """Return the value of the button that adds the files of a message; empty where there are none to add."""
        ...


@runtime_checkable
class SupportsEphemeralReply(Protocol):
    """Can show a reply to one person who did not ask for it."""

    async def show_ephemeral(self, message: IncomingMessage, reply: Reply) -> None:
        """Show the reply to the author of `message`, beside that message."""
        ...


class Deliverer(Generic[P]):
    """The deliverer of any number of replies at once."""

    def __init__(
        self,
        poster: ReplyPoster[P],
        platform: Platform,
        render_options: RenderOptions,
        upload_button_value: Callable[[IncomingMessage], Awaitable[str]],
        *,
        shared_channels: bool = False,
    ) -> None:
        """Create it. `upload_button_value` returns the value of the button that adds a message's files, empty for no
        button. `shared_channels`: answer where other organisations read along."""
        self._poster = poster
        self._platform = platform
        self._render_options = render_options
        self._upload_button_value = upload_button_value
        self.shared_channels = shared_channels
        self._private = PrivateReplyDeliverer(poster.open_private_reply, poster.send_direct, render_options)
        self._buffers: dict[ConversationId, EventBuffer] = {}
        self._replies: set[ConversationId] = set()

    async def deliver(self, stream: ReplyStream, recorder: PostRecorder) -> None:
        """Show the reply while it is written; in private where the question was asked in private."""
        work = stream.work
        if work.message.manner is MessageTrigger.COMMAND:
            await self._private.deliver(stream, recorder)
            return
        sender = self._poster.open_reply(work, recorder)
        reply = MessageSequence(sender, recorder)
        self._replies.add(work.message.conversation)
        try:
            if instead := await self._replacement_text(work.message, sender):
                if work.message.manner.is_background:
                    log.info("auto_reply_withheld", key=work.key)
                else:
                    await reply.show([sender.render_line(Translator(work.language)(instead))])
            else:
                await self._deliver_answer(stream, sender, reply)
        except NotPosted as refused:
            if not await self._is_settled(work, sender, refused):
                raise
        finally:
            self._replies.discard(work.message.conversation)

    async def find_posted(self, work: LeasedMessage) -> str | None:
        """Return the reference of a reply that a crash left unrecorded, or None. Private replies are not looked for."""
        return None if work.message.manner is MessageTrigger.COMMAND else await self._poster.find_posted(work)

    def has_pending_reply(self, conversation: ConversationId) -> bool:
        """Return True while a reply is on its way to the conversation that the inbox does not know of yet."""
        return conversation in self._replies

    def stop(self, conversation: ConversationId) -> bool:
        """End the answer that is being written there. Return False if there is none in this process."""
        if buffer := self._buffers.get(conversation):
            buffer.stop()
        return buffer is not None

    async def delete_reply(self, channel: str, reply: str) -> None:
        """Delete the messages of a reply, best effort."""
        try:
            await self._poster.delete_reply(channel, reply)
        except CitewellError as error:
            log.warning("reply_not_deleted", reason=str(error))

    async def post_ephemeral(self, message: IncomingMessage, answer: Answer) -> None:
        """Show the author of `message` an unprompted answer, best effort. It has no buttons, since it is not stored."""
        if not isinstance(self._poster, SupportsEphemeralReply) or await self._has_strangers(message):
            return
        note = Translator(answer.language)(wording.ONLY_YOU_SEE)
        reply = replace(parts.build_reply(answer, self._render_options, notes=[note]), buttons=())
        try:
            await self._poster.show_ephemeral(message, reply)
        except CitewellError as error:
            log.warning("private_note_not_posted", reason=str(error))

    def _is_private(self, message: IncomingMessage) -> bool:
        """Return True if only the asker reads the reply."""
        return self._platform.is_direct(message.conversation)

    async def _has_strangers(self, message: IncomingMessage) -> bool:
        """Return True if people of other organisations, whom the bot does not answer, are known to read the reply."""
        if self.shared_channels:
            return False
        looks = message.manner is MessageTrigger.AWAITED and not self._is_private(message)
        return message.external or (looks and await self._poster.is_shared(message.conversation.channel))

    async def _replacement_text(self, message: IncomingMessage, sender: ReplySender[P]) -> TranslatableText | None:
        """Return the text that replaces any answer, or None."""
        if sender.is_text_withheld:
            return labels.TEXT_WITHHELD
        if not await self._has_strangers(message):
            return None
        return OUTSIDER_MESSAGE if self._is_private(message) else wording.SHARED_CHANNEL

    async def _deliver_answer(self, stream: ReplyStream, sender: ReplySender[P], reply: MessageSequence[P]) -> None:
        work, message = stream.work, stream.work.message
        translator = Translator(work.language)
        button_value = await self._upload_button_value(message)
        notes = wording.question_notes(message, translator, offered=bool(button_value))
        async with (
            sender.show_working(translator, begun=reply.resumed) as settled,
            EventBuffer(stream.events) as buffer,
        ):
            progress = _start_progress(sender, reply, settled)
            draft = Draft(notes if isinstance(progress, StreamingPost) else (), translator)
            answer = await self._follow(message.conversation, progress, buffer, draft)
            is_clear = await settled()
            await reply.begin()
            if answer is None:
                await _complete(progress, reply, sender.render_reply(draft.stopped_reply, None))
                return
            placement = sender.placement()
            remarks = [translator(remark) for remark in placement.remarks]
            build = partial(
                parts.build_reply,
                answer,
                self._render_options,
                notes=notes,
                remarks=remarks,
                upload_button_value=button_value,
            )
            build = partial(build, stoppable=placement.can_stop)
            reply_shown = build(attachable=placement.can_attach)
            above = subscriptions.answer_heading(answer) if message.manner is MessageTrigger.AWAITED else None
            is_complete = True
            try:
                posts = sender.render_reply(reply_shown, above)
                await _complete(progress, reply, posts, complete=is_clear and not reply_shown.files)
            except (NotPosted, UnusableResponse) as error:
                if isinstance(error, NotPosted) and not error.retry_plain:
                    raise
                log.warning("reply_posted_as_text", answer=answer.id, reason=str(error))
                is_complete = False
        if not (is_complete and await sender.attach(reply_shown.files, resumed=reply.resumed)):
            await reply.show(sender.render_plain(build(), above, begun=bool(reply.names)))

    async def _follow(
        self,
        conversation: ConversationId,
        progress: StreamingPost[P] | EditingPost[P],
        buffer: EventBuffer,
        draft: Draft,
    ) -> Answer | None:
        """Read to the answer; None where somebody stopped it."""
        self._buffers[conversation] = buffer
        try:
            return await progress.follow(buffer, draft)
        finally:
            self._buffers.pop(conversation, None)

    async def _is_settled(self, work: LeasedMessage, sender: ReplySender[P], refused: NotPosted) -> bool:
        """Return True if nothing is left to do after a refusal, False if it is to be tried again. A person who reads
        alone can be told nowhere else; a refused unprompted reply is dropped."""
        hopeless = work.last or refused.is_permanent
        if refused.is_obsolete:
            log.info("reply_given_up", key=work.key, reason=str(refused))
        elif hopeless and work.message.manner.is_background:
            log.info("auto_reply_refused", key=work.key, reason=str(refused))
        elif hopeless and not self._is_private(work.message):
            log.warning("reply_refused", key=work.key, reason=str(refused))
            await self._explain(work, sender, refused)
        else:
            return False
        return True

    async def _explain(self, work: LeasedMessage, sender: ReplySender[P], refused: NotPosted) -> None:
        """Tell the asker in a direct message why there is no reply at the question."""
        translator = Translator(work.language)
        text = translator(NO_REPLY, channel=sender.place, why=refused.why(translator))
        try:
            await self._poster.send_direct(work.message, text)
        except Refused as untold:
            raise Refused(f"{text} ({untold})") from refused


def _start_progress(
    sender: ReplySender[P], reply: MessageSequence[P], settle: SettleIndicator
) -> StreamingPost[P] | EditingPost[P]:
    if isinstance(sender, StreamingSender):
        return StreamingPost(sender, reply, settle)
    assert isinstance(sender, EditingSender)
    edits: EditingSender[P] = sender

    async def show(post: P) -> None:
        await settle()
        if reply.names:
            await edits.show_progress(post, reply.names[0])
        else:
            await reply.show([post])

    return EditingPost(edits, show)


async def _complete(
    progress: StreamingPost[P] | EditingPost[P],
    reply: MessageSequence[P],
    posts: Sequence[P],
    *,
    complete: bool = False,
) -> None:
    """Make the reply exactly `posts`. `complete`: nothing follows them."""
    closed = isinstance(progress, StreamingPost) and await progress.close(posts[0])
    await reply.show(posts, already=int(closed), complete=complete)
