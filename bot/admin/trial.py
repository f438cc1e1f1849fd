"""Dry runs: a question asked for nobody, with all steps to its answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pipeline.find.near_duplicates import remaining_passages
from pipeline.find.retrieve import HybridRetriever
from pipeline.ports import ChunkReader, Index, LexicalResult, Vectors
from pipeline.respond import Responder
from pipeline.values import AnswerRequest, Audience, Retrieval, SearchHit, SearchPlan
from pipeline.values.insights import CollectionVisibility, DryRun, DryRunPassage


class _Watched:
    """An index that records the rank at which each chunk was found."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.by_words: dict[str, int] = {}
        self.by_meaning: dict[str, int] = {}

    async def search_lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> LexicalResult:
        found = await self._index.search_lexical(terms, audience, limit)
        _remember(self.by_words, found.hits)
        return found

    async def suggest_words(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        return await self._index.suggest_words(words, audience)

    async def search_vector(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        found = await self._index.search_vector(vector, audience, limit)
        _remember(self.by_meaning, found)
        return found


def _remember(ranks: dict[str, int], hits: Sequence[SearchHit]) -> None:
    for rank, hit in enumerate(hits, start=1):
        ranks[hit.chunk_id] = min(rank, ranks.get(hit.chunk_id, rank))


class _Told:
    """A retriever that records its first search and the result."""

    def __init__(self, retriever: HybridRetriever) -> None:
        self._retriever = retriever
        self.search: SearchPlan | None = None
        self.found: Retrieval | None = None

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        found = await self._retriever.retrieve(search, audience)
        if self.found is None:
            self.search, self.found = found.corrected_search(search), found
        return found


async def run_trial(
    request: AnswerRequest,
    sees: Sequence[CollectionVisibility],
    responder: Responder,
    retriever: HybridRetriever,
    index: Index,
    passages: ChunkReader,
) -> DryRun:
    """Run all stages of an answer and record them. Nothing of it is stored; its tokens count as its author's."""
    watched = _Watched(index)
    told = _Told(retriever.with_index(watched))
    answer = await dataclasses.replace(responder, retriever=told).respond(request).answer()
    found = told.found
    read = {passage.chunk.id for passage in found.passages} if found else set()
    places = [
        DryRunPassage(
            chunk=one.chunk,
            document=one.document,
            score=one.score,
            by_words=watched.by_words.get(one.chunk.id),
            by_meaning=watched.by_meaning.get(one.chunk.id),
            read=one.chunk.id in read,
        )
        for one in ((*found.passages, *remaining_passages(found)) if found else ())
    ]
    return DryRun(
        sees=tuple(sees),
        search=told.search,
        corrections=tuple(f"{one.word} as {one.meant}" for one in found.corrections) if found else (),
        found=tuple(places),
        degraded=found.degraded if found else (),
        answer=answer,
    )
