"""What whoever has a door of their own may read, be it a page, a program or an editor: answers, passages, documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, Protocol

from pipeline.ports.stream import AnswerStream
from pipeline.values import Audience, Document, Excerpt, Readers, Request, RetrievedChunk
from pipeline.values.keys import Passage


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
