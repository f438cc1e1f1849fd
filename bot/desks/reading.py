"""What a page, a program or an editor reads: the port `Reading` over the stores and the walk."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from bot.desks.desk import CitewellDesk
from bot.run.answering import Answering
from pipeline.ports import Links, Retriever
from pipeline.values import Audience, Document, Event, Excerpt, Readers, Request, RetrievedChunk, Search
from storage.documents.library import SQLLibrary


class Reader:
    """The port `Reading`."""

    def __init__(
        self,
        desk: CitewellDesk,
        library: SQLLibrary,
        retriever: Retriever,
        answering: Answering,
        links: Callable[[], Awaitable[Links]] | None,
    ) -> None:
        self._desk = desk
        self._library = library
        self._retriever = retriever
        self._answering = answering
        self._links = links

    async def audience(self, readers: Readers) -> Audience:
        """The collections that every reader may see."""
        return await self._desk.audience(readers)

    def respond(self, request: Request) -> AsyncGenerator[Event, None]:
        """The events of one answer; the last is the `Answer`."""
        return self._answering.respond(request)

    async def search(self, text: str, audience: Audience, limit: int) -> Sequence[RetrievedChunk]:
        """The passages that fit `text`, best first; links to them are signed with the key in force now."""
        if self._links:
            await self._links()
        found = await self._retriever.retrieve(Search(question=text, queries=(text,)), audience)
        return (*found.passages, *found.further)[:limit]

    async def documents(self, audience: Audience) -> Sequence[Document]:
        """Current documents by collection and filename."""
        return await self._library.documents(audience)

    async def excerpt(self, document_id: str, audience: Audience, start: int, most: int) -> Excerpt | None:
        """At most `most` passages of a document from the one at `start` on; None where there is no such document."""
        found = await self._library.excerpt(document_id, start, most)
        return found if found and found.document.collection in audience.collections else None
