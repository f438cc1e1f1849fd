"""A question, asked by nobody, with everything on the way to its answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pipeline.find.near_copies import further
from pipeline.find.retrieve import HybridRetriever
from pipeline.ports import Index, Lexical, Passages, Vectors
from pipeline.respond import Responder
from pipeline.values import Audience, Hit, Request, Retrieval, Search
from pipeline.values.insights import Place, Seen, Trial


class _Watched:
    """An index that remembers at which place each chunk was found."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.by_words: dict[str, int] = {}
        self.by_meaning: dict[str, int] = {}

    async def lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> Lexical:
        found = await self._index.lexical(terms, audience, limit)
        _remember(self.by_words, found.hits)
        return found

    async def similar(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        return await self._index.similar(words, audience)

    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        found = await self._index.nearest(vector, audience, limit)
        _remember(self.by_meaning, found)
        return found


def _remember(ranks: dict[str, int], hits: Sequence[Hit]) -> None:
    for rank, hit in enumerate(hits, start=1):
        ranks[hit.chunk_id] = min(rank, ranks.get(hit.chunk_id, rank))


class _Told:
    """A retriever that remembers what it was asked first, and what it found."""

    def __init__(self, retriever: HybridRetriever) -> None:
        self._retriever = retriever
        self.search: Search | None = None
        self.found: Retrieval | None = None

    async def retrieve(self, search: Search, audience: Audience) -> Retrieval:
        found = await self._retriever.retrieve(search, audience)
        if self.found is None:
            self.search, self.found = found.understood(search), found
        return found


async def tried(
    request: Request,
    sees: Sequence[Seen],
    responder: Responder,
    retriever: HybridRetriever,
    index: Index,
    passages: Passages,
) -> Trial:
    """The walk that every question takes, watched. Nothing of it is kept; its tokens are its author's."""
    watched = _Watched(index)
    told = _Told(retriever.over(watched))
    answer = await dataclasses.replace(responder, retriever=told).respond(request).answer()
    found = told.found
    read = {passage.chunk.id for passage in found.passages} if found else set()
    places = [
        Place(
            chunk=one.chunk,
            document=one.document,
            score=one.score,
            by_words=watched.by_words.get(one.chunk.id),
            by_meaning=watched.by_meaning.get(one.chunk.id),
            read=one.chunk.id in read,
        )
        for one in ((*found.passages, *further(found)) if found else ())
    ]
    return Trial(
        sees=tuple(sees),
        search=told.search,
        corrections=tuple(f"{one.word} as {one.meant}" for one in found.corrections) if found else (),
        found=tuple(places),
        degraded=found.degraded if found else (),
        answer=answer,
    )
