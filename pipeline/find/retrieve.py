"""The retriever: from a search to the passages that may answer it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from pipeline import ports
from pipeline.find.near_copies import Seen
from pipeline.find.rank import READ, Ranked, Ranker
from pipeline.text import words
from pipeline.values import Audience, Chunk, Retrieval, RetrievedChunk, Search

AT_ONCE = 8
"""Searches at the same time: more would slow each other down, and every answer would come as late as the last."""
PER_DOCUMENT = 3
"""Passages of one document among those returned while others are left; editions of one text, which differ in figures
alone, count as one document's. So two editions of a rule are both seen, and fifty copies hide nothing."""
FURTHER = 4
"""How many times further a search reaches when copies and editions fill what it read."""


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
            *(self._ranked(ranker, number, query, search) for number, query in enumerate(queries))
        )
        share = max(self._top_k, 3 * len(queries)) // len(queries)
        good = [
            _spread([one for one in ranked if one.score >= floor], share)
            for floor, ranked in zip((self._floor + _step(query) for query in queries), found, strict=True)
        ]
        ordered = _merged(found)
        return Retrieval(
            passages=tuple(map(_passage, await self._joined(_merged(good), ordered))),
            nearest=tuple(map(_passage, _spread(ordered, self._top_k))),
            documents=tuple(dict.fromkeys(one.document.id for one in ordered)),
            degraded=tuple(sorted(ranker.degraded)),
        )

    async def _joined(self, chosen: list[Ranked], ranked: Sequence[Ranked]) -> list[Ranked]:
        """`chosen` with the chunk that runs into the best one, or that it runs into, beside it.

        Only where the best unit is the first or last of its chunk: what it says may go on across the cut. The
        neighbour takes the place of the last of `chosen`; where the search did not read it, it has no unit scores."""
        if not chosen:
            return chosen
        hit, taken = chosen[0], {one.chunk.id for one in chosen}
        places = _beyond(hit)
        here = (hit.document.id, hit.query)
        read = {one.chunk.position: one for one in ranked if (one.document.id, one.query) == here}
        if any(place not in read for place in places):
            for one in filter(None, await self._passages.neighbours(hit.chunk)):
                read.setdefault(one.position, replace(hit, chunk=one, ranks={}, unit_scores=np.zeros(0, np.float32)))
        joined = [
            replace(read[place], score=hit.score)
            for place in places
            if place in read and read[place].chunk.id not in taken and _continue(hit.chunk, read[place].chunk)
        ]
        return [hit, *joined, *chosen[1:]][: max(len(chosen), 2)]

    async def _ranked(self, ranker: Ranker, number: int, query: str, search: Search) -> list[Ranked]:
        complete = query == search.question
        ranked = await ranker.rank(number, query, search.context, complete=complete)
        if len(ranked) == READ and _crowded(ranked, self._top_k):
            further = replace(ranker, reach=FURTHER)
            return await further.rank(number, query, search.context, complete=complete)
        return ranked


def _step(question: str) -> float:
    count = len(words(question))
    return 0.0 if count <= 3 else 0.05 if count <= 6 else 0.1


def _merged(found: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """The passages of all queries, each once (for the query it fits best), best first."""
    best: dict[str, Ranked] = {}
    for one in sorted((one for ranked in found for one in ranked), key=lambda one: -one.score):
        best.setdefault(one.chunk.id, one)
    return list(best.values())


def _crowded(ranked: Iterable[Ranked], count: int) -> bool:
    """Whether there are fewer than `count` texts among them but for copies, and editions above PER_DOCUMENT."""
    seen = Seen()
    texts = (one.chunk.text for one in ranked)
    different = (text for text in texts if seen.add(text) and seen.editions(text) <= PER_DOCUMENT)
    return sum(1 for _ in islice(different, count)) < count


def _spread(ranked: Iterable[Ranked], count: int) -> list[Ranked]:
    """The first `count` without near-copies, at most PER_DOCUMENT of one document, or of editions of one text, unless
    nothing else is left."""
    seen = Seen()
    taken: list[Ranked] = []
    spare: list[Ranked] = []
    documents: Counter[str] = Counter()
    for one in ranked:
        if len(taken) == count:
            break
        if seen.add(one.chunk.text):
            documents[one.document.id] += 1
            alike = max(documents[one.document.id], seen.editions(one.chunk.text))
            (taken if alike <= PER_DOCUMENT else spare).append(one)
    return sorted(taken + spare[: count - len(taken)], key=lambda one: -one.score)


def _beyond(hit: Ranked) -> list[int]:
    """The positions of the neighbours that the best unit of `hit` stands beside."""
    if not len(hit.unit_scores):
        return []
    best, position = int(hit.unit_scores.argmax()), hit.chunk.position
    before = [position - 1] if best == 0 and position else []
    return [*before, position + 1] if best == len(hit.unit_scores) - 1 else before


def _continue(one: Chunk, other: Chunk) -> bool:
    """Whether the later of two neighbours goes on where the earlier one was cut."""
    earlier, later = sorted((one, other), key=lambda chunk: chunk.position)
    return later.overlap > 0 or (bool(later.heading) and later.heading == earlier.heading)


def _passage(ranked: Ranked) -> RetrievedChunk:
    return RetrievedChunk(
        chunk=ranked.chunk,
        document=ranked.document,
        score=round(min(ranked.score, 1.0), 4),
        ranks=ranked.ranks,
        unit_scores=tuple(ranked.unit_scores.tolist()),
        query=ranked.query,
    )
