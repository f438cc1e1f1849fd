"""Adapters of the platforms where people ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pipeline.ports.inbox import Inbox
from pipeline.ports.services import BotServices
from pipeline.ports.stream import AnswerStream
from pipeline.translations import Translator
from pipeline.values import (
    Answer,
    Attachment,
    ChannelMessage,
    ConversationId,
    HistoryPage,
    IncomingMessage,
    LeasedMessage,
    ParsedDocument,
    PersonId,
    PlaceId,
    Readers,
    ThreadContext,
)
from pipeline.values.posting import Announcement


class PostRecorder(Protocol):
    """Records of a post's progress, made by the adapter while it posts; each call is durable when it returns."""

    async def record_intent(self) -> None:
        """Record the intent to post, before the first visible write."""
        ...

    async def record_posted(self, reference: str, *, complete: bool = False) -> None:
        """Record the platform's id of the post, right after it is known, and again for each further part. A reference
        is for the adapter alone to read; that of an announcement is its message's key, which identifies replies to
        it. `complete`: nothing of the post follows, so it may be closed at once."""
        ...


@dataclass(frozen=True)
class ReplyStream:
    """The reply to a leased message, which is shown while it is written."""

    work: LeasedMessage
    events: AnswerStream


class PlatformAdapter(Protocol):
    """The interface that every platform implements."""

    name: str

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        """Receive messages until cancelled.

        Raises Misconfigured when it can never work, Unavailable when it may work later."""
        ...

    def can_serve(self, space: str) -> bool:
        """Return whether this process can answer in a workspace or server with that id, as far as it knows without a
        request."""
        ...

    async def is_connected(self) -> bool:
        """Return whether messages reach us now, as far as the platform lets us know."""
        ...

    async def post(self, outgoing: ReplyStream | Announcement, recorder: PostRecorder) -> Sequence[ConversationId]:
        """Show a post; a reply while it is written. A post with a reference is completed by editing it. For a shared
        answer, return the conversations that a reply to it belongs to. Raises PostRefused for a post that somebody
        waits for."""
        ...

    async def find_posted(self, outgoing: LeasedMessage | Announcement) -> str | None:
        """Search the platform for a post that a crash left unrecorded; return None also where searching is not
        allowed."""
        ...

    async def get_readers(self, target: IncomingMessage | PlaceId | PersonId) -> Readers:
        """Return the current readers of the reply to a message, or of a post in a channel or to one person alone. In
        doubt it returns fewer groups."""
        ...

    async def close(self) -> None:
        """Release what posting needs, after the last post."""
        ...


@runtime_checkable
class SupportsHistory(Protocol):
    """A platform where people also talk with each other, and where the bot can read what they write."""

    async def load_context(self, message: IncomingMessage) -> ThreadContext:
        """Return the messages around `message` in its thread; empty where they cannot be read."""
        ...

    async def download_file(self, message: ChannelMessage, file: Attachment) -> bytes:
        """Return the content of a file that came with a message. Raises Unavailable; Refused for a file that is gone,
        too large or not the platform's."""
        ...

    async def load_history(self, channel: PlaceId, position: str) -> HistoryPage:
        """Return one page of a channel's history, the newest messages first; `position` is "" for the first page.
        Raises Unavailable; Refused where it may not be read (any more)."""
        ...

    async def load_thread(self, message: IncomingMessage, translator: Translator) -> ParsedDocument | None:
        """Return the thread of a message as a document that is kept nowhere, without messages of bots; None where the
        message is in no thread. The document is empty where the thread may not be read. Raises Unavailable."""
        ...


@runtime_checkable
class SupportsEphemeral(Protocol):
    """A platform that can show something to one person who did not ask for it."""

    async def post_ephemeral(self, message: IncomingMessage, answer: Answer) -> None:
        """Show `answer` beside `message`, to its author alone. A failure is ignored."""
        ...


@runtime_checkable
class SupportsStop(Protocol):
    """A platform where people can stop an answer while it is written."""

    async def stop(self, conversation: ConversationId) -> None:
        """Stop the answer that is being written in a conversation, if there is one."""
        ...


@runtime_checkable
class SupportsSearch(Protocol):
    """A platform with a search of its own that bots may use."""

    async def search(self, message: IncomingMessage, question: str) -> tuple[ChannelMessage, ...]:
        """Return messages that may answer `question`: those that the author of `message` can find and everyone inside
        may read. They must not be kept. Raises Unavailable or Refused."""
        ...
