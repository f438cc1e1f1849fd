"""The retriever: from a search to the passages that may answer it.

Words (BM25) and meaning (cosine of sentence vectors) are searched at the same time and fused; a failing side is
recorded and the other answers alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline import fuse, ports
from pipeline.errors import CitewellError
from pipeline.text import query_terms, terms
from pipeline.values import Audience, Chunk, Document, Hit, Retrieval, RetrievedChunk, Search

DEPTH = 50
"""Hits asked of each side; twice as many change recall@5 by less than 0.002."""
CANDIDATES = 30
"""Passages loaded for each query, best first; more than any reader of `documents` asks for."""
PER_DOCUMENT = 3
"""Passages of one document among the first `top_k` while others are left, so that near-copies cannot fill them."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One candidate of one query, loaded."""

    chunk: Chunk
    document: Document
    ranking: fuse.Ranked
    score: float
    query: int


class Retriever:
    """Finds passages within an audience."""

    def __init__(
        self,
        index: ports.Index,
        passages: ports.Passages,
        embedder: ports.Embedder | None,
        *,
        top_k: int = 5,
        floor: float = 0.25,
    ) -> None:
        self._index = index
        self._passages = passages
        self._embedder = embedder
        self._top_k = top_k
        self._floor = floor

    async def retrieve(self, search: Search, audience: Audience) -> Retrieval:
        """Search every query of `search` and merge what was found, best first.

        Never raises for a failing embedder or index: what did not work is named in `degraded`. Raises
        Unavailable only when the passages themselves cannot be read.
        """
        queries = search.queries or (search.question,)
        degraded: dict[str, None] = {}
        lexical, vectors = await asyncio.gather(
            asyncio.gather(*(self._lexical(query, audience, degraded) for query in queries)),
            self._embed(queries, degraded),
        )
        found = await asyncio.gather(
            *(
                self._one(number, query, lexical[number], vectors[number], audience, degraded)
                for number, query in enumerate(queries)
            )
        )
        ordered = _merge(found)
        kept = [one for one in ordered if one.score >= self._floor]
        chosen = _spread(kept, self._top_k * len(queries) if len(queries) > 1 else self._top_k)
        return Retrieval(
            passages=tuple(map(_passage, chosen)),
            nearest=tuple(map(_passage, _spread(ordered, self._top_k))),
            documents=tuple(dict.fromkeys(one.document.id for one in ordered)),
            degraded=tuple(degraded),
        )

    async def _lexical(self, query: str, audience: Audience, degraded: dict[str, None]) -> list[Hit]:
        try:
            return await self._index.lexical(query_terms(query), audience, DEPTH)
        except CitewellError:
            degraded["lexical"] = None
            return []

    async def _embed(self, queries: Sequence[str], degraded: dict[str, None]) -> Sequence[ports.Vectors | None]:
        if self._embedder is None:
            return [None] * len(queries)
        try:
            return list(await self._embedder.embed(queries))
        except CitewellError:
            degraded["embedder"] = None
            return [None] * len(queries)

    async def _one(
        self,
        number: int,
        query: str,
        lexical: Sequence[Hit],
        vector: ports.Vectors | None,
        audience: Audience,
        degraded: dict[str, None],
    ) -> list[_Found]:
        near: Sequence[Hit] = ()
        units: dict[str, ports.Vectors] = {}
        if vector is not None:
            try:
                near = await self._index.nearest(vector, audience, DEPTH)
                units = await self._index.unit_vectors(list({hit.chunk_id for hit in (*lexical, *near)}))
            except CitewellError:
                degraded["vector"] = None
        ranked = fuse.rank(lexical, near, units, vector)[:CANDIDATES]
        loaded = {
            chunk.id: (chunk, document)
            for chunk, document in await self._passages.chunks([one.chunk_id for one in ranked])
        }
        asked = frozenset(terms(query))
        found = []
        for one in ranked:
            if one.chunk_id in loaded:
                chunk, document = loaded[one.chunk_id]
                score = fuse.calibrated(one, asked, f"{document.title} {chunk.text}")
                found.append(_Found(chunk, document, one, score, number))
        return fuse.distinct(found, [one.chunk.text for one in found])


def _merge(found: Sequence[Sequence[_Found]]) -> list[_Found]:
    """All candidates, each chunk once (for the query that fits it best), best first."""
    if len(found) == 1:
        return list(found[0])
    best: dict[str, _Found] = {}
    for one in (one for candidates in found for one in candidates):
        if one.chunk.id not in best or one.ranking.fused > best[one.chunk.id].ranking.fused:
            best[one.chunk.id] = one
    return sorted(best.values(), key=lambda one: -one.ranking.fused)


def _spread(found: Sequence[_Found], count: int) -> list[_Found]:
    """The first `count`, at most PER_DOCUMENT of one document unless nothing else is left."""
    taken: list[_Found] = []
    spare: list[_Found] = []
    seen: dict[str, int] = {}
    for one in found:
        seen[one.document.id] = seen.get(one.document.id, 0) + 1
        (taken if seen[one.document.id] <= PER_DOCUMENT else spare).append(one)
    return sorted((taken + spare)[:count], key=found.index)


def _passage(one: _Found) -> RetrievedChunk:
    return RetrievedChunk(
        chunk=one.chunk,
        document=one.document,
        score=one.score,
        ranks=one.ranking.ranks,
        unit_scores=one.ranking.unit_scores,
        query=one.query,
    )
