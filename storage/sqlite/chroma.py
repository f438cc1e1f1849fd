"""Chroma, in this process's memory or on a server: numbers and vectors, no text.

Each of our collections is one of Chroma's: a `where` filter is slow (250 ms against 2 ms at 100,000 vectors) and easily
forgotten. Calls block and may be made from any thread; all their errors are raised as Unavailable.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import Unavailable
from pipeline.ports import Vectors
from storage.sqlite.exact_search import VectorMatrix

if TYPE_CHECKING:
    import httpx
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection as ChromaCollection

VECTORS_PER_CALL = 25
"""Vectors for each call: Chroma holds the interpreter for all of it, 10 ms for so many (500 stopped every task for half
a second).

After a call, other tasks have as long as it took.
"""
REBUILD_SHARE = 0.3
"""Share of deleted vectors at which a collection is rebuilt: Chroma's graph keeps them and slows down."""
MIN_COLLECTION_SIZE = 1_000
"""Vectors that the smallest collection has room for: 2.7 MB."""
TOLERATED_DROPPED = 10 * MIN_COLLECTION_SIZE
"""Vectors of deleted collections that are tolerated, the smallest collections counted as full."""
CHROMA_TIMEOUT_SECONDS = 2.0
"""Seconds that a call may take: every search waits for it."""


@dataclass(frozen=True)
class _Held:
    chroma: ChromaCollection
    numbers: NDArray[np.int64]
    deleted: int


class ChromaVectors:
    """Holds the vectors of one data folder; on a server, in the collections whose names begin with `family`."""

    def __init__(self, client: ClientAPI, family: str, sessions: Sequence[httpx.Client] = ()) -> None:
        self._client = client
        self._family = family
        self._sessions = sessions
        self._held: dict[int, _Held] = {}
        self._dropped = 0
        self._writing = threading.Lock()
        self._stopped = threading.Event()

    @classmethod
    def in_memory(cls) -> ChromaVectors:
        """Return an empty index, whose vectors are gone when the process ends."""
        with _translate_errors():
            import chromadb
            from chromadb.config import Settings

            return cls(chromadb.EphemeralClient(settings=Settings(anonymized_telemetry=False)), "memory-")

    @classmethod
    def on_server(cls, url: str, family: str) -> ChromaVectors:
        """Return an empty index on the Chroma server at `url`; earlier collections of `family` are deleted."""
        with _translate_errors():
            import chromadb
            from chromadb.config import Settings

            parts = urlsplit(url)
            secure = parts.scheme == "https"
            client = chromadb.HttpClient(
                host=parts.hostname or "localhost",
                port=parts.port or (443 if secure else 8000),
                ssl=secure,
                settings=Settings(anonymized_telemetry=False),
            )
            # Both wait forever unless told otherwise, and stay open when the client is closed.
            sessions = [api._server._session for api in (client, client._admin_client)]  # type: ignore # noqa: SLF001
            for session in sessions:
                session.timeout = CHROMA_TIMEOUT_SECONDS
            for collection in client.list_collections():
                if collection.name.startswith(family):
                    client.delete_collection(collection.name)
            return cls(client, family, sessions)

    def replace(self, matrix: VectorMatrix) -> None:
        """Hold these vectors, and no others, from now on: only differences are written. After a failure its contents
        are unknown."""
        with self._writing, _translate_errors():
            wanted = set(np.unique(matrix.collections).tolist())
            for collection in set(self._held) - wanted:
                self._drop(collection)
            for collection in wanted:
                self._fill(collection, matrix, np.flatnonzero(matrix.collections == collection))

    def nearest(self, vector: Vectors, collections: Collection[int], limit: int) -> list[tuple[int, float]]:
        """Return the numbers of the `limit` passages nearest to the unit `vector` with their cosines, best first."""
        with _translate_errors():
            hits = [
                hit for number in collections if (held := self._held.get(number)) for hit in _query(held, vector, limit)
            ]
        return sorted(hits, key=lambda hit: -hit[1])[:limit]

    @property
    def is_worn(self) -> bool:
        """True when deleted collections take more memory than held ones: Chroma releases them only when it is
        closed."""
        return self._dropped > max(TOLERATED_DROPPED, sum(len(held.numbers) for held in self._held.values()))

    def close(self) -> None:
        """Delete the vectors and close the client; a `replace` under way fails."""
        self._stopped.set()
        with self._writing:
            with suppress(Unavailable), _translate_errors():
                for collection in list(self._held):
                    self._drop(collection)
            with suppress(Unavailable), _translate_errors():
                self._client.close()  # type: ignore[attr-defined]
            for session in self._sessions:
                session.close()

    def _fill(self, collection: int, matrix: VectorMatrix, places: NDArray[np.int64]) -> None:
        """Make a collection hold the rows of `matrix` at `places`; it is rebuilt if too many would be deleted."""
        held = self._held.get(collection)
        removed = np.setdiff1d(held.numbers, matrix.numbers[places]) if held else np.zeros(0, np.int64)
        if held and held.deleted + len(removed) > REBUILD_SHARE * len(held.numbers):
            self._drop(collection)
            held, removed = None, removed[:0]
        chroma = held.chroma if held else self._create(collection)
        for batch in self._batches(removed):
            chroma.delete(ids=[str(number) for number in batch])
        for batch in self._batches(places[~np.isin(matrix.numbers[places], held.numbers)] if held else places):
            chroma.add(ids=[str(number) for number in matrix.numbers[batch]], embeddings=matrix.unit_rows(batch))
        deleted = held.deleted + len(removed) if held else 0
        self._held[collection] = _Held(chroma, matrix.numbers[places], deleted)

    def _batches(self, places: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        for start in range(0, len(places), VECTORS_PER_CALL):
            began = time.monotonic()
            yield places[start : start + VECTORS_PER_CALL]
            if self._stopped.wait(time.monotonic() - began):
                raise Unavailable("chroma", "it is being closed")

    def _create(self, collection: int) -> ChromaCollection:
        return self._client.create_collection(
            f"{self._family}{secrets.token_hex(8)}-{collection}",
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine"}},
        )

    def _drop(self, collection: int) -> None:
        held = self._held.pop(collection)
        self._dropped += max(MIN_COLLECTION_SIZE, len(held.numbers))
        self._client.delete_collection(held.chroma.name)


def _query(held: _Held, vector: Vectors, limit: int) -> Iterator[tuple[int, float]]:
    result = held.chroma.query(query_embeddings=vector[None, :], n_results=limit, include=["distances"])
    assert result["distances"] is not None
    for number, distance in zip(result["ids"][0], result["distances"][0], strict=True):
        yield int(number), 1.0 - distance


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise every error as Unavailable. A broken index raises ChromaError, ValueError, httpx errors, even Rust's
    PanicException."""
    try:
        yield
    except Unavailable:
        raise
    except BaseException as error:
        raise Unavailable("chroma", f"{type(error).__name__}: {error}") from error
