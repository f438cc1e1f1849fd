"""The retriever: from a search to the passages that may answer it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipeline import ports
from pipeline.retrieval.near_copies import Seen
from pipeline.retrieval.rank import Ranked, Ranker
from pipeline.text import words
from pipeline.values import Audience, Chunk, Retrieval, RetrievedChunk, Search

AT_ONCE = 8
"""Searches at the same time: more would slow each other down, and every answer would come as late as the last."""
PER_DOCUMENT = 3
"""Passages of one document among those returned while others are left, so that near-copies cannot fill them."""


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
        """`floor`: the least score of a passage that is shown to a writer. Questions of more than three words need
        0.05 more, of more than six 0.1: the more words, the more of them match by chance."""
        self._index = index
        self._passages = passages
        self._embedder = embedder
        self._top_k = top_k
        self._floor = floor
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def retrieve(self, search: Search, audience: Audience) -> Retrieval:
        """Search every query of `search` and merge what was found, best first.

        Never raises for a failing embedder or index: what did not work is named in `degraded`. Raises
        Unavailable when the passages themselves cannot be read.
        """
        async with self._turns:
            return await self._retrieve(search, audience)

    async def _retrieve(self, search: Search, audience: Audience) -> Retrieval:
        queries = search.queries or (search.question,)
        ranker = Ranker(self._index, self._passages, self._embedder, audience)
        found = await asyncio.gather(
            *(ranker.rank(number, query, search.context) for number, query in enumerate(queries))
        )
        share = max(self._top_k, 3 * len(queries)) // len(queries)
        good = [
            _spread([one for one in ranked if one.score >= floor], share)
            for floor, ranked in zip((self._floor + _step(query) for query in queries), found, strict=True)
        ]
        ordered = _merged(found)
        return Retrieval(
            passages=tuple(map(_passage, _joined(_merged(good), _merged(found)))),
            nearest=tuple(map(_passage, _spread(ordered, self._top_k))),
            documents=tuple(dict.fromkeys(one.document.id for one in ordered)),
            degraded=tuple(sorted(ranker.degraded)),
        )


def _step(question: str) -> float:
    count = len(words(question))
    return 0.0 if count <= 3 else 0.05 if count <= 6 else 0.1


def _merged(found: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """The passages of all queries, each once (for the query it fits best), best first."""
    best: dict[str, Ranked] = {}
    for one in sorted((one for ranked in found for one in ranked), key=lambda one: -one.score):
        best.setdefault(one.chunk.id, one)
    return list(best.values())


def _spread(ranked: Iterable[Ranked], count: int) -> list[Ranked]:
    """The first `count` without near-copies, at most PER_DOCUMENT of one document unless nothing else is left."""
    seen = Seen()
    taken: list[Ranked] = []
    spare: list[Ranked] = []
    documents: Counter[str] = Counter()
    for one in ranked:
        if len(taken) == count:
            break
        if seen.add(one.chunk.text):
            documents[one.document.id] += 1
            (taken if documents[one.document.id] <= PER_DOCUMENT else spare).append(one)
    return sorted(taken + spare[: count - len(taken)], key=lambda one: -one.score)


def _joined(chosen: list[Ranked], ranked: Sequence[Ranked]) -> list[Ranked]:
    """`chosen` with the chunk that runs into the best one, or that it runs into, beside it.

    Only where the best unit is the first or last of its chunk: what it says may go on across the cut. The neighbour
    takes the place of the last of `chosen`."""
    if not chosen or not len(chosen[0].unit_scores):
        return chosen
    hit = chosen[0]
    place = int(hit.unit_scores.argmax())
    taken = {one.chunk.id for one in chosen}
    joined = [
        replace(one, score=hit.score)
        for one in ranked
        if one.query == hit.query
        and one.chunk.id not in taken
        and (
            (place == 0 and _continues(hit.chunk, one.chunk))
            or (place == len(hit.unit_scores) - 1 and _continues(one.chunk, hit.chunk))
        )
    ]
    return [hit, *joined, *chosen[1:]][: max(len(chosen), 2)]


def _continues(chunk: Chunk, before: Chunk) -> bool:
    following = chunk.document_id == before.document_id and chunk.position == before.position + 1
    return following and (chunk.overlap > 0 or (bool(chunk.heading) and chunk.heading == before.heading))


def _passage(ranked: Ranked) -> RetrievedChunk:
    return RetrievedChunk(
        chunk=ranked.chunk,
        document=ranked.document,
        score=round(min(ranked.score, 1.0), 4),
        ranks=ranked.ranks,
        unit_scores=tuple(ranked.unit_scores.tolist()),
        query=ranked.query,
    )
