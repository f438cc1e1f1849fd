"""Passages that only a model reads, besides those of an extract: the neighbours of the best ones, and the next best."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.errors import CitewellError
from pipeline.evidence.gather import Evidence
from pipeline.ports import ChunkReader
from pipeline.values import RetrievedChunk, replace
from pipeline.values.documents import exclude_known

EXPANDED_PASSAGES = 1
"""Number of passages that are read with the parts of their document before and after them."""


async def extend_context(
    evidence: Evidence, further: Sequence[RetrievedChunk], library: ChunkReader | None
) -> tuple[RetrievedChunk, ...]:
    """Return the neighbours of the best passages, then `further` ones, each once and none that the evidence has."""
    neighbours = [
        neighbour for best in evidence.passages[:EXPANDED_PASSAGES] for neighbour in await _neighbours(best, library)
    ]
    return tuple(exclude_known((*neighbours, *further), evidence.passages))


async def _neighbours(passage: RetrievedChunk, library: ChunkReader | None) -> list[RetrievedChunk]:
    if library is None:
        return []
    try:
        beside = await library.neighbours(passage.chunk)
    except CitewellError:
        return []
    return [replace(passage, chunk=chunk, unit_scores=()) for chunk in beside if chunk]
