"""The places where people ask, and what those may ask of Citewell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pipeline.ports.desk import Desk
from pipeline.ports.inbox import Inbox
from pipeline.ports.stream import AnswerStream
from pipeline.translations import Words
from pipeline.values import (
    Answer,
    Around,
    Attachment,
    ConversationId,
    IncomingMessage,
    Parsed,
    PersonId,
    PlaceId,
    Readers,
    Said,
    Stretch,
    Work,
)
from pipeline.values.posting import Announcement


class Receipt(Protocol):
    """What an adapter tells while it posts; each call is durable when it returns."""

    async def posting(self) -> None:
        """Before the first visible write."""
        ...

    async def posted(self, reference: str) -> None:
        """Right after the platform named what was posted; again when a further part of it was. A reference is for the
        adapter alone to read; that of an announcement is the key of its message, by which a reply to it is known."""
        ...


@dataclass(frozen=True)
class Growing:
    """The reply to a leased message, which is shown while it is written."""

    work: Work
    events: AnswerStream


class PlatformAdapter(Protocol):
    """One place to ask: what every platform does."""

    name: str

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        """Take messages in until cancelled.

        Raises Misconfigured when it can never work, Unavailable when it may later."""
        ...

    def serves(self, space: str) -> bool:
        """Whether this process can answer in a workspace or server, by its id, as far as that is known by itself."""
        ...

    async def connected(self) -> bool:
        """Whether what people write reaches us now, as far as the platform lets us know."""
        ...

    async def post(self, outgoing: Growing | Announcement, receipt: Receipt) -> Sequence[ConversationId]:
        """Show it, a reply as it comes. What has a reference is completed by editing that. Of what somebody shares, the
        conversations that a reply to it belongs to. Raises NotTaken for what somebody waits for."""
        ...

    async def find(self, outgoing: Work | Announcement) -> str | None:
        """Look on the platform for what a crash left unrecorded; nothing where we may not look."""
        ...

    async def readers(self, of: IncomingMessage | PlaceId | PersonId) -> Readers:
        """Who will read the reply to a message, or what is posted in a channel or to one person alone, as of now.
        Fails closed: in doubt, fewer groups."""
        ...

    async def close(self) -> None:
        """Let go of what deliveries need, after the last one."""
        ...


@runtime_checkable
class AmongPeople(Protocol):
    """Where people speak with each other, too, and what they say can be read."""

    async def around(self, message: IncomingMessage) -> Around:
        """What people said around a message in its very thread; nothing where it cannot be read."""
        ...

    async def file(self, said: Said, file: Attachment) -> bytes:
        """One of the files that came with a message. Raises Unavailable, and Refused for one that is gone, too large or
        not the platform's."""
        ...

    async def history(self, channel: PlaceId, position: str) -> Stretch:
        """What was said in a channel, a part at a time, from what was said last; "" for the first. Raises Unavailable,
        and Refused where we may not read it (any more)."""
        ...

    async def thread(self, message: IncomingMessage, words: Words) -> Parsed | None:
        """What people said in the thread of a message, of bots nothing, as a document that is kept nowhere; None where
        it is in none. What may not be read is empty. Raises Unavailable."""
        ...


@runtime_checkable
class Whispers(Protocol):
    """Where one person can be shown something who asked for nothing."""

    async def whisper(self, message: IncomingMessage, answer: Answer) -> None:
        """Show `answer` to whoever said `message` alone, beside it. Nothing depends on it."""
        ...


@runtime_checkable
class Stoppable(Protocol):
    """Where people can stop an answer while it is written."""

    async def stop(self, conversation: ConversationId) -> None:
        """End the answer that is being written there, if there is one: somebody does not want it."""
        ...


@runtime_checkable
class Searches(Protocol):
    """A platform with a search of its own, which bots may use."""

    async def search(self, message: IncomingMessage, question: str) -> tuple[Said, ...]:
        """What people said that may answer, as it is found for whoever sent `message` where everyone inside may read
        it. It must not be kept. Raises Unavailable or Refused."""
        ...
