"""The port `Index`: words and vectors as the engine finds them."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.ports import Lexical, Vectors
from pipeline.values import Audience, Hit
from storage.database import Database
from storage.engine import VectorSearch
from storage.lexical import LexicalSearch


class SearchIndex:
    def __init__(self, database: Database, vectors: VectorSearch) -> None:
        self._vectors = vectors
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
