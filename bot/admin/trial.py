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


class _RecordingIndex:
    """An index that records the rank at which each chunk was found."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.by_words: dict[str, int] = {}
        self.by_meaning: dict[str, int] = {}

    async def search_lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> LexicalResult:
        result = await self._index.search_lexical(terms, audience, limit)
        _record_ranks(self.by_words, result.hits)
        return result

    async def suggest_words(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        return await self._index.suggest_words(words, audience)

    async def search_vector(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        hits = await self._index.search_vector(vector, audience, limit)
        _record_ranks(self.by_meaning, hits)
        return hits


def _record_ranks(ranks: dict[str, int], hits: Sequence[SearchHit]) -> None:
    for rank, hit in enumerate(hits, start=1):
        ranks[hit.chunk_id] = min(rank, ranks.get(hit.chunk_id, rank))


class _RecordingRetriever:
    """A retriever that records its first search and the result."""

    def __init__(self, retriever: HybridRetriever) -> None:
        self._retriever = retriever
        self.search: SearchPlan | None = None
        self.retrieval: Retrieval | None = None

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        retrieval = await self._retriever.retrieve(search, audience)
        if self.retrieval is None:
            self.search, self.retrieval = retrieval.corrected_search(search), retrieval
        return retrieval


async def run_trial(
    request: AnswerRequest,
    sees: Sequence[CollectionVisibility],
    responder: Responder,
    retriever: HybridRetriever,
    index: Index,
    passages: ChunkReader,
) -> DryRun:
    """Run all stages of an answer and record them. Nothing of it is stored; its tokens count as its author's."""
    recording_index = _RecordingIndex(index)
    recording = _RecordingRetriever(retriever.with_index(recording_index))
    answer = await dataclasses.replace(responder, retriever=recording).respond(request).answer()
    retrieval = recording.retrieval
    read = {passage.chunk.id for passage in retrieval.passages} if retrieval else set()
    places = [
        DryRunPassage(
            chunk=passage.chunk,
            document=passage.document,
            score=passage.score,
            by_words=recording_index.by_words.get(passage.chunk.id),
            by_meaning=recording_index.by_meaning.get(passage.chunk.id),
            read=passage.chunk.id in read,
        )
        for passage in ((*retrieval.passages, *remaining_passages(retrieval)) if retrieval else ())
    ]
    return DryRun(
        sees=tuple(sees),
        search=recording.search,
        corrections=tuple(f"{passage.word} as {passage.meant}" for passage in retrieval.corrections)
        if retrieval
        else (),
        found=tuple(places),
        degraded=retrieval.degraded if retrieval else (),
        answer=answer,
    )
