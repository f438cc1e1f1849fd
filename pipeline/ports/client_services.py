"""What whoever has a door of their own may read, be it a page, a program or an editor, and the keys and sessions that
open it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, Protocol

from pipeline.ports.stream import AnswerStream
from pipeline.values import (
    Actor,
    AnswerRequest,
    Audience,
    ConversationId,
    Document,
    DocumentExcerpt,
    Readers,
    RetrievedChunk,
)
from pipeline.values.api_access import ApiKey, Identity, LoginSession, Passage
from pipeline.values.insights import DocumentChunks, DryRun, RejectedAnswer, SourceStatus
from pipeline.values.people import ConversationSummary, ExchangePage

# --- Keys of programs, what was answered to them, and sessions of the page ------------------------


class ApiKeyStore(Protocol):
    async def find_key(self, secret: str) -> ApiKey | None:
        """The key of that secret while it is not revoked. Raises Unavailable."""
        ...

    async def is_revoked(self, person: str) -> bool:
        """Whether that (`ApiKey.person`) is a key that was revoked. Raises Unavailable."""
        ...


class IdempotencyStore(Protocol):
    """What was answered to a request that names itself, for a day. All raise Unavailable."""

    async def begin(self, request: str, digest: str) -> str | None:
        """None where it is new, and is to be answered now; else what was answered. Raises Refused for another request
        of that name, and Busy while the first is still being answered."""
        ...

    async def complete(self, request: str, body: str) -> None: ...

    async def abandon(self, request: str) -> None:
        """It came to nothing: the same may be asked again."""
        ...


class SessionStore(Protocol):
    """What is told of a person last holds in all their sessions. All raise Unavailable."""

    async def create(self, who: Identity) -> str:
        """A new session; its secret, which is told to their browser and kept nowhere."""
        ...

    async def get(self, secret: str) -> LoginSession | None:
        """The session of that secret, while it lasts; looking at it makes it last longer."""
        ...

    async def end(self, secret: str) -> None: ...

    async def refresh_identity(self, who: Identity) -> None:
        """Somebody vouches for them with each request: they are known from now on as they are now."""
        ...

    async def latest_of(self, person: str) -> LoginSession | None:
        """What was told of a person last, while a session of theirs lasts."""
        ...


# --- Answers, passages, documents -----------------------------------------------------------------


class PassageLinks(Protocol):
    """Addresses that lead to the very passage."""

    def build_url(self, passage: RetrievedChunk, quotes: Sequence[str] = ()) -> str:
        """An absolute address that a reader of this passage can open, with the quoted spans marked there; empty where
        there is none. A document that has an address of its own keeps that."""
        ...


class LinkTargets(Protocol):
    """What a link to a passage is made of, and what it opens. Nobody's audience is asked for: whoever calls has checked
    a link. All that is awaited raises Unavailable."""

    async def signing_key(self) -> str:
        """What links are signed with now; made when it is first asked for."""
        ...

    def access_fingerprint(self, collection: str) -> str:
        """Another text whenever others may see the collection."""
        ...

    async def find_by_prefix(self, text: str) -> Sequence[str]:
        """The ids of documents that begin so."""
        ...

    async def excerpt(self, document_id: str, start: int, most: int) -> DocumentExcerpt | None:
        """As `Reading.excerpt`, of any collection."""
        ...

    async def has_original(self, document: Document) -> bool:
        """Whether it was read from a file of its own that is still there."""
        ...

    async def open_original(self, document: Document) -> BinaryIO | None:
        """That file, open, while it is what the document was read from, byte for byte."""
        ...


class QueryService(Protocol):
    """Nothing outside the audience is found: it is as if it were not there. All raise Unavailable."""

    async def resolve_audience(self, readers: Readers) -> Audience:
        """The collections that every reader may see."""
        ...

    def respond(self, request: AnswerRequest) -> AnswerStream:
        """One answer, which is kept where the request has a conversation."""
        ...

    async def is_saved(self, answer_id: str, author: str) -> bool:
        """Whether an answer to that author is kept under that id."""
        ...

    async def can_view(self, answer_id: str, audience: Audience) -> bool:
        """Whether an answer is kept and `audience` may see by now all that it shows."""
        ...

    async def search(self, text: str, audience: Audience, limit: int) -> Sequence[Passage]:
        """The passages that fit `text`, best first."""
        ...

    async def list_documents(self, audience: Audience) -> Sequence[Document]:
        """Current documents by collection and filename."""
        ...

    async def read_document(
        self, document_id: str, audience: Audience, start: int, most: int
    ) -> tuple[Document, int, Sequence[Passage]] | None:
        """A document, how many passages it has, and at most `most` of them from the one at `start` (0-based) on; None
        where there is no such document."""
        ...


class ConversationArchive(Protocol):
    """All raise Unavailable."""

    async def list_conversations(self, person: str, platform: str, most: int) -> Sequence[ConversationSummary]:
        """Theirs on one platform, the latest first."""
        ...

    async def list_exchanges(
        self, conversation: ConversationId, person: str, most: int, start: int | None = None
    ) -> ExchangePage:
        """What that person asked there, in order, nothing of what others did: `most` exchanges from the one at `start`
        (0-based), else the last."""
        ...

    async def has_asked(self, conversation: ConversationId, person: str) -> bool:
        """Whether anything is kept that this person asked there."""
        ...

    async def has_pending(self, conversation: ConversationId, person: str) -> bool:
        """Whether a question of theirs waits there to be answered."""
        ...

    async def owns_question(self, key: str, person: str) -> bool:
        """Whether the question with that key is kept, answered or not, and theirs."""
        ...


class AdminService(Protocol):
    """All raise NotAllowed for who is no admin, which is in the audit, and Unavailable. Nothing is told of collections
    that `readers` may not see."""

    async def list_sources(self, actor: Actor, readers: Readers) -> Sequence[SourceStatus]: ...

    async def list_documents(self, actor: Actor, readers: Readers) -> Sequence[Document]: ...

    async def read_chunks(
        self, actor: Actor, readers: Readers, document_id: str, start: int, most: int
    ) -> DocumentChunks | None:
        """A document as it was split; None where there is none that they may see."""
        ...

    async def list_rejected(self, actor: Actor, readers: Readers, most: int) -> Sequence[RejectedAnswer]:
        """The latest answers of which something was left out: to the operator all, to others none of what was asked in
        private."""
        ...

    async def dry_run(self, actor: Actor, readers: Readers, question: str, tried: Readers | None) -> DryRun:
        """What becomes of a question for an audience (None: for `readers`), never more than `readers` see. Nothing of
        it is kept, and nothing counted but the actor's tokens."""
        ...
