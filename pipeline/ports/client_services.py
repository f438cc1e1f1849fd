"""Services for clients with an interface of their own (the page, programs, editors), with their keys and sessions."""

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

# --- Keys, idempotency and sessions ---------------------------------------------------------------


class ApiKeyStore(Protocol):
    """Keys that programs authenticate with."""

    async def find_key(self, secret: str) -> ApiKey | None:
        """Return the key with that secret; None where there is none or it is revoked. Raises Unavailable."""
        ...

    async def is_revoked(self, person: str) -> bool:
        """Return whether `person` (an `ApiKey.person`) is a key that was revoked. Raises Unavailable."""
        ...


class IdempotencyStore(Protocol):
    """Responses to requests with an idempotency key, kept for a day. All methods raise Unavailable."""

    async def begin(self, request: str, digest: str) -> str | None:
        """Start a request; return the response that is kept for it, None where it is new. Raises Refused where another
        request has that key, Busy while the first one is still being answered."""
        ...

    async def complete(self, request: str, body: str) -> None:
        """Keep the response to a request."""
        ...

    async def abandon(self, request: str) -> None:
        """Give a request up without a response, so that it may be sent again."""
        ...


class SessionStore(Protocol):
    """Sessions of signed-in people. The latest identity of a person holds in all their sessions. All methods raise
    Unavailable."""

    async def create(self, identity: Identity) -> str:
        """Begin a session and return its secret, which goes to the browser and is kept nowhere."""
        ...

    async def get(self, secret: str) -> LoginSession | None:
        """Return the session with that secret, or None once it has ended. Each call extends it."""
        ...

    async def end(self, secret: str) -> None:
        """End the session with that secret."""
        ...

    async def refresh_identity(self, identity: Identity) -> None:
        """Replace what is known of a person, for a proxy that vouches for them with each request."""
        ...

    async def latest_of(self, person: str) -> LoginSession | None:
        """Return the latest identity of a person, while a session of theirs lasts."""
        ...


# --- Answers, passages, documents -----------------------------------------------------------------


class PassageLinks(Protocol):
    """Addresses that lead to a single passage."""

    def build_url(self, passage: RetrievedChunk, quotes: Sequence[str] = ()) -> str:
        """Return an absolute address that a reader of this passage can open, with the quoted spans marked there; empty
        where there is none. A document that has an address of its own keeps that."""
        ...


class LinkTargets(Protocol):
    """Data of links to passages. No audience is checked here: the caller has verified the
    link. All coroutines raise Unavailable."""

    async def signing_key(self) -> str:
        """Return the key that links are signed with now; the first call creates it."""
        ...

    def access_fingerprint(self, collection: str) -> str:
        """Return a text that changes whenever other people may see the collection."""
        ...

    async def find_by_prefix(self, text: str) -> Sequence[str]:
        """Return the ids of the documents that begin with `text`."""
        ...

    async def excerpt(self, document_id: str, start: int, most: int) -> DocumentExcerpt | None:
        """Return at most `most` passages of a document, of any collection, from the one at `start` (0-based) on; None
        where there is no such document."""
        ...

    async def has_original(self, document: Document) -> bool:
        """Return whether the document was read from a file of its own that is still there."""
        ...

    async def open_original(self, document: Document) -> BinaryIO | None:
        """Open the file that the document was read from, if it is still the same byte for byte."""
        ...


class QueryService(Protocol):
    """Answers, searches and documents for one audience. What lies outside the audience is treated as if it did not
    exist. All methods raise Unavailable."""

    async def resolve_audience(self, readers: Readers) -> Audience:
        """Return the collections that every reader may see."""
        ...

    def respond(self, request: AnswerRequest) -> AnswerStream:
        """Answer a request. The answer is kept where the request has a conversation."""
        ...

    async def is_saved(self, answer_id: str, author: str) -> bool:
        """Return whether an answer to that author is kept under that id."""
        ...

    async def can_view(self, answer_id: str, audience: Audience) -> bool:
        """Return whether an answer is kept and `audience` may still see everything that it shows."""
        ...

    async def search(self, text: str, audience: Audience, limit: int) -> Sequence[Passage]:
        """Return the passages that fit `text`, best first."""
        ...

    async def list_documents(self, audience: Audience) -> Sequence[Document]:
        """Return the current documents by collection and filename."""
        ...

    async def read_document(
        self, document_id: str, audience: Audience, start: int, most: int
    ) -> tuple[Document, int, Sequence[Passage]] | None:
        """Return a document, the number of its passages, and at most `most` of them from the one at `start` (0-based)
        on; None where there is no such document."""
        ...


class ConversationArchive(Protocol):
    """Conversations that are kept. All methods raise Unavailable."""

    async def list_conversations(self, person: str, platform: str, most: int) -> Sequence[ConversationSummary]:
        """Return a person's conversations on one platform, the latest first."""
        ...

    async def list_exchanges(
        self, conversation: ConversationId, person: str, most: int, start: int | None = None
    ) -> ExchangePage:
        """Return what that person asked in a conversation, in order, and nothing of what others did: `most` exchanges
        from the one at `start` (0-based), else the last ones."""
        ...

    async def has_asked(self, conversation: ConversationId, person: str) -> bool:
        """Return whether anything is kept that this person asked there."""
        ...

    async def has_pending(self, conversation: ConversationId, person: str) -> bool:
        """Return whether a question of this person waits there to be answered."""
        ...

    async def owns_question(self, key: str, person: str) -> bool:
        """Return whether the question with that key is kept, answered or not, and this person's."""
        ...


class AdminService(Protocol):
    """The view of admins. All methods raise NotAllowed, which the audit records, where the actor is no
    admin, and Unavailable. Collections that `readers` may not see are left out."""

    async def list_sources(self, actor: Actor, readers: Readers) -> Sequence[SourceStatus]:
        """Return the sources of documents and how fresh they are."""
        ...

    async def list_documents(self, actor: Actor, readers: Readers) -> Sequence[Document]:
        """Return the documents that `readers` may see."""
        ...

    async def read_chunks(
        self, actor: Actor, readers: Readers, document_id: str, start: int, most: int
    ) -> DocumentChunks | None:
        """Return a document as it was split, from the chunk at `start` (0-based) on; None where there is none that the
        readers may see."""
        ...

    async def list_rejected(self, actor: Actor, readers: Readers, most: int) -> Sequence[RejectedAnswer]:
        """Return the latest answers with sentences that the check rejected: all of them to the operator, none that were
        asked in private to others."""
        ...

    async def dry_run(self, actor: Actor, readers: Readers, question: str, tried: Readers | None) -> DryRun:
        """Answer a question as it would be answered for another audience (None: for `readers`), which never sees more
        than `readers` do. Nothing of it is kept, and only the actor's tokens are counted."""
        ...
