"""What a page, a program or an editor reads: the port `Reading` over the stores and the walk."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import BinaryIO

from adapters.sources.folder.file_links import has_original_file, open_original
from bot.services.answers import CitewellServices
from pipeline.compose.citations import build_citation, citation_location
from pipeline.compose.plain_text import plain_passage
from pipeline.errors import AccessRevoked, Busy, Unavailable
from pipeline.find.near_duplicates import remaining_passages
from pipeline.ports import AnswerStream, ApiKeyStore, PassageLinks, Retriever, answer_stream
from pipeline.rules.access import INTERNAL_RULE, AccessPolicy
from pipeline.values import (
    Answer,
    AnswerEvent,
    AnswerRequest,
    Audience,
    Document,
    DocumentExcerpt,
    Readers,
    RetrievedChunk,
    SearchPlan,
    replace,
)
from pipeline.values.api_access import Passage
from storage.database import Database
from storage.documents.library import SQLDocumentStore
from storage.messages.history import SQLHistory
from storage.settings import link_key

# --- What links to passages are made of and what they open ----------------------------------------


class StoredLinkTargets:
    """The port `Sources`."""

    def __init__(self, database: Database, library: SQLDocumentStore, rules: AccessPolicy) -> None:
        self._database = database
        self._library = library
        self._rules = rules

    async def signing_key(self) -> str:
        """What links are signed with now; made when it is first asked for."""
        return await link_key(self._database)

    def access_fingerprint(self, collection: str) -> str:
        """Another text whenever others may see the collection: by its rule, and where that names nobody, by which
        workspaces are homes."""
        rule = self._rules.by_collection.get(collection, INTERNAL_RULE)
        homes = {} if rule.only or rule.public else self._rules.homes
        own = "".join(f"\n{name}: {' '.join(sorted(spaces))}" for name, spaces in sorted(homes.items()))
        return replace(rule, only=tuple(sorted(rule.only))).model_dump_json() + own

    async def find_by_prefix(self, text: str) -> Sequence[str]:
        """The ids of documents that begin so."""
        return await self._library.ids_with_prefix(text)

    async def excerpt(self, document_id: str, start: int, most: int) -> DocumentExcerpt | None:
        """At most `most` passages of a document from the one at `start` on; None where there is no such document."""
        return await self._library.excerpt(document_id, start, most)

    async def has_original(self, document: Document) -> bool:
        """Whether it was read from a file of its own that is still there."""
        return await asyncio.to_thread(has_original_file, document)

    async def open_original(self, document: Document) -> BinaryIO | None:
        """That file, open, while it is what the document was read from, byte for byte."""
        return await asyncio.to_thread(open_original, document)


# --- What is read ---------------------------------------------------------------------------------

MAX_ANSWERS_PER_CALLER = 50
"""Answers under way at once for one caller: an event stream keeps a connection as long as its answer takes, and of
these there are 500 for all."""


class StoredQueryService:
    """The port `Reading`."""

    def __init__(
        self,
        desk: CitewellServices,
        library: SQLDocumentStore,
        retriever: Retriever,
        respond: Callable[[AnswerRequest], AnswerStream],
        history: SQLHistory,
        links: Callable[[], Awaitable[PassageLinks]] | None,
        keys: ApiKeyStore,
    ) -> None:
        self._desk = desk
        self._library = library
        self._retriever = retriever
        self._respond = respond
        self._history = history
        self._links = links
        self._keys = keys
        self._under_way: Counter[str] = Counter()
        """Answers, by who asked."""

    async def resolve_audience(self, readers: Readers) -> Audience:
        """The collections that every reader may see."""
        return await self._desk.audience(readers)

    @answer_stream
    async def respond(self, request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        """One answer, which is kept where the request has a conversation.

        None is given to a key that was revoked meanwhile (Revoked), and no answer that rests on what was closed or
        removed meanwhile (Unavailable). Raises Busy for more than `EACH` of one caller at once."""
        if self._under_way[request.author] >= MAX_ANSWERS_PER_CALLER:
            wait = "Wait until one is answered."
            raise Busy(f"{MAX_ANSWERS_PER_CALLER} questions of yours are being answered", first=True, what_to_do=wait)
        self._under_way[request.author] += 1
        try:
            async with self._respond(request) as stream:
                async for event in stream:
                    await self._authorized(request)
                    yield event
                answer = await stream.answer()
                await self._authorized(request)
                await self._hold(answer, request)
                yield answer
        finally:
            self._under_way[request.author] -= 1
            self._under_way += Counter()  # without those who have none

    async def _authorized(self, request: AnswerRequest) -> None:
        """Raises Revoked."""
        if await self._keys.is_revoked(request.author):
            raise AccessRevoked("this key was revoked", what_to_do="Ask whoever made it for another.")

    async def _hold(self, answer: Answer, request: AnswerRequest) -> None:
        """Keep it. Raises Unavailable where it may not be told by now."""
        if request.conversation:
            await self._history.save_answer(answer, request.author)
            if not await self.can_view(answer.id, request.audience):
                raise Unavailable("documents", "what the answer rests on was closed meanwhile")

    async def is_saved(self, answer_id: str, author: str) -> bool:
        """Whether an answer to that author is kept under that id."""
        return await self._history.author(answer_id) == author

    async def can_view(self, answer_id: str, audience: Audience) -> bool:
        """Whether an answer is kept and `audience` may see by now all that it shows."""
        return await self._desk.visible_answer(answer_id, audience) is not None

    async def search(self, text: str, audience: Audience, limit: int) -> Sequence[Passage]:
        """The passages that fit `text`, best first."""
        found = await self._retriever.retrieve(SearchPlan(question=text), audience)
        links = await self._links() if self._links else None
        return [_passage(one, links) for one in (*found.passages, *remaining_passages(found))[:limit]]

    async def list_documents(self, audience: Audience) -> Sequence[Document]:
        """Current documents by collection and filename."""
        return await self._library.list_documents(audience)

    async def read_document(
        self, document_id: str, audience: Audience, start: int, most: int
    ) -> tuple[Document, int, Sequence[Passage]] | None:
        """A document, how many passages it has, and some of them; None where there is no such document."""
        found = await self._library.excerpt(document_id, start, most)
        if found is None or found.document.collection not in audience.collections:
            return None
        links = await self._links() if self._links else None
        chunks = (RetrievedChunk(chunk=chunk, document=found.document, score=0.0) for chunk in found.chunks)
        return found.document, found.total, [_passage(one, links) for one in chunks]


def _passage(found: RetrievedChunk, links: PassageLinks | None) -> Passage:
    shown = build_citation(found, 1, addresses=links)
    passage = Passage(
        document=shown.document_id,
        position=found.chunk.position,
        title=shown.title,
        place=citation_location(shown),
        link=shown.url,
        score=shown.score,
        text=found.chunk.text[found.chunk.overlap :],
    )
    return plain_passage(passage)
