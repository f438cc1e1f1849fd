"""Chroma, embedded or as a server: numbers and vectors, nothing that could be read.

Each of our collections is one of Chroma's: a `where` filter is slow (250 ms against 2 ms at 100,000 vectors) and easily
forgotten. Calls block and may be made from any thread; whatever goes wrong in them is raised as Unavailable.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from pipeline.errors import Unavailable
from pipeline.ports import Vectors

if TYPE_CHECKING:
    import httpx
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

WRITTEN_EVERY = 1000
"""Vectors after which a collection's graph is written to disk. Later ones are replayed from Chroma's log whenever the
collection is opened: at 10,000 vectors 0.1 s this way, 6 s when the graph is never written. A crash can tear a graph
that is being written; the probe finds that, and the store is built anew."""
SERVER_SECONDS = 10.0


class ChromaStore:
    """One set of collections: those of a folder, or those on a server whose names begin with `family` and `name`."""

    def __init__(
        self,
        client: ClientAPI,
        *,
        folder: Path | None = None,
        family: str = "",
        name: str = "",
        sessions: Sequence[httpx.Client] = (),
    ) -> None:
        self._client = client
        self._folder = folder
        self._family = family
        self._prefix = f"{family}{name}-"
        self._sessions = sessions
        self._collections: dict[int, Collection] = {}

    @classmethod
    def in_folder(cls, folder: Path) -> ChromaStore:
        """Open or create the store in `folder`. A broken one may kill the process: probe it in another first."""
        with _translated():
            import chromadb
            from chromadb.config import Settings

            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            client = chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False))
            return cls(client, folder=folder, name="collection")

    @classmethod
    def on_server(cls, url: str, family: str, name: str) -> ChromaStore:
        """Use the collections named `family` and `name` on the Chroma server at `url`."""
        with _translated():
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
            sessions = [one._server._session for one in (client, client._admin_client)]  # type: ignore # noqa: SLF001
            for session in sessions:
                session.timeout = SERVER_SECONDS
            return cls(client, family=family, name=name, sessions=sessions)

    def collections(self) -> list[int]:
        """The collections there are."""
        with _translated():
            names = [collection.name for collection in self._client.list_collections()]
        return [int(name.removeprefix(self._prefix)) for name in names if name.startswith(self._prefix)]

    def numbers(self, collection: int) -> set[int]:
        """What a collection says that it holds; it is created if need be."""
        with _translated():
            return {int(number) for number in self._collection(collection).get(include=[])["ids"]}

    def add(self, collection: int, numbers: Sequence[int], vectors: Vectors) -> None:
        """Add unit vectors, one for each number."""
        with _translated():
            self._collection(collection).upsert(ids=[str(number) for number in numbers], embeddings=vectors)

    def vector(self, collection: int, number: int) -> Vectors:
        """The vector stored under `number`."""
        with _translated():
            found = self._collection(collection).get(ids=[str(number)], include=["embeddings"])
            assert found["embeddings"] is not None
            return np.asarray(found["embeddings"][0], dtype=np.float32)

    def delete(self, collection: int, numbers: Sequence[int]) -> None:
        with _translated():
            self._collection(collection).delete(ids=[str(number) for number in numbers])

    def drop(self, collection: int) -> None:
        """Delete a whole collection."""
        with _translated():
            self._collections.pop(collection, None)
            self._client.delete_collection(f"{self._prefix}{collection}")

    def search(self, collection: int, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        """The numbers nearest to `vector` with their cosines, best first."""
        with _translated():
            found = self._collection(collection).query(
                query_embeddings=vector[None, :], n_results=limit, include=["distances"]
            )
            assert found["distances"] is not None
            return [
                (int(number), 1.0 - distance)
                for number, distance in zip(found["ids"][0], found["distances"][0], strict=True)
            ]

    def close(self) -> None:
        with suppress(Unavailable), _translated():
            self._client.close()  # type: ignore[attr-defined]
            for session in self._sessions:
                session.close()

    def discard_siblings(self) -> None:
        """Delete the other folders beside this one, or the other collections of the family."""
        with _translated():
            if self._folder:
                for folder in self._folder.parent.iterdir():
                    if folder.is_dir() and folder != self._folder:
                        shutil.rmtree(folder, ignore_errors=True)
                return
            for name in [collection.name for collection in self._client.list_collections()]:
                if name.startswith(self._family) and not name.startswith(self._prefix):
                    self._client.delete_collection(name)

    def _collection(self, number: int) -> Collection:
        if number not in self._collections:
            self._collections[number] = self._client.get_or_create_collection(
                f"{self._prefix}{number}",
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine", "sync_threshold": WRITTEN_EVERY}},
            )
        return self._collections[number]


@contextmanager
def _translated() -> Iterator[None]:
    """A broken index raises what it likes: ChromaError, ValueError, httpx errors, even Rust's PanicException."""
    try:
        yield
    except Unavailable:
        raise
    except BaseException as error:
        raise Unavailable("chroma", f"{type(error).__name__}: {error}") from error
