"""From the events of an answer to the reply below its question, the same on every platform."""

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
"""Told to the asker alone."""

P = TypeVar("P")
"""What a platform shows as one message."""


class ReplyPlacement(NamedTuple):
    """What is so where a reply stands."""

    can_stop: bool
    """Questions are answered there that mention nobody."""
    can_attach: bool
    """Files may stand below it."""
    remarks: Sequence[TranslatableText] = ()
    """What is to be said about where it went."""


class ReplySender(MessageSender[P], Protocol[P]):
    """The messages of the reply to one question; a `StreamingSender` or an `EditingSender` where it can grow."""

    is_text_withheld: bool
    """The platform did not show us what was said."""
    place: str
    """Where the question stands, as a message names it."""

    def placement(self) -> ReplyPlacement:
        """Once the place is made."""
        ...

    def show_working(self, words: Translator, *, begun: bool) -> AbstractAsyncContextManager[SettleIndicator]:
        """Show that it is worked on, unless that is to be hidden. `begun`: something of it is there."""
        ...

    def render_line(self, text: str) -> P:
        """One message of our own words."""
        ...

    def render_reply(self, reply: Reply, above: AnswerHeading | None) -> list[P]:
        """The messages of a reply. `above` stands at its top, with a mention of whoever wanted it."""
        ...

    def render_plain(self, reply: Reply, above: AnswerHeading | None, *, begun: bool) -> list[P]:
        """The same without files, in the form that the platform takes where it takes no other. `begun`: something of
        it is there."""
        ...

    async def attach(self, files: Sequence[ReplyFile], *, again: bool) -> bool:
        """See to it that files stand below the reply, each once, `again` after a crash; False where they are not
        taken."""
        ...


class ReplyPoster(Protocol[P]):
    """What delivering needs of a platform."""

    def open_reply(self, work: LeasedMessage, receipt: PostRecorder) -> ReplySender[P]: ...

    def open_private_reply(self, work: LeasedMessage) -> PrivateSender[Any]:
        """Back to whoever used a command. Raises NotPosted, `hopeless`, where that was too long ago."""
        ...

    async def find_posted(self, work: LeasedMessage) -> str | None:
        """The reply that a crash left unrecorded, as a reference."""
        ...

    async def delete_reply(self, channel: str, reference: str) -> None:
        """The messages of a reply."""
        ...

    async def send_direct(self, message: IncomingMessage, text: str, *, once: str = "") -> None:
        """Tell whoever said `message` in a direct message; with `once` not a second time right after."""
        ...

    async def is_shared(self, channel: str) -> bool:
        """Whether other organisations read it, as far as is known."""
        ...

    def upload_button_value(self, message: IncomingMessage) -> str:
        """What a button carries that adds the files of a message; nothing where there is none to add."""
        ...


@runtime_checkable
class SupportsEphemeralReply(Protocol):
    """Where one person can be shown something who asked for nothing."""

    async def show_ephemeral(self, message: IncomingMessage, reply: Reply) -> None:
        """Show it to whoever said `message`, beside that."""
        ...


