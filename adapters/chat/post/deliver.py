"""From the events of an answer to the reply below its question, the same on every platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import structlog

from adapters.chat.messages import Messages, NotPosted, Sender
from adapters.chat.post.growth import EditGrowth, Edits, Feed, Settle, StreamGrowth, Streams
from adapters.chat.post.private import PrivateReplies, PrivateSender
from adapters.chat.reply import answer as parts
from adapters.chat.reply import labels
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import File, Look, Reply
from adapters.chat.words import wishes
from adapters.chat.words.wishes import AboveAnswer
from pipeline.errors import CitewellError, Refused, Unusable
from pipeline.ports import Growing, Receipt
from pipeline.translations import Message, Words
from pipeline.values import Answer, ConversationId, IncomingMessage, Manner, Work, replace
from pipeline.values.platform import Platform
from pipeline.words import wording

log = structlog.get_logger(__name__)

OUTSIDER = Message("You belong to another organisation, and I am not allowed to answer you. Please ask somebody here.")
NO_REPLY = Message("I could not answer you in {channel}: {why}")
"""Told to the asker alone."""

P = TypeVar("P")
"""What a platform shows as one message."""


class Standing(NamedTuple):
    """What is so where a reply stands."""

    stoppable: bool
    """Questions are answered there that mention nobody."""
    attachable: bool
    """Files may stand below it."""
    remarks: Sequence[Message] = ()
    """What is to be said about where it went."""


class ReplySender(Sender[P], Protocol[P]):
    """The messages of the reply to one question. It is one of `Streams`, or of `Edits`, where it can grow."""

    withheld: bool
    """The platform did not show us what was said."""
    place: str
    """Where the question stands, as a message names it."""

    def standing(self) -> Standing:
        """Once the place is made."""
        ...

    def working(self, words: Words, *, begun: bool) -> AbstractAsyncContextManager[Settle]:
        """Show that it is worked on, unless that is to be hidden. `begun`: something of it is there."""
        ...

    def line(self, text: str) -> P:
        """One message of our own words."""
        ...

    def drawn(self, reply: Reply, above: AboveAnswer | None) -> list[P]:
        """The messages of a reply. `above` stands at its top, with a mention of whoever wanted it."""
        ...

    def plainly(self, reply: Reply, above: AboveAnswer | None, *, begun: bool) -> list[P]:
        """The same without files, in the form that the platform takes where it takes no other. `begun`: something of
        it is there."""
        ...

    async def attach(self, files: Sequence[File], *, again: bool) -> bool:
        """See to it that files stand below the reply, each once, `again` after a crash; False where they are not
        taken."""
        ...


class Posts(Protocol[P]):
    """What delivering needs of a platform."""

    def reply(self, work: Work, receipt: Receipt) -> ReplySender[P]: ...

    def private(self, work: Work) -> PrivateSender[Any]:
        """Back to whoever used a command. Raises NotPosted, `hopeless`, where that was too long ago."""
        ...

    async def find(self, work: Work) -> str | None:
        """The reply that a crash left unrecorded, as a reference."""
        ...

    async def delete(self, channel: str, reference: str) -> None:
        """The messages of a reply."""
        ...

    async def tell(self, message: IncomingMessage, text: str, *, once: str = "") -> None:
        """Tell whoever said `message` in a direct message; with `once` not a second time right after."""
        ...

    async def shared(self, channel: str) -> bool:
        """Whether other organisations read it, as far as is known."""
        ...

    def adds(self, message: IncomingMessage) -> str:
        """What a button carries that adds the files of a message; nothing where there is none to add."""
        ...


@runtime_checkable
class ShowsAlone(Protocol):
    """Where one person can be shown something who asked for nothing."""

    async def show_alone(self, message: IncomingMessage, reply: Reply) -> None:
        """Show it to whoever said `message`, beside that."""
        ...


class Deliverer(Generic[P]):
    """Delivers any number of replies at once."""

    def __init__(
        self,
        posts: Posts[P],
        platform: Platform,
        look: Look,
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
        self._private = PrivateReplies(posts.private, posts.tell, look)
        self._feeds: dict[ConversationId, Feed] = {}
        self._replies: set[ConversationId] = set()

    async def deliver(self, growing: Growing, receipt: Receipt) -> None:
        """Show the reply as it comes; in private what was asked in private."""
        work = growing.work
        if work.message.manner is Manner.COMMAND:
            await self._private.deliver(growing, receipt)
            return
        sender = self._posts.reply(work, receipt)
        reply = Messages(sender, receipt)
        self._replies.add(work.message.conversation)
        try:
            if instead := await self._instead(work.message, sender):
                if work.message.manner.unannounced:
                    log.info("unasked_reply_withheld", key=work.key)
                else:
                    await reply.show([sender.line(Words(work.language)(instead))])
            else:
                await self._answer(growing, sender, reply)
        except NotPosted as refused:
            if not await self._settled(work, sender, refused):
                raise
        finally:
            self._replies.discard(work.message.conversation)

    async def find(self, work: Work) -> str | None:
        """The reply a crash left unrecorded, as a reference; what was asked in private is not looked for."""
        return None if work.message.manner is Manner.COMMAND else await self._posts.find(work)

    def takes_part(self, conversation: ConversationId) -> bool:
        """Whether a reply of ours is on its way to it, which the inbox will know of in a moment."""
        return conversation in self._replies

    def stop(self, conversation: ConversationId) -> bool:
        """End the answer being written there; False when there is none here."""
        if feed := self._feeds.get(conversation):
            feed.stop()
        return feed is not None

    async def take_away(self, channel: str, reply: str) -> None:
        """Delete the messages of a reply; nothing depends on it."""
        try:
            await self._posts.delete(channel, reply)
        except CitewellError as error:
            log.warning("reply_not_deleted", reason=str(error))

    async def whisper(self, message: IncomingMessage, answer: Answer) -> None:
        """Show whoever said `message` what was not asked of us; nothing depends on it. Nothing can be pressed below it,
        since nothing of it is kept."""
        if not isinstance(self._posts, ShowsAlone) or await self._strangers_read(message):
            return
        note = Words(answer.language)(wording.FOR_YOU_ALONE)
        reply = replace(parts.reply(answer, self._look, notes=[note]), actions=())
        try:
            await self._posts.show_alone(message, reply)
        except CitewellError as error:
            log.warning("not_whispered", reason=str(error))

    def _alone(self, message: IncomingMessage) -> bool:
        """Nobody but the asker reads the reply."""
        return self._platform.direct(message.conversation)

    async def _strangers_read(self, message: IncomingMessage) -> bool:
        """Whether people of other organisations do, whom we do not answer, as far as is known."""
        if self.shared_channels:
            return False
        looks = message.manner is Manner.AWAITED and not self._alone(message)
        return message.external or (looks and await self._posts.shared(message.conversation.channel))

    async def _instead(self, message: IncomingMessage, sender: ReplySender[P]) -> Message | None:
        """What is said in the place of any answer."""
        if sender.withheld:
            return labels.WITHHELD
        if not await self._strangers_read(message):
            return None
        return OUTSIDER if self._alone(message) else wording.SHARED_CHANNEL

    async def _answer(self, growing: Growing, sender: ReplySender[P], reply: Messages[P]) -> None:
        work, message = growing.work, growing.work.message
        words = Words(work.language)
        adds = await self._adds(message)
        notes = wording.notes_on(message, words, offered=bool(adds))
        async with sender.working(words, begun=reply.resumed) as settled, Feed(growing.events) as feed:
            growth = _growth(sender, reply, settled, words)
            draft = Draft(notes if isinstance(growth, StreamGrowth) else (), words)
            answer = await self._followed(message.conversation, growth, feed, draft)
            await settled()
            await reply.begin()
            if answer is None:
                await _end(growth, reply, sender.drawn(draft.stopped, None))
                return
            there = sender.standing()
            remarks = [words(remark) for remark in there.remarks]
            made = partial(parts.reply, answer, self._look, notes=notes, remarks=remarks, adds=adds)
            made = partial(made, stoppable=there.stoppable)
            shown, plain = made(attachable=there.attachable), made()
            above = wishes.above(answer) if message.manner is Manner.AWAITED else None
            taken = True
            try:
                await _end(growth, reply, sender.drawn(shown, above))
            except (NotPosted, Unusable) as error:
                if isinstance(error, NotPosted) and not error.form:
                    raise
                log.warning("reply_told_plainly", answer=answer.id, reason=str(error))
                taken = False
        if not (taken and await sender.attach(shown.files, again=reply.resumed)):
            await reply.show(sender.plainly(plain, above, begun=bool(reply.names)))

    async def _followed(
        self, where: ConversationId, growth: StreamGrowth[P] | EditGrowth[P], feed: Feed, draft: Draft
    ) -> Answer | None:
        """Read to the answer; None where somebody stopped it."""
        self._feeds[where] = feed
        try:
            return await growth.follow(feed, draft)
        finally:
            self._feeds.pop(where, None)

    async def _settled(self, work: Work, sender: ReplySender[P], refused: NotPosted) -> bool:
        """Whether nothing is left to be done; else it is to be tried again: whom it goes to alone can be told nowhere
        else. What nobody asks for now is not missed."""
        hopeless = work.last or refused.hopeless
        if refused.over:
            log.info("reply_ends", key=work.key, reason=str(refused))
        elif hopeless and work.message.manner.unannounced:
            log.info("unasked_reply_refused", key=work.key, reason=str(refused))
        elif hopeless and not self._alone(work.message):
            log.warning("reply_refused", key=work.key, reason=str(refused))
            await self._explain(work, sender, refused)
        else:
            return False
        return True

    async def _explain(self, work: Work, sender: ReplySender[P], refused: NotPosted) -> None:
        """Tell the asker in a direct message why there is no reply where they asked."""
        words = Words(work.language)
        text = words(NO_REPLY, channel=sender.place, why=refused.why(words))
        try:
            await self._posts.tell(work.message, text)
        except Refused as untold:
            raise Refused(f"{text} ({untold})") from refused


def _growth(
    sender: ReplySender[P], reply: Messages[P], settled: Settle, words: Words
) -> StreamGrowth[P] | EditGrowth[P]:
    if isinstance(sender, Streams):
        return StreamGrowth(sender, reply, settled)
    assert isinstance(sender, Edits)
    edits: Edits[P] = sender

    async def show(post: P) -> None:
        await settled()
        if reply.names:
            await edits.glimpse(post, reply.names[0])
        else:
            await reply.show([post])

    return EditGrowth(edits, show, words)


async def _end(growth: StreamGrowth[P] | EditGrowth[P], reply: Messages[P], posts: Sequence[P]) -> None:
    """Make the reply exactly `posts`."""
    closed = isinstance(growth, StreamGrowth) and await growth.close(posts[0])
    await reply.show(posts, already=int(closed))
