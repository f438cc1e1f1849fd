"""The two ways a check ends."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.values import Judgement, RetrievedChunk


def rejected(reason: str, score: float = 0.0, *, forbidden: bool = False) -> Judgement:
    return Judgement(supported=False, score=score, reason=reason, forbidden=forbidden)


def supported(score: float, passages: Iterable[RetrievedChunk], quote: str) -> Judgement:
    chunk_ids = tuple(dict.fromkeys(passage.chunk.id for passage in passages))
    return Judgement(supported=True, score=score, chunk_ids=chunk_ids, quote=quote)
