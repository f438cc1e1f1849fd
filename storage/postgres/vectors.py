"""Passages by the nearness of their vectors: by pgvector's HNSW, or exactly where that finds too few."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pipeline.ports import Vectors
from pipeline.values import Audience, SearchHit
from storage.database import Connection, Database
from storage.documents.revision import library_generation
from storage.postgres.passages import halfvec_text

_OURS = """
    mean_vector.dimensions = {n}
    AND mean_vector.collection = ANY(ARRAY(SELECT id FROM collection WHERE name = ANY($2::text[])))
    AND number >> 20 NOT IN (SELECT id FROM revision WHERE state <> 'live')
"""
_NEAREST = """
    SELECT chunk.id, 1 - distance FROM (
        SELECT number, number >> 20 AS revision, vector::halfvec({n}) <=> $1::halfvec({n}) AS distance FROM mean_vector
        WHERE {ours} ORDER BY vector::halfvec({n}) <=> $1::halfvec({n}) LIMIT $4) AS found
    JOIN revision ON revision.id = found.revision AND embedder = $3
    JOIN chunk ON chunk.number = found.number ORDER BY distance, chunk.number
"""
_EXACT = """
    SELECT chunk.id, cosine FROM (
        SELECT number, 1 - (vector::halfvec({n}) <=> $1::halfvec({n})) AS cosine FROM (
            SELECT number, number >> 20 AS revision, vector FROM mean_vector WHERE {ours} OFFSET 0) AS seen
        JOIN revision ON revision.id = seen.revision AND embedder = $3
        ORDER BY cosine DESC, number LIMIT $4) AS found
    JOIN chunk USING (number) ORDER BY cosine DESC, number
"""
_TOTAL = "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'mean_vector'::regclass"
_COUNT = """
    SELECT count(*) FROM (
        SELECT 1 FROM mean_vector
        WHERE collection = ANY(ARRAY(SELECT id FROM collection WHERE name = ANY($1::text[]))) LIMIT $2) AS seen
"""
VECTORS_PER_HOP = 100
"""Vectors compared one after the other in the time of one step through the graph of HNSW."""


class PgVectors:
    """Vector search with pgvector. `embedder` names the model that embeds questions now."""

    def __init__(self, database: Database, *, embedder: Callable[[], str]) -> None:
        self._database = database
        self._embedder = embedder
        self._few: dict[tuple[frozenset[str], int], bool] = {}
        self._generation = 0

    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        def work(db: Connection) -> list[SearchHit]:
            if not self._sees_few(db, audience, limit):
                hits = self._search(db, _NEAREST, vector, audience, limit)
                if len(hits) == limit:
                    return hits
            return self._search(db, _EXACT, vector, audience, limit)

        return await self._database.read(work)

    async def exact_nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        """Return what `nearest` does, by comparing every passage."""
        return await self._database.read(lambda db: self._search(db, _EXACT, vector, audience, limit))

    def start(self) -> None:
        """Do nothing: there is no index beside the database."""

    async def sync(self) -> bool:
        return False

    async def close(self) -> None:
        """Do nothing: the database's opener closes it."""

    def _sees_few(self, db: Connection, audience: Audience, limit: int) -> bool:
        """Return True when comparing every vector that `audience` may see is less work than searching the graph of all.

        The search takes more steps the fewer of them are visible.
        """
        if self._generation != (generation := library_generation(db)):
            self._few, self._generation = {}, generation
        key = audience.collections, limit
        if key not in self._few:
            threshold = math.isqrt(VECTORS_PER_HOP * limit * db.execute(_TOTAL).fetchone()[0])
            self._few[key] = db.execute(_COUNT, (sorted(audience.collections), threshold)).fetchone()[0] < threshold
        return self._few[key]

    def _search(self, db: Connection, query: str, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        size = len(vector)
        statement = query.format(n=size, ours=_OURS.format(n=size))
        rows: Sequence[tuple[str, float]] = db.execute(
            statement, (halfvec_text(vector), sorted(audience.collections), self._embedder(), limit)
        ).fetchall()
        return [SearchHit(chunk_id, cosine) for chunk_id, cosine in rows]
