"""The passages that are read for one query: each once, and measured once for each text, however often they are ranked
again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pipeline import ports
from pipeline.find.fusion import ExecutedQuery, MeasuredPassage, measure_passages
from pipeline.values import Chunk, Document


class CandidatePassages:
    """Passages of `reader`, with the vectors that they had when they were read."""

    def __init__(self, reader: ports.ChunkReader) -> None:
        self._reader = reader
        self._asked: set[str] = set()
        self._batches: list[tuple[list[tuple[Chunk, Document]], ports.UnitVectors]] = []
        self._passages: dict[str, tuple[Chunk, Document]] = {}
        self._measured: defaultdict[object, dict[str, MeasuredPassage]] = defaultdict(dict)

    async def read(self, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """Return the passages in the order of `chunk_ids`; ids that are gone are left out. Raises Unavailable."""
        if new := [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in self._asked]:
            passages, vectors = await self._reader.get_with_vectors(new)
            self._asked.update(new)
            self._batches.append((passages, vectors))
            self._passages.update((chunk.id, (chunk, document)) for chunk, document in passages)
        return [self._passages[chunk_id] for chunk_id in dict.fromkeys(chunk_ids) if chunk_id in self._passages]

    def measure(
        self, text: str, query: ExecutedQuery, passages: Sequence[tuple[Chunk, Document]]
    ) -> list[MeasuredPassage]:
        """Measure `passages`, which were read, for `text`, executed as `query`."""
        wanted = {chunk.id for chunk, _ in passages}
        measured = self._measured[text, tuple(query.rarity.items()), query.vector is None, query.calibration]
        for batch, vectors in self._batches:
            if new := [pair for pair in batch if pair[0].id in wanted and pair[0].id not in measured]:
                measured.update((passage.chunk_id, passage) for passage in measure_passages(query, new, vectors))
        return [measured[chunk.id] for chunk, _ in passages]
