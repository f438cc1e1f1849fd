"""Passages by the nearness of their vectors: pgvector's HNSW, or every one of them where that finds too few."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipeline.ports import Vectors
from pipeline.values import Audience, Hit
from storage.database import Connection, Database
from storage.postgres.passages import halfvec

_OURS = """
    mean_vector.dimensions = {n}
    AND mean_vector.collection = ANY(ARRAY(SELECT id FROM collection WHERE name = ANY($2::text[])))
    AND number >> 20 NOT IN (SELECT id FROM revision WHERE state <> 'live')
"""
_NEAREST = """
    SELECT chunk.id, 1 - distance FROM (
        SELECT number, vector::halfvec({n}) <=> $1::halfvec({n}) AS distance FROM mean_vector
        WHERE {ours} ORDER BY vector::halfvec({n}) <=> $1::halfvec({n}) LIMIT $4) AS found
    JOIN revision ON revision.id = found.number >> 20 AND embedder = $3
    JOIN chunk ON chunk.number = found.number ORDER BY distance, chunk.number
"""
_EXACT = """
    SELECT chunk.id, 1 - (vector::halfvec({n}) <=> $1::halfvec({n})) AS cosine FROM mean_vector
    JOIN revision ON revision.id = number >> 20 AND embedder = $3
    JOIN chunk USING (number) WHERE {ours} ORDER BY cosine DESC, number LIMIT $4
"""


class PgVectors:
    """`embedder` names the model that questions are embedded with now."""

    def __init__(self, database: Database, *, embedder: Callable[[], str]) -> None:
        self._database = database
        self._embedder = embedder

    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        """Passages of `audience` whose mean vector is nearest to the unit `vector`; score is cosine."""

        def work(db: Connection) -> list[Hit]:
            found = self._found(db, _NEAREST, vector, audience, limit)
            return found if len(found) == limit else self._found(db, _EXACT, vector, audience, limit)

        return await self._database.read(work)

    async def exact(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        """The same by looking at every passage."""
        return await self._database.read(lambda db: self._found(db, _EXACT, vector, audience, limit))

    def start(self) -> None:
        """Nothing is kept beside the database."""

    async def sync(self) -> bool:
        return False

    async def close(self) -> None:
        """The database is closed by whoever opened it."""

    def _found(self, db: Connection, query: str, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        size = len(vector)
        statement = query.format(n=size, ours=_OURS.format(n=size))
        rows: Sequence[tuple[str, float]] = db.execute(
            statement, (halfvec(vector), sorted(audience.collections), self._embedder(), limit)
        ).fetchall()
        return [Hit(chunk_id, cosine) for chunk_id, cosine in rows]
