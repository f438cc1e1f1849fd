"""The port `Index`: words and vectors as the engine finds them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from pipeline.ports import Lexical, UnitVectors, Vectors
from pipeline.values import Audience, Hit
from storage.database import Connection, Database
from storage.engine import VectorSearch
from storage.lexical import LexicalSearch
from storage.vectors import unpack


class SearchIndex:
    """`embedder` names the model questions are embedded with now; documents embedded by another are found by words
    only."""

    def __init__(self, database: Database, *, embedder: Callable[[], str], vectors: VectorSearch) -> None:
        self._database = database
        self._vectors = vectors
        self._embedder = embedder
        self._lexical = LexicalSearch(database)

    async def lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> Lexical:
        """Search for the rarest of `terms`."""
        return await self._lexical.search(terms, audience, limit)

    async def similar(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        """For each of `words` that no document of `audience` holds, the nearest that they do hold, if any."""
        return await self._lexical.similar(words, audience)

    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        """Chunks whose mean vector is nearest to `vector`; score is cosine."""
        return await self._vectors.nearest(vector, audience, limit)

    async def unit_vectors(self, chunk_ids: Sequence[str]) -> UnitVectors:
        """Vectors of each chunk's units, in the order of `Chunk.units`. What is unknown or has none is left out."""

        def work(db: Connection) -> list[tuple[str, int, bytes]]:
            return db.execute(
                "SELECT chunk.id, dimensions, matrix FROM json_each($1) AS asked"
                " JOIN chunk ON chunk.id = asked.value JOIN live"
                " ON live.id = chunk.number >> 20 AND embedder = $2 JOIN unit_vectors USING (number)"
                " WHERE length(matrix) > 0",
                (json.dumps(list(chunk_ids)), self._embedder()),
            ).fetchall()

        found = await self._database.read(work)
        dimensions = found[0][1] if found else 1
        matrix = unpack(b"".join(blob for *_, blob in found), dimensions)
        rows, end = {}, 0
        for chunk_id, _, blob in found:
            start, end = end, end + len(blob) // dimensions
            rows[chunk_id] = slice(start, end)
        return UnitVectors(matrix, rows)
