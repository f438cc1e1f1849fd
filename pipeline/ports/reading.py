"""What whoever has a door of their own may read, be it a page, a program or an editor, and the keys and sessions that
open it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, Protocol

from pipeline.ports.stream import AnswerStream
from pipeline.values import Actor, Audience, ConversationId, Document, Excerpt, Readers, Request, RetrievedChunk
from pipeline.values.insights import Left, Passages, SourceState, Trial
from pipeline.values.keys import Key, Passage, Session, SignedIn
from pipeline.values.people import Talk, TalkPart

# --- Keys of programs, what was answered to them, and sessions of the page ------------------------


class Keys(Protocol):
    async def holder(self, secret: str) -> Key | None:
        """The key of that secret while it is not revoked. Raises Unavailable."""
        ...

    async def revoked(self, person: str) -> bool:
        """Whether that (`Key.person`) is a key that was revoked. Raises Unavailable."""
        ...


class Replies(Protocol):
    """What was answered to a request that names itself, for a day. All raise Unavailable."""

    async def begin(self, request: str, digest: str) -> str | None:
        """None where it is new, and is to be answered now; else what was answered. Raises Refused for another request
        of that name, and Busy while the first is still being answered."""
        ...

    async def answered(self, request: str, body: str) -> None: ...

    async def forgone(self, request: str) -> None:
        """It came to nothing: the same may be asked again."""
        ...


class Sessions(Protocol):
    """What is told of a person last holds in all their sessions. All raise Unavailable."""

    async def begin(self, who: SignedIn) -> str:
        """A new session; its secret, which is told to their browser and kept nowhere."""
        ...

    async def of(self, secret: str) -> Session | None:
        """The session of that secret, while it lasts; looking at it makes it last longer."""
        ...

    async def end(self, secret: str) -> None: ...

    async def vouched(self, who: SignedIn) -> None:
        """Somebody vouches for them with each request: they are known from now on as they are now."""
        ...

    async def newest(self, person: str) -> Session | None:
        """What was told of a person last, while a session of theirs lasts."""
        ...


# --- Answers, passages, documents -----------------------------------------------------------------


class Links(Protocol):
    """Addresses that lead to the very passage."""

    def link(self, passage: RetrievedChunk, quotes: Sequence[str] = ()) -> str:
        """An absolute address that a reader of this passage can open, with the quoted spans marked there; empty where
        there is none. A document that has an address of its own keeps that."""
        ...


class Sources(Protocol):
    """What a link to a passage is made of, and what it opens. Nobody's audience is asked for: whoever calls has checked
    a link. All that is awaited raises Unavailable."""

    async def key(self) -> str:
        """What links are signed with now; made when it is first asked for."""
        ...

    def rule(self, collection: str) -> str:
        """Another text whenever others may see the collection."""
        ...

    async def beginning(self, text: str) -> Sequence[str]:
        """The ids of documents that begin so."""
        ...

    async def excerpt(self, document_id: str, start: int, most: int) -> Excerpt | None:
        """As `Reading.excerpt`, of any collection."""
        ...

    async def has_original(self, document: Document) -> bool:
        """Whether it was read from a file of its own that is still there."""
        ...

    async def original(self, document: Document) -> BinaryIO | None:
        """That file, open, while it is what the document was read from, byte for byte."""
        ...


class Reading(Protocol):
    """Nothing outside the audience is found: it is as if it were not there. All raise Unavailable."""

    async def audience(self, readers: Readers) -> Audience:
        """The collections that every reader may see."""
        ...

    def respond(self, request: Request) -> AnswerStream:
        """One answer, which is kept where the request has a conversation."""
        ...

    async def kept(self, answer_id: str, author: str) -> bool:
        """Whether an answer to that author is kept under that id."""
        ...

    async def shown(self, answer_id: str, audience: Audience) -> bool:
        """Whether an answer is kept and `audience` may see by now all that it shows."""
        ...

    async def search(self, text: str, audience: Audience, limit: int) -> Sequence[Passage]:
        """The passages that fit `text`, best first."""
        ...

    async def documents(self, audience: Audience) -> Sequence[Document]:
        """Current documents by collection and filename."""
        ...

    async def read(
        self, document_id: str, audience: Audience, start: int, most: int
    ) -> tuple[Document, int, Sequence[Passage]] | None:
        """A document, how many passages it has, and at most `most` of them from the one at `start` (0-based) on; None
        where there is no such document."""
        ...


class Archive(Protocol):
    """All raise Unavailable."""

    async def talks(self, person: str, platform: str, most: int) -> Sequence[Talk]:
        """Theirs on one platform, the latest first."""
        ...

    async def exchanges(
        self, conversation: ConversationId, person: str, most: int, start: int | None = None
    ) -> TalkPart:
        """What that person asked there, in order, nothing of what others did: `most` exchanges from the one at `start`
        (0-based), else the last."""
        ...

    async def asked(self, conversation: ConversationId, person: str) -> bool:
        """Whether anything is kept that this person asked there."""
        ...

    async def waits(self, conversation: ConversationId, person: str) -> bool:
        """Whether a question of theirs waits there to be answered."""
        ...

    async def kept(self, key: str, person: str) -> bool:
        """Whether the question with that key is kept, answered or not, and theirs."""
        ...


class Overview(Protocol):
    """All raise NotAllowed for who is no admin, which is in the audit, and Unavailable. Nothing is told of collections
    that `readers` may not see."""

    async def sources(self, actor: Actor, readers: Readers) -> Sequence[SourceState]: ...

    async def documents(self, actor: Actor, readers: Readers) -> Sequence[Document]: ...

    async def passages(
        self, actor: Actor, readers: Readers, document_id: str, start: int, most: int
    ) -> Passages | None:
        """A document as it was split; None where there is none that they may see."""
        ...

    async def left(self, actor: Actor, readers: Readers, most: int) -> Sequence[Left]:
        """The latest answers of which something was left out: to the operator all, to others none of what was asked in
        private."""
        ...

    async def trial(self, actor: Actor, readers: Readers, question: str, tried: Readers | None) -> Trial:
        """What becomes of a question for an audience (None: for `readers`), never more than `readers` see. Nothing of
        it is kept, and nothing counted but the actor's tokens."""
        ...
