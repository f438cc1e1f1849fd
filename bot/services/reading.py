"""Queries of pages, programs and editors: the port `QueryService` over the stores and the pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from bot.services.answers import CitewellServices
from pipeline.compose.citations import build_citation, citation_location
from pipeline.compose.plain_text import plain_passage
from pipeline.errors import AccessRevoked, Busy, Unavailable
from pipeline.find.near_duplicates import remaining_passages
from pipeline.ports import AnswerStream, ApiKeyStore, PassageLinks, Retriever, answer_stream
from pipeline.values import (
    Answer,
    AnswerEvent,
    AnswerRequest,
    Audience,
    Document,
    Readers,
    RetrievedChunk,
    SearchPlan,
)
from pipeline.values.api_access import Passage
from storage.documents.library import SQLDocumentStore
from storage.messages.history import SQLHistory

MAX_ANSWERS_PER_CALLER = 50
"""Answers under way at once for one caller.

An event stream keeps a connection as long as its answer takes, and there are 500 of these for all.
"""


class StoredQueryService:
    """The port `QueryService`."""

    def __init__(
        self,
        services: CitewellServices,
        library: SQLDocumentStore,
        retriever: Retriever,
        respond: Callable[[AnswerRequest], AnswerStream],
        history: SQLHistory,
        links: Callable[[], Awaitable[PassageLinks]] | None,
        keys: ApiKeyStore,
    ) -> None:
        self._services = services
        self._library = library
        self._retriever = retriever
        self._respond = respond
        self._history = history
        self._links = links
        self._keys = keys
        self._under_way: Counter[str] = Counter()
        """Number of answers, by caller."""

    async def resolve_audience(self, readers: Readers) -> Audience:
        """Return the collections that every reader may see."""
        return await self._services.audience(readers)

    @answer_stream
    async def respond(self, request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        """Stream one answer, which is saved if the request has a conversation.

        Raises AccessRevoked for a key revoked meanwhile, and Unavailable if the answer rests on documents closed or
        removed meanwhile. Raises Busy for more than MAX_ANSWERS_PER_CALLER of one caller at once.
        """
        if self._under_way[request.author] >= MAX_ANSWERS_PER_CALLER:
            wait = "Wait until one is answered."
            raise Busy(f"{MAX_ANSWERS_PER_CALLER} questions of yours are being answered", first=True, what_to_do=wait)
        self._under_way[request.author] += 1
        try:
            async with self._respond(request) as stream:
                async for event in stream:
                    await self._check_key(request)
                    yield event
                answer = await stream.answer()
                await self._check_key(request)
                await self._save(answer, request)
                yield answer
        finally:
            self._under_way[request.author] -= 1
            self._under_way += Counter()  # without those who have none

    async def _check_key(self, request: AnswerRequest) -> None:
        """Raise AccessRevoked for a revoked key."""
        if await self._keys.is_revoked(request.author):
            raise AccessRevoked("this key was revoked", what_to_do="Ask the person who created it for another.")

    async def _save(self, answer: Answer, request: AnswerRequest) -> None:
        """Save an answer. Raises Unavailable if it may not be shown any more."""
        if request.conversation:
            await self._history.save_answer(answer, request.author)
            if not await self.can_view(answer.id, request.audience):
                raise Unavailable("documents", "a source of the answer was closed meanwhile")

    async def is_saved(self, answer_id: str, author: str) -> bool:
        """Return True if an answer to that author is saved under that id."""
        return await self._history.author(answer_id) == author

    async def can_view(self, answer_id: str, audience: Audience) -> bool:
        """Return True if an answer is saved and `audience` may now see all that it shows."""
        return await self._services.visible_answer(answer_id, audience) is not None

    async def search(self, text: str, audience: Audience, limit: int) -> Sequence[Passage]:
        """Return the passages that fit `text`, best first."""
        retrieval = await self._retriever.retrieve(SearchPlan(question=text), audience)
        links = await self._links() if self._links else None
        return [_passage(passage, links) for passage in (*retrieval.passages, *remaining_passages(retrieval))[:limit]]

    async def list_documents(self, audience: Audience) -> Sequence[Document]:
        """Return current documents by collection and filename."""
        return await self._library.list_documents(audience)

    async def read_document(
        self, document_id: str, audience: Audience, start: int, most: int
    ) -> tuple[Document, int, Sequence[Passage]] | None:
        """Return a document, its number of passages, and some of them; None if there is no such document."""
        excerpt = await self._library.excerpt(document_id, start, most)
        if excerpt is None or excerpt.document.collection not in audience.collections:
            return None
        links = await self._links() if self._links else None
        chunks = (RetrievedChunk(chunk=chunk, document=excerpt.document, score=0.0) for chunk in excerpt.chunks)
        return excerpt.document, excerpt.total, [_passage(chunk, links) for chunk in chunks]


def _passage(chunk: RetrievedChunk, links: PassageLinks | None) -> Passage:
    citation = build_citation(chunk, 1, addresses=links)
    passage = Passage(
        document=citation.document_id,
        position=chunk.chunk.position,
        title=citation.title,
        place=citation_location(citation),
        link=citation.url,
        score=citation.score,
        text=chunk.chunk.text[chunk.chunk.overlap :],
    )
    return plain_passage(passage)
