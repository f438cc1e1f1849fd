"""Ranked passages as the values that the other stages read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from pipeline.find.rank import RankedPassage
from pipeline.values import RetrievedChunk


def merge_rankings(rankings: Sequence[Sequence[RankedPassage]]) -> list[RankedPassage]:
    """Merge the passages of all queries, each once (for the query it fits best), best first."""
    best: dict[str, RankedPassage] = {}
    for passage in sorted((passage for ranked in rankings for passage in ranked), key=lambda passage: -passage.score):
        best.setdefault(passage.chunk.id, passage)
    return list(best.values())


class RetrievedPassages(Sequence[RetrievedChunk]):
    """Ranked passages as values, each of which is built when it is first looked at: most never are."""

    def __init__(self, ranked: Sequence[RankedPassage]) -> None:
        self._ranked = ranked
        self._built: dict[int, RetrievedChunk] = {}

    def __len__(self) -> int:
        return len(self._ranked)

    @overload
    def __getitem__(self, place: int) -> RetrievedChunk: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[RetrievedChunk]: ...

    def __getitem__(self, place: int | slice) -> RetrievedChunk | Sequence[RetrievedChunk]:
        ranked = self._ranked[place]
        return self.describe(ranked) if isinstance(ranked, RankedPassage) else tuple(map(self.describe, ranked))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def describe(self, ranked: RankedPassage) -> RetrievedChunk:
        """Return a passage as a value."""
        if (built := self._built.get(id(ranked))) is None:
            built = self._built[id(ranked)] = _passage(ranked)
        return built


def _passage(ranked: RankedPassage) -> RetrievedChunk:
    return RetrievedChunk(
        chunk=ranked.chunk,
        document=ranked.document,
        score=round(min(ranked.score, 1.0), 4),
        unit_scores=tuple(ranked.unit_scores.tolist()),
        relevance=ranked.relevance,
        query_index=ranked.query_index,
        confirmed=ranked.confirmed,
        confirmation_boost=ranked.confirmation_boost,
    )
