"""The places where people ask, and what those may ask of Citewell."""

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
    """What an adapter tells while it posts; each call is durable when it returns."""

    async def record_intent(self) -> None:
        """Before the first visible write."""
        ...

    async def record_posted(self, reference: str) -> None:
        """Right after the platform named what was posted; again when a further part of it was. A reference is for the
        adapter alone to read; that of an announcement is the key of its message, by which a reply to it is known."""
        ...


@dataclass(frozen=True)
class ReplyStream:
    """The reply to a leased message, which is shown while it is written."""

    work: LeasedMessage
    events: AnswerStream


class PlatformAdapter(Protocol):
    """One place to ask: what every platform does."""

    name: str

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        """Take messages in until cancelled.

        Raises Misconfigured when it can never work, Unavailable when it may later."""
        ...

    def can_serve(self, space: str) -> bool:
        """Whether this process can answer in a workspace or server, by its id, as far as that is known by itself."""
        ...

    async def is_connected(self) -> bool:
        """Whether what people write reaches us now, as far as the platform lets us know."""
        ...

    async def post(self, outgoing: ReplyStream | Announcement, recorder: PostRecorder) -> Sequence[ConversationId]:
        """Show it, a reply as it comes. What has a reference is completed by editing that. Of what somebody shares, the
        conversations that a reply to it belongs to. Raises NotTaken for what somebody waits for."""
        ...

    async def find_posted(self, outgoing: LeasedMessage | Announcement) -> str | None:
        """Look on the platform for what a crash left unrecorded; nothing where we may not look."""
        ...

    async def get_readers(self, target: IncomingMessage | PlaceId | PersonId) -> Readers:
        """Who will read the reply to a message, or what is posted in a channel or to one person alone, as of now.
        Fails closed: in doubt, fewer groups."""
        ...

    async def close(self) -> None:
        """Let go of what deliveries need, after the last one."""
        ...


@runtime_checkable
class SupportsHistory(Protocol):
    """Where people speak with each other, too, and what they say can be read."""

    async def load_context(self, message: IncomingMessage) -> ThreadContext:
        """What people said around a message in its very thread; nothing where it cannot be read."""
        ...

    async def download_file(self, message: ChannelMessage, file: Attachment) -> bytes:
        """One of the files that came with a message. Raises Unavailable, and Refused for one that is gone, too large or
        not the platform's."""
        ...

    async def load_history(self, channel: PlaceId, position: str) -> HistoryPage:
        """What was said in a channel, a part at a time, from what was said last; "" for the first. Raises Unavailable,
        and Refused where we may not read it (any more)."""
        ...

    async def load_thread(self, message: IncomingMessage, translator: Translator) -> ParsedDocument | None:
        """What people said in the thread of a message, of bots nothing, as a document that is kept nowhere; None where
        it is in none. What may not be read is empty. Raises Unavailable."""
        ...


@runtime_checkable
class SupportsEphemeral(Protocol):
    """Where one person can be shown something who asked for nothing."""

    async def post_ephemeral(self, message: IncomingMessage, answer: Answer) -> None:
        """Show `answer` to whoever said `message` alone, beside it. Nothing depends on it."""
        ...


@runtime_checkable
class SupportsStop(Protocol):
    """Where people can stop an answer while it is written."""

    async def stop(self, conversation: ConversationId) -> None:
        """End the answer that is being written there, if there is one: somebody does not want it."""
        ...


@runtime_checkable
class SupportsSearch(Protocol):
    """A platform with a search of its own, which bots may use."""

    async def search(self, message: IncomingMessage, question: str) -> tuple[ChannelMessage, ...]:
        """What people said that may answer, as it is found for whoever sent `message` where everyone inside may read
        it. It must not be kept. Raises Unavailable or Refused."""
        ...
