"""What is posted besides replies: questions for people, what their askers hear, insights, that a channel is read,
answers that people share, and what comes of what they add to the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from adapters.chat.messages import MessageSender, MessageSequence
from adapters.chat.reply import builder as parts
from adapters.chat.reply.parts import Reply
from adapters.chat.words import insights, source_notice
from adapters.chat.words.handoff import NoticeText, build_notice_text
from pipeline.ports import PostRecorder
from pipeline.translations import Translator
from pipeline.values import Answer, ConversationId, HandoffNotice, PersonId, PlaceId
from pipeline.values.platform import Platform
from pipeline.values.posting import Announcement, AutoLimitNotice, Digest, IndexingNotice, SharedAnswer, UploadStatus

P = TypeVar("P")
"""What a platform shows as one message."""
P_contra = TypeVar("P_contra", contravariant=True)
AnnouncementTarget = PlaceId | ConversationId | PersonId


class AnnouncementSender(MessageSender[P_contra], Protocol[P_contra]):
    def conversation_of(self, name: str) -> ConversationId:
        """That which a reply to a message belongs to."""
        ...


class AnnouncementPoster(Protocol[P]):
    """How a platform draws what is announced, all but a shared answer as one message, and where it goes."""

    async def open_sender(
        self, post: Announcement, where: AnnouncementTarget, receipt: PostRecorder
    ) -> AnnouncementSender[P]:
        """Raises Refused where it may not be posted."""
        ...

    async def find_posted(self, post: Announcement, where: AnnouncementTarget) -> str | None:
        """The reference of what was posted since shortly before it was to be; None of nothing."""
        ...

    async def render_handoff_notice(self, notice: HandoffNotice, shown: NoticeText) -> P: ...

    def render_line(self, text: str) -> P:
        """A text of ours by which it is found again."""
        ...

    def render_auto_limit(self, report: AutoLimitNotice) -> P: ...

    def render_panel(self, reply: Reply, mark: str) -> P:
        """What of it fits one message, with the mark by which it is found again."""
        ...

    def render_upload_status(self, adding: UploadStatus) -> P: ...

    def render_shared(self, answer: Answer, above: Sequence[str]) -> Sequence[P]:
        """The whole answer, under the lines `above`."""
        ...


class Announcer(Generic[P]):
    """Posts each once."""

    def __init__(self, platform: Platform, announces: AnnouncementPoster[P]) -> None:
        self._platform = platform
        self._announces = announces

    async def post(self, post: Announcement, receipt: PostRecorder) -> Sequence[ConversationId]:
        """The conversations that a reply to what is shared belongs to. Raises Refused or Unavailable, and NotTaken for
        what somebody waits for."""
        sender = await self._announces.open_sender(post, self._where(post), receipt)
        messages = MessageSequence(sender, receipt)
        await messages.show(await self._drawn(post))
        return [sender.conversation_of(name) for name in messages.names] if isinstance(post, SharedAnswer) else ()

    async def find_posted(self, post: Announcement) -> str | None:
        """Look for it where it belongs."""
        return await self._announces.find_posted(post, self._where(post))

    def _where(self, post: Announcement) -> AnnouncementTarget:
        return post.destination if isinstance(post, HandoffNotice) else self._platform.parse_recipient(str(post.to))

    async def _drawn(self, post: Announcement) -> Sequence[P]:
        """What a report has no room for is left out."""
        match post:
            case HandoffNotice():
                return [await self._announces.render_handoff_notice(post, build_notice_text(post))]
            case IndexingNotice():
                return [self._announces.render_line(source_notice.source_notice_text(post))]
            case AutoLimitNotice():
                return [self._announces.render_auto_limit(post)]
            case Digest():
                assert post.insights
                panel = insights.insights_panel(
                    post.insights, Translator(post.language), entries=insights.MAX_DIGEST_ENTRIES
                )
                return [self._announces.render_panel(panel, post.marker)]
            case UploadStatus():
                return [self._announces.render_upload_status(post)]
            case SharedAnswer():
                assert post.answer
                return self._announces.render_shared(post.answer, parts.question_lines(post.answer, by=post.name))
