"""What a page, a program or an editor reads: the port `Reading` over the stores and the walk."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import BinaryIO

from adapters.sources.folder.links import has_original, original
from bot.desks.desk import CitewellDesk
from pipeline.compose.cite import cite, place
from pipeline.compose.plain import plain_passage
from pipeline.errors import Busy, Revoked, Unavailable
from pipeline.find.near_copies import further
from pipeline.ports import AnswerStream, Keys, Links, Retriever, streaming
from pipeline.rules.access import INSIDE, Rules
from pipeline.values import (
    Answer,
    Audience,
    Document,
    Event,
    Excerpt,
    Readers,
    Request,
    RetrievedChunk,
    Search,
    replace,
)
from pipeline.values.keys import Passage
from storage.database import Database
from storage.documents.library import SQLLibrary
from storage.messages.history import SQLHistory
from storage.settings import link_key

# --- What links to passages are made of and what they open ----------------------------------------


class LinkedSources:
    """The port `Sources`."""

    def __init__(self, database: Database, library: SQLLibrary, rules: Rules) -> None:
        self._database = database
        self._library = library
        self._rules = rules

    async def key(self) -> str:
        """What links are signed with now; made when it is first asked for."""
        return await link_key(self._database)

    def rule(self, collection: str) -> str:
        """Another text whenever others may see the collection: by its rule, and where that names nobody, by which
        workspaces are homes."""
        rule = self._rules.named.get(collection, INSIDE)
        homes = {} if rule.only or rule.public else self._rules.homes
        own = "".join(f"\n{name}: {' '.join(sorted(spaces))}" for name, spaces in sorted(homes.items()))
        return replace(rule, only=tuple(sorted(rule.only))).model_dump_json() + own

    async def beginning(self, text: str) -> Sequence[str]:
        """The ids of documents that begin so."""
        return await self._library.beginning(text)

    async def excerpt(self, document_id: str, start: int, most: int) -> Excerpt | None:
        """At most `most` passages of a document from the one at `start` on; None where there is no such document."""
        return await self._library.excerpt(document_id, start, most)

    async def has_original(self, document: Document) -> bool:
        """Whether it was read from a file of its own that is still there."""
        return await asyncio.to_thread(has_original, document)

    async def original(self, document: Document) -> BinaryIO | None:
        """That file, open, while it is what the document was read from, byte for byte."""
        return await asyncio.to_thread(original, document)


# --- What is read ---------------------------------------------------------------------------------

EACH = 50
"""Answers under way at once for one caller: an event stream keeps a connection as long as its answer takes, and of
these there are 500 for all."""


class Reader:
    """The port `Reading`."""

    def __init__(
        self,
        desk: CitewellDesk,
        library: SQLLibrary,
        retriever: Retriever,
        respond: Callable[[Request], AnswerStream],
        history: SQLHistory,
        links: Callable[[], Awaitable[Links]] | None,
        keys: Keys,
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

    async def audience(self, readers: Readers) -> Audience:
        """The collections that every reader may see."""
        return await self._desk.audience(readers)

    @streaming
    async def respond(self, request: Request) -> AsyncGenerator[Event, None]:
        """One answer, which is kept where the request has a conversation.

        None is given to a key that was revoked meanwhile (Revoked), and no answer that rests on what was closed or
        removed meanwhile (Unavailable). Raises Busy for more than `EACH` of one caller at once."""
        if self._under_way[request.author] >= EACH:
            wait = "Wait until one is answered."
            raise Busy(f"{EACH} questions of yours are being answered", first=True, what_to_do=wait)
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

    async def _authorized(self, request: Request) -> None:
        """Raises Revoked."""
        if await self._keys.revoked(request.author):
            raise Revoked("this key was revoked", what_to_do="Ask whoever made it for another.")

    async def _hold(self, answer: Answer, request: Request) -> None:
        """Keep it. Raises Unavailable where it may not be told by now."""
        if request.conversation:
            await self._history.keep(answer, request.author)
            if not await self.shown(answer.id, request.audience):
                raise Unavailable("documents", "what the answer rests on was closed meanwhile")

    async def kept(self, answer_id: str, author: str) -> bool:
        """Whether an answer to that author is kept under that id."""
        return await self._history.author(answer_id) == author

    async def shown(self, answer_id: str, audience: Audience) -> bool:
        """Whether an answer is kept and `audience` may see by now all that it shows."""
        return await self._desk.seen(answer_id, audience) is not None

    async def search(self, text: str, audience: Audience, limit: int) -> Sequence[Passage]:
        """The passages that fit `text`, best first."""
        found = await self._retriever.retrieve(Search(question=text), audience)
        links = await self._links() if self._links else None
        return [_passage(one, links) for one in (*found.passages, *further(found))[:limit]]

    async def documents(self, audience: Audience) -> Sequence[Document]:
        """Current documents by collection and filename."""
        return await self._library.documents(audience)

    async def read(
        self, document_id: str, audience: Audience, start: int, most: int
    ) -> tuple[Document, int, Sequence[Passage]] | None:
        """A document, how many passages it has, and some of them; None where there is no such document."""
        found = await self._library.excerpt(document_id, start, most)
        if found is None or found.document.collection not in audience.collections:
            return None
        links = await self._links() if self._links else None
        chunks = (RetrievedChunk(chunk=chunk, document=found.document, score=0.0) for chunk in found.chunks)
        return found.document, found.total, [_passage(one, links) for one in chunks]


def _passage(found: RetrievedChunk, links: Links | None) -> Passage:
    shown = cite(found, 1, addresses=links)
    passage = Passage(
        document=shown.document_id,
        position=found.chunk.position,
        title=shown.title,
        place=place(shown),
        link=shown.url,
        score=shown.score,
        text=found.chunk.text[found.chunk.overlap :],
    )
    return plain_passage(passage)
