"""The vector index: Chroma while it holds what the database holds, exact search otherwise.

Chroma is kept in memory (or on a server) and disposable: it is filled from the database when the bot starts, and given
what differs whenever the database's generation has changed, by whichever process. Nothing of it is on disk here, so
that nothing there can be broken, torn by a crash, or forgotten when a document is erased.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import sqlite3
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from pipeline.errors import CitewellError, Unavailable
from pipeline.ports import Vectors
from pipeline.values import Audience, Hit
from storage.chroma import Chroma
from storage.database import Database
from storage.exact import Exact, Matrix, read_matrix
from storage.revision import generation

T = TypeVar("T")

QUERY_SECONDS = 2.0
POLL_SECONDS = 1.0
RETRY_SECONDS = 30.0
COLLECTIONS = 200
"""With more, search stays exact: each takes Chroma 4 MB."""

SAME = 0.99
"""The least cosine of a vector with itself, as Chroma tells it."""

_log = logging.getLogger(__name__)


class NearestVectors(Protocol):
    """What finds vectors; both may be called from any thread. Raises Unavailable."""

    def nearest(self, vector: Vectors, collections: Collection[int], limit: int) -> list[tuple[int, float]]:
        """The numbers of the `limit` passages nearest to the unit `vector` with their cosines, best first."""
        ...

    def replace(self, matrix: Matrix) -> None:
        """Hold these vectors, and no others, from now on."""
        ...


@dataclass(frozen=True, eq=False)
class _Serving:
    index: NearestVectors
    embedder: str
    generation: int


class VectorIndex:
    """Passages by the vectors of the model that `embedder` names now; `url` is a Chroma server's, None for memory."""

    def __init__(self, database: Database, *, embedder: Callable[[], str], url: str | None = None) -> None:
        self._database = database
        self._embedder = embedder
        self._url = url
        self._matrix: Matrix | None = None
        self._loading = threading.Lock()
        self._threads = ThreadPoolExecutor(3, "citewell-chroma")
        self._chroma: Chroma | None = None
        self._serving: _Serving | None = None
        self._syncing = asyncio.Lock()
        self._keeper: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def serving(self) -> bool:
        """Whether Chroma answers."""
        return self._serving is not None

    def start(self) -> None:
        """Fill Chroma in the background, and keep it equal to the database from then on."""
        self._keeper = self._keeper or asyncio.create_task(self._keep(), name="vector index")

    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        """Passages of `audience` whose mean vector is nearest to the unit `vector`; score is cosine."""
        hits = await self._by_chroma(vector, audience, limit) if self._serving else None
        if hits is not None:
            return hits

        def work(db: sqlite3.Connection) -> list[Hit]:
            return _hits(db, Exact(self._current(db)).nearest(vector, _visible(db, audience), limit))

        return await self._database.read(work)

    async def sync(self) -> bool:
        """Make Chroma equal to the database where it is not, and let it answer.

        False when there is nothing for it to hold, or too many collections, and after `close`. Raises Unavailable."""
        async with self._syncing:
            matrix = await self._database.read(self._current)
            if self._serving and self._serves(self._serving, matrix.generation):
                return True
            self._serving = None
            if self._closed or not 0 < len(np.unique(matrix.collections)) <= COLLECTIONS:
                await self._let_go()
                return False
            try:
                self._chroma = self._chroma or await self._opened()
                await self._run(partial(_fill, self._chroma, matrix))
            except Unavailable:
                await self._let_go()
                raise
            self._serving = _Serving(self._chroma, matrix.embedder, matrix.generation)
            return True

    async def close(self) -> None:
        """Stop keeping, and close Chroma; search is exact from then on."""
        self._closed = True
        if self._chroma:
            self._chroma.stop()
        if self._keeper:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper
        async with self._syncing:
            await self._let_go()
        await asyncio.to_thread(self._threads.shutdown)

    async def _keep(self) -> None:
        while True:
            pause = POLL_SECONDS
            try:
                await self.sync()
            except Exception as error:  # noqa: BLE001 - a keeper that ended would leave search exact for good
                unforeseen = not isinstance(error, CitewellError)
                _log.warning("Search is exact, not by Chroma, for now: %s", error, exc_info=unforeseen)
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)

    async def _by_chroma(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit] | None:
        """None when Chroma does not answer, or not for the documents of this moment."""
        serving = self._serving

        def work(db: sqlite3.Connection) -> list[Hit] | None:
            if not serving or not self._serves(serving, generation(db)):
                return None
            found = serving.index.nearest(vector, _visible(db, audience), limit)
            return _hits(db, found) if self._serving is serving else None

        try:
            async with asyncio.timeout(QUERY_SECONDS):
                return await self._run(lambda: self._database.read_here(work))
        except (Unavailable, TimeoutError) as error:
            _log.warning("Chroma does not answer, search is exact until it does: %s", error)
            if self._serving is serving:
                self._serving = None
            return None

    def _serves(self, serving: _Serving, now: int) -> bool:
        return (serving.embedder, serving.generation) == (self._embedder(), now)

    def _current(self, db: sqlite3.Connection) -> Matrix:
        with self._loading:
            self._matrix = read_matrix(db, self._embedder(), self._matrix)
            return self._matrix

    async def _opened(self) -> Chroma:
        if not self._url:
            return await self._run(Chroma.in_memory)
        family, url = f"citewell-{await self._database.write(_install)}-", self._url
        return await self._run(lambda: Chroma.on_server(url, family))

    async def _let_go(self) -> None:
        chroma, self._chroma, self._serving = self._chroma, None, None
        if chroma:
            await self._run(chroma.close)

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _fill(index: NearestVectors, matrix: Matrix) -> None:
    """Raises Unavailable unless a passage finds itself afterwards: a server may have lost what it was given."""
    index.replace(matrix)
    (vector,), collections = matrix.unit(np.zeros(1, np.int64)), matrix.collections[:1].tolist()
    ((_, cosine),) = index.nearest(vector, collections, 1) or [(0, 0.0)]
    if cosine < SAME:
        raise Unavailable("chroma", "a vector it was given does not find itself")


def _visible(db: sqlite3.Connection, audience: Audience) -> list[int]:
    rows = db.execute("SELECT id, name FROM collection")
    return [number for number, name in rows if name in audience.collections]


def _hits(db: sqlite3.Connection, found: Sequence[tuple[int, float]]) -> list[Hit]:
    """The passages that numbers stand for, in order; numbers that are gone are left out."""
    numbers = json.dumps([number for number, _ in found])
    ids = dict(db.execute("SELECT number, chunk.id FROM json_each(?) JOIN chunk ON number = value", (numbers,)))
    return [Hit(ids[number], score) for number, score in found if number in ids]


def _install(db: sqlite3.Connection) -> str:
    """What tells this data folder from others on the same server."""
    db.execute("INSERT OR IGNORE INTO setting VALUES ('install', ?)", (secrets.token_hex(8),))
    return str(db.execute("SELECT value FROM setting WHERE name = 'install'").fetchone()[0])