class Deliverer(Generic[P]):
    """Delivers any number of replies at once."""

    def __init__(
        self,
        posts: ReplyPoster[P],
        platform: Platform,
        look: RenderOptions,
        adds: Callable[[IncomingMessage], Awaitable[str]],
        *,
        shared_channels: bool = False,
    ) -> None:
        """`adds`: what the button carries that adds the files of a message; nothing where there is none to show.
        `shared_channels`: we answer where other organisations read along."""
        self._posts = posts
        self._platform = platform
        self._look = look
        self._adds = adds
        self.shared_channels = shared_channels
        self._private = PrivateReplyDeliverer(posts.open_private_reply, posts.send_direct, look)
        self._feeds: dict[ConversationId, EventBuffer] = {}
        self._replies: set[ConversationId] = set()

    async def deliver(self, growing: ReplyStream, receipt: PostRecorder) -> None:
        """Show the reply as it comes; in private what was asked in private."""
        work = growing.work
        if work.message.manner is MessageTrigger.COMMAND:
            await self._private.deliver(growing, receipt)
            return
        sender = self._posts.open_reply(work, receipt)
        reply = MessageSequence(sender, receipt)
        self._replies.add(work.message.conversation)
        try:
            if instead := await self._instead(work.message, sender):
                if work.message.manner.is_background:
                    log.info("unasked_reply_withheld", key=work.key)
                else:
                    await reply.show([sender.render_line(Translator(work.language)(instead))])
            else:
                await self._answer(growing, sender, reply)
        except NotPosted as refused:
            if not await self._settled(work, sender, refused):
                raise
        finally:
            self._replies.discard(work.message.conversation)

    async def find_posted(self, work: LeasedMessage) -> str | None:
        """The reply a crash left unrecorded, as a reference; what was asked in private is not looked for."""
        return None if work.message.manner is MessageTrigger.COMMAND else await self._posts.find_posted(work)

    def has_pending_reply(self, conversation: ConversationId) -> bool:
        """Whether a reply of ours is on its way to it, which the inbox will know of in a moment."""
        return conversation in self._replies

    def stop(self, conversation: ConversationId) -> bool:
        """End the answer being written there; False when there is none here."""
        if feed := self._feeds.get(conversation):
            feed.stop()
        return feed is not None

    async def delete_reply(self, channel: str, reply: str) -> None:
        """Delete the messages of a reply; nothing depends on it."""
        try:
            await self._posts.delete_reply(channel, reply)
        except CitewellError as error:
            log.warning("reply_not_deleted", reason=str(error))

    async def post_ephemeral(self, message: IncomingMessage, answer: Answer) -> None:
        """Show whoever said `message` what was not asked of us; nothing depends on it. Nothing can be pressed below it,
        since nothing of it is kept."""
        if not isinstance(self._posts, SupportsEphemeralReply) or await self._strangers_read(message):
            return
        note = Translator(answer.language)(wording.ONLY_YOU_SEE)
        reply = replace(parts.build_reply(answer, self._look, notes=[note]), buttons=())
        try:
            await self._posts.show_ephemeral(message, reply)
        except CitewellError as error:
            log.warning("not_whispered", reason=str(error))

    def _alone(self, message: IncomingMessage) -> bool:
        """Nobody but the asker reads the reply."""
        return self._platform.is_direct(message.conversation)

    async def _strangers_read(self, message: IncomingMessage) -> bool:
        """Whether people of other organisations do, whom we do not answer, as far as is known."""
        if self.shared_channels:
            return False
        looks = message.manner is MessageTrigger.AWAITED and not self._alone(message)
        return message.external or (looks and await self._posts.is_shared(message.conversation.channel))

    async def _instead(self, message: IncomingMessage, sender: ReplySender[P]) -> TranslatableText | None:
        """What is said in the place of any answer."""
        if sender.is_text_withheld:
            return labels.TEXT_WITHHELD
        if not await self._strangers_read(message):
            return None
        return OUTSIDER_MESSAGE if self._alone(message) else wording.SHARED_CHANNEL

    async def _answer(self, growing: ReplyStream, sender: ReplySender[P], reply: MessageSequence[P]) -> None:
        work, message = growing.work, growing.work.message
        words = Translator(work.language)
        adds = await self._adds(message)
        notes = wording.question_notes(message, words, offered=bool(adds))
        async with sender.show_working(words, begun=reply.resumed) as settled, EventBuffer(growing.events) as feed:
            growth = _growth(sender, reply, settled, words)
            draft = Draft(notes if isinstance(growth, StreamingPost) else (), words)
            answer = await self._followed(message.conversation, growth, feed, draft)
            await settled()
            await reply.begin()
            if answer is None:
                await _end(growth, reply, sender.render_reply(draft.stopped_reply, None))
                return
            there = sender.placement()
            remarks = [words(remark) for remark in there.remarks]
            made = partial(parts.build_reply, answer, self._look, notes=notes, remarks=remarks, adds=adds)
            made = partial(made, stoppable=there.can_stop)
            shown, plain = made(attachable=there.can_attach), made()
            above = subscriptions.answer_heading(answer) if message.manner is MessageTrigger.AWAITED else None
            taken = True
            try:
                await _end(growth, reply, sender.render_reply(shown, above))
            except (NotPosted, UnusableResponse) as error:
                if isinstance(error, NotPosted) and not error.retry_plain:
                    raise
                log.warning("reply_told_plainly", answer=answer.id, reason=str(error))
                taken = False
        if not (taken and await sender.attach(shown.files, again=reply.resumed)):
            await reply.show(sender.render_plain(plain, above, begun=bool(reply.names)))

    async def _followed(
        self, where: ConversationId, growth: StreamingPost[P] | EditingPost[P], feed: EventBuffer, draft: Draft
    ) -> Answer | None:
        """Read to the answer; None where somebody stopped it."""
        self._feeds[where] = feed
        try:
            return await growth.follow(feed, draft)
        finally:
            self._feeds.pop(where, None)

    async def _settled(self, work: LeasedMessage, sender: ReplySender[P], refused: NotPosted) -> bool:
        """Whether nothing is left to be done; else it is to be tried again: whom it goes to alone can be told nowhere
        else. What nobody asks for now is not missed."""
        hopeless = work.last or refused.is_permanent
        if refused.is_obsolete:
            log.info("reply_ends", key=work.key, reason=str(refused))
        elif hopeless and work.message.manner.is_background:
            log.info("unasked_reply_refused", key=work.key, reason=str(refused))
        elif hopeless and not self._alone(work.message):
            log.warning("reply_refused", key=work.key, reason=str(refused))
            await self._explain(work, sender, refused)
        else:
            return False
        return True

    async def _explain(self, work: LeasedMessage, sender: ReplySender[P], refused: NotPosted) -> None:
        """Tell the asker in a direct message why there is no reply where they asked."""
        words = Translator(work.language)
        text = words(NO_REPLY, channel=sender.place, why=refused.why(words))
        try:
            await self._posts.send_direct(work.message, text)
        except Refused as untold:
            raise Refused(f"{text} ({untold})") from refused


def _growth(
    sender: ReplySender[P], reply: MessageSequence[P], settled: SettleIndicator, words: Translator
) -> StreamingPost[P] | EditingPost[P]:
    if isinstance(sender, StreamingSender):
        return StreamingPost(sender, reply, settled)
    assert isinstance(sender, EditingSender)
    edits: EditingSender[P] = sender

    async def show(post: P) -> None:
        await settled()
        if reply.names:
            await edits.show_progress(post, reply.names[0])
        else:
            await reply.show([post])

    return EditingPost(edits, show, words)


async def _end(growth: StreamingPost[P] | EditingPost[P], reply: MessageSequence[P], posts: Sequence[P]) -> None:
    """Make the reply exactly `posts`."""
    closed = isinstance(growth, StreamingPost) and await growth.close(posts[0])
    await reply.show(posts, already=int(closed))
