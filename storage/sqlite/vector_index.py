"""The vector index: exact search, and for a large library Chroma while it equals the database.

Chroma is kept in memory (or on a server) and disposable. It is filled from the database when the library is large or
there is a server, and updated whenever the database's generation has changed, by whichever process. None of it is on
disk here, so nothing can be broken there, torn by a crash, or left behind when a document is erased.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import structlog

from pipeline.errors import CitewellError, Unavailable
from pipeline.ports import Vectors
from pipeline.values import Audience, SearchHit
from storage.database import Connection, Database
from storage.documents.revision import library_generation
from storage.sqlite.chroma import ChromaVectors
from storage.sqlite.exact_search import ExactVectors, VectorMatrix, read_matrix
from storage.sqlite.passages import hits_of_numbers

INDEX_POLL_SECONDS = 1.0
INDEX_RETRY_SECONDS = 30.0
CHROMA_PASSAGES = 150_000
"""Passages from which Chroma is filled in memory, and half of which keep it: with fewer, exact search is fast enough,
finds all, and takes neither that memory nor that filling."""
MAX_CHROMA_COLLECTIONS = 200
"""Most collections in Chroma; with more, search stays exact: each takes Chroma 4 MB."""
SAME_VECTOR_COSINE = 0.99
"""The least cosine of a vector with itself that Chroma returns."""

log = structlog.get_logger(__name__)


class VectorBackend(Protocol):
    """A searcher of vectors; both methods may be called from any thread. Raises Unavailable."""

    def nearest(self, vector: Vectors, collections: Collection[int], limit: int) -> list[tuple[int, float]]:
        """Return the numbers of the `limit` passages nearest to the unit `vector` with their cosines, best first."""
        ...

    def replace(self, matrix: VectorMatrix) -> None:
        """Hold these vectors, and no others, from now on."""
        ...


@dataclass(frozen=True, eq=False)
class _Serving:
    index: VectorBackend
    embedder: str
    generation: int


class VectorIndex:
    """Passages by the vectors of the model that `embedder` names now; `url` is a Chroma server's, None for memory."""

    def __init__(self, database: Database, *, embedder: Callable[[], str], url: str | None = None) -> None:
        self._database = database
        self._embedder = embedder
        self._url = url
        self._matrix: VectorMatrix | None = None
        self._loading = threading.Lock()
        self._chroma: ChromaVectors | None = None
        self._serving: _Serving | None = None
        self._syncing = asyncio.Lock()
        self._keeper: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def is_chroma_ready(self) -> bool:
        """True while Chroma answers."""
        return self._serving is not None

    def start(self) -> None:
        """Read the vectors in the background, fill Chroma if it is to serve, and keep both equal to the database."""
        self._keeper = self._keeper or asyncio.create_task(self._keep_in_sync(), name="vector index")

    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        def work(db: Connection) -> list[SearchHit]:
            collections = [
                number for number, name in db.execute("SELECT id, name FROM collection") if name in audience.collections
            ]
            hits = self._by_chroma(db, vector, collections, limit)
            if hits is None:
                hits = ExactVectors(self._current(db)).nearest(vector, collections, limit)
            return hits_of_numbers(db, hits)

        return await self._database.read(work)

    async def sync(self) -> bool:
        """Make Chroma equal to the database if it is not, and let it answer.

        Return False while exact search is to serve: with few passages or too many collections, and after `close`.
        Raises Unavailable.
        """
        async with self._syncing:
            matrix = await self._database.read(self._current)
            if self._serving and self._serves(self._serving, matrix.generation):
                return True
            self._serving = None
            if self._chroma and self._chroma.is_worn and not self._url:
                await self._close_chroma()
            if self._closed or not self._is_for_chroma(matrix):
                await self._close_chroma()
                return False
            try:
                self._chroma = self._chroma or await self._open_chroma()
                await asyncio.to_thread(_fill, self._chroma, matrix)
            except Unavailable:
                await self._close_chroma()
                raise
            self._serving = _Serving(self._chroma, matrix.embedder, matrix.generation)
            return True

    async def close(self) -> None:
        """Stop updating Chroma, and close it; search is exact from then on."""
        self._closed = True
        if self._keeper:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper
        async with self._syncing:
            await self._close_chroma()

    async def _keep_in_sync(self) -> None:
        while True:
            pause = INDEX_POLL_SECONDS
            try:
                await self.sync()
            except Exception as error:
                unforeseen = not isinstance(error, CitewellError)
                log.warning(
                    "vector_index_not_filled",
                    effect="search is exact for now",
                    reason=str(error),
                    exc_info=error if unforeseen else None,
                )
                pause = INDEX_RETRY_SECONDS
            await asyncio.sleep(pause)

    def _by_chroma(
        self, db: Connection, vector: Vectors, collections: Collection[int], limit: int
    ) -> Sequence[tuple[int, float]] | None:
        """Return Chroma's hits; None when it does not answer, or does not hold the present documents."""
        serving = self._serving
        if not serving or not self._serves(serving, library_generation(db)):
            return None
        try:
            hits = serving.index.nearest(vector, collections, limit)
        except Unavailable as error:
            log.warning("vector_search_failed", effect="search is exact until it answers", reason=str(error))
            self._serving = None
            return None
        return hits if self._serving is serving else None

    def _serves(self, serving: _Serving, now: int) -> bool:
        return (serving.embedder, serving.generation) == (self._embedder(), now)

    def _current(self, db: Connection) -> VectorMatrix:
        with self._loading:
            self._matrix = read_matrix(db, self._embedder(), self._matrix)
            return self._matrix

    def _is_for_chroma(self, matrix: VectorMatrix) -> bool:
        least = 1 if self._url else CHROMA_PASSAGES // 2 if self._chroma else CHROMA_PASSAGES
        return max(least, 1) <= len(matrix.numbers) and len(np.unique(matrix.collections)) <= MAX_CHROMA_COLLECTIONS

    async def _open_chroma(self) -> ChromaVectors:
        if not self._url:
            return await asyncio.to_thread(ChromaVectors.in_memory)
        family = f"citewell-{await self._database.write(_install_id)}-"
        return await asyncio.to_thread(ChromaVectors.on_server, self._url, family)

    async def _close_chroma(self) -> None:
        chroma, self._chroma, self._serving = self._chroma, None, None
        if chroma:
            await asyncio.to_thread(chroma.close)


def _fill(index: VectorBackend, matrix: VectorMatrix) -> None:
    """Fill an index. Raises Unavailable unless a vector finds itself afterwards: a server may have lost its data."""
    index.replace(matrix)
    longest = np.array([matrix.lengths.argmax()])
    (vector,), collections = matrix.unit_rows(longest), matrix.collections[longest].tolist()
    if max((cosine for _, cosine in index.nearest(vector, collections, 10)), default=0.0) < SAME_VECTOR_COSINE:
        raise Unavailable("chroma", "a vector it was given does not find itself")


def _install_id(db: Connection) -> str:
    """Return the id that tells this data folder from others on the same server."""
    db.execute("INSERT INTO setting VALUES ('install', $1) ON CONFLICT DO NOTHING", (secrets.token_hex(8),))
    return str(db.execute("SELECT value FROM setting WHERE name = 'install'").fetchone()[0])
