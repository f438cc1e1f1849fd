"""Posts other than replies: handoffs and their outcome, insights, source notices, shared answers and the results of
uploads."""

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
"""The type that a platform shows as one message."""
P_contra = TypeVar("P_contra", contravariant=True)
AnnouncementTarget = PlaceId | ConversationId | PersonId


class AnnouncementSender(MessageSender[P_contra], Protocol[P_contra]):
    def conversation_of(self, name: str) -> ConversationId:
        """Return the conversation that a reply to the message `name` belongs to."""
        ...


class AnnouncementPoster(Protocol[P]):
    """A platform's port for announcements: renders each as one message (a shared answer as several) and opens the
    target."""

    async def open_sender(
        self, post: Announcement, target: AnnouncementTarget, recorder: PostRecorder
    ) -> AnnouncementSender[P]:
        """Return the sender of one announcement at its target. Raises Refused where it may not be posted."""
        ...

    async def find_posted(self, post: Announcement, target: AnnouncementTarget) -> str | None:
        """Return the reference of a post made since shortly before it was due, or None."""
        ...

    async def render_handoff_notice(self, notice: HandoffNotice, texts: NoticeText) -> P: ...

    def render_line(self, text: str) -> P:
        """Render a text of our own, by which the post can be found again."""
        ...

    def render_auto_limit(self, notice: AutoLimitNotice) -> P: ...

    def render_panel(self, reply: Reply, marker: str) -> P:
        """Render as much of a panel as fits one message, with the marker by which the post can be found again."""
        ...

    def render_upload_status(self, status: UploadStatus) -> P: ...

    def render_shared(self, answer: Answer, above: Sequence[str]) -> Sequence[P]:
        """Render a whole answer below the lines `above`."""
        ...


class Announcer(Generic[P]):
    """The poster of announcements, each of them once."""

    def __init__(self, platform: Platform, poster: AnnouncementPoster[P]) -> None:
        self._platform = platform
        self._poster = poster

    async def post(self, post: Announcement, recorder: PostRecorder) -> Sequence[ConversationId]:
        """Post an announcement. Return the conversations that replies to a shared answer belong to. Raises Refused,
        Unavailable, and PostRefused where somebody waits for the post."""
        sender = await self._poster.open_sender(post, self._target(post), recorder)
        messages = MessageSequence(sender, recorder)
        await messages.show(await self._render(post))
        return [sender.conversation_of(name) for name in messages.names] if isinstance(post, SharedAnswer) else ()

    async def find_posted(self, post: Announcement) -> str | None:
        """Look for the post at its target."""
        return await self._poster.find_posted(post, self._target(post))

    def _target(self, post: Announcement) -> AnnouncementTarget:
        return post.destination if isinstance(post, HandoffNotice) else self._platform.parse_recipient(str(post.to))

    async def _render(self, post: Announcement) -> Sequence[P]:
        """Render the messages of an announcement. A report is cut to one message."""
        match post:
            case HandoffNotice():
                return [await self._poster.render_handoff_notice(post, build_notice_text(post))]
            case IndexingNotice():
                return [self._poster.render_line(source_notice.source_notice_text(post))]
            case AutoLimitNotice():
                return [self._poster.render_auto_limit(post)]
            case Digest():
                assert post.insights
                panel = insights.insights_panel(
                    post.insights, Translator(post.language), entries=insights.MAX_DIGEST_ENTRIES
                )
                return [self._poster.render_panel(panel, post.marker)]
            case UploadStatus():
                return [self._poster.render_upload_status(post)]
            case SharedAnswer():
                assert post.answer
                return self._poster.render_shared(post.answer, parts.question_lines(post.answer, shared_by=post.name))
