"""What is posted besides replies: questions for people, what their askers hear, insights, that a channel is read,
answers that people share, and what comes of what they add to the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from adapters.chat.messages import Messages, Sender
from adapters.chat.reply import answer as parts
from adapters.chat.reply.parts import Reply
from adapters.chat.words import insights, source_notice
from adapters.chat.words.handoff import Told, told
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import Answer, ConversationId, Notice, PersonId, PlaceId
from pipeline.values.platform import Platform
from pipeline.values.posting import Adding, Announcement, Digest, Share, SourceNotice, Spent

P = TypeVar("P")
"""What a platform shows as one message."""
P_contra = TypeVar("P_contra", contravariant=True)
Where = PlaceId | ConversationId | PersonId


class AnnouncementSender(Sender[P_contra], Protocol[P_contra]):
    def conversation(self, name: str) -> ConversationId:
        """That which a reply to a message belongs to."""
        ...


class Announces(Protocol[P]):
    """How a platform draws what is announced, all but a shared answer as one message, and where it goes."""

    async def sender(self, post: Announcement, where: Where, receipt: Receipt) -> AnnouncementSender[P]:
        """Raises Refused where it may not be posted."""
        ...

    async def find(self, post: Announcement, where: Where) -> str | None:
        """The reference of what was posted since shortly before it was to be; None of nothing."""
        ...

    async def notice(self, notice: Notice, shown: Told) -> P: ...

    def line(self, text: str) -> P:
        """A text of ours by which it is found again."""
        ...

    def spent(self, report: Spent) -> P: ...

    def panel(self, reply: Reply, mark: str) -> P:
        """What of it fits one message, with the mark by which it is found again."""
        ...

    def adding(self, adding: Adding) -> P: ...

    def shared(self, answer: Answer, above: Sequence[str]) -> Sequence[P]:
        """The whole answer, under the lines `above`."""
        ...


class Announcer(Generic[P]):
    """Posts each once."""

    def __init__(self, platform: Platform, announces: Announces[P]) -> None:
        self._platform = platform
        self._announces = announces

    async def post(self, post: Announcement, receipt: Receipt) -> Sequence[ConversationId]:
        """The conversations that a reply to what is shared belongs to. Raises Refused or Unavailable, and NotTaken for
        what somebody waits for."""
        sender = await self._announces.sender(post, self._where(post), receipt)
        messages = Messages(sender, receipt)
        await messages.show(await self._drawn(post))
        return [sender.conversation(name) for name in messages.names] if isinstance(post, Share) else ()

    async def find(self, post: Announcement) -> str | None:
        """Look for it where it belongs."""
        return await self._announces.find(post, self._where(post))

    def _where(self, post: Announcement) -> Where:
        return post.where if isinstance(post, Notice) else self._platform.whom(str(post.to))

    async def _drawn(self, post: Announcement) -> Sequence[P]:
        """What a report has no room for is left out."""
        match post:
            case Notice():
                return [await self._announces.notice(post, told(post))]
            case SourceNotice():
                return [self._announces.line(source_notice.text(post))]
            case Spent():
                return [self._announces.spent(post)]
            case Digest():
                assert post.seen
                panel = insights.panel(post.seen, Words(post.language), entries=insights.FEW)
                return [self._announces.panel(panel, post.mark)]
            case Adding():
                return [self._announces.adding(post)]
            case Share():
                assert post.answer
                return self._announces.shared(post.answer, parts.asked(post.answer, by=post.name))
