"""Keeps Chroma equal to the database, and answers from it only while it is.

Chroma is disposable. The database names the store that is wanted, and everything that can happen (first start, changed
documents, drift, corruption, a rebuild that was asked for) leads to the same step, `sync`: open that store, make it
equal, check that vectors find themselves, serve from it. One process at a time does this; the others, and everyone
meanwhile, search exactly.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pipeline.errors import CitewellError, Unavailable
from pipeline.ports import Vectors
from pipeline.values import Audience, Hit
from storage.chroma import ChromaStore
from storage.database import Database
from storage.folder import Lock
from storage.hits import hits
from storage.reconcile import Truth, check, read_truth, reconcile
from storage.revision import generation, raise_generation
from storage.stores import Stores

T = TypeVar("T")

QUERY_SECONDS = 2.0
QUIET_SECONDS = 0.5
"""After a change, so that many changes in a row become one step."""
POLL_SECONDS = 1.0
RETRY_SECONDS = 30.0
COLLECTIONS = 200
"""Each takes 4 file descriptors and 4 MB; with more, search stays exact."""
WORN = 0.3
"""Share of deleted vectors at which the store is built anew: Chroma's graph keeps them and slows down."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Serving:
    store: ChromaStore
    truth: Truth


class VectorIndex:
    """Chroma in `folder`, or on the server at `url`, for vectors of the model that `embedder` names now alone."""

    def __init__(
        self, database: Database, folder: Path, *, embedder: Callable[[], str], url: str | None = None
    ) -> None:
        self._database = database
        self._folder = folder
        self._embedder = embedder
        self._lock = Lock(folder / "lock")
        self._threads = ThreadPoolExecutor(3, "citewell-chroma")
        self._stores = Stores(database, folder, self._threads, embedder=embedder, url=url)
        self._store: ChromaStore | None = None
        self._name = ""
        self._serving: _Serving | None = None
        self._deleted = 0
        self._synced: tuple[str, int] | None = None
        self._syncing = asyncio.Lock()
        self._due = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def serving(self) -> bool:
        """Whether Chroma answers."""
        return self._serving is not None

    def start(self, delay: float = 0.0) -> None:
        """Open Chroma in the background after `delay` seconds, and keep it equal to the database from then on."""
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep(delay), name="vector index")

    async def search(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit] | None:
        """The chunks nearest to `vector`; None when Chroma cannot answer, or not for the documents of this moment."""
        serving = self._serving
        if serving is None or serving.truth.embedder != self._embedder():
            return None
        as_of = serving.truth.generation
        collections = [
            collection
            for name, collection in serving.truth.collections.items()
            if name in audience.collections and collection in serving.truth.numbers
        ]

        def ask() -> list[Hit] | None:
            found = [hit for collection in collections for hit in serving.store.search(collection, vector, limit)]
            best = sorted(found, key=lambda hit: -hit[1])[:limit]
            return self._database.read_here(lambda db: hits(db, best) if generation(db) == as_of else None)

        try:
            async with asyncio.timeout(QUERY_SECONDS):
                answered = await self._run(ask)
        except (Unavailable, TimeoutError) as error:
            _log.warning("Chroma does not answer, search is exact until it does: %s", error)
            self._serving = None
            self._due.set()
            return None
        if answered is None:
            self._due.set()
        return answered

    async def sync(self, *, thorough: bool = False) -> bool:
        """Make Chroma equal to the database, and serve from it. `thorough`: check it even if nothing changed.

        False when another process does this, when there is nothing for Chroma to hold, and after `close`.
        Raises Unavailable."""
        async with self._syncing:
            if self._closed:
                return False
            embedder = self._embedder()
            truth = await self._database.read(lambda db: read_truth(db, embedder))
            serving = await self._follow(truth, thorough=thorough)
            self._synced = (embedder, truth.generation)
            return serving

    async def rebuild(self) -> int | None:
        """Build a new store beside the one that serves, then change over; returns its size. Raises Unavailable.

        None when another process keeps the index: that one is asked to, and this returns at once. 0 when there is
        nothing for Chroma to hold."""
        await self._stores.want_new(raise_generation)
        if await self.sync() and self._serving:
            return self._serving.truth.size
        return 0 if self._own() else None

    async def close(self) -> None:
        """Stop keeping, and close Chroma cleanly."""
        if self._keeper:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper
        async with self._syncing:
            self._closed = True
            await self._let_go()
        await asyncio.to_thread(self._threads.shutdown)
        self._lock.release()

    async def _keep(self, delay: float) -> None:
        await asyncio.sleep(delay)
        while True:
            try:
                self._due.clear()
                await self.sync()
                await self._change()
                await asyncio.sleep(QUIET_SECONDS)
            except Exception as error:  # noqa: BLE001 - a keeper that ended would leave the index closed for good
                unforeseen = not isinstance(error, CitewellError)
                _log.warning("The vector index stays closed for now: %s", error, exc_info=unforeseen)
                await asyncio.sleep(RETRY_SECONDS)

    async def _change(self) -> None:
        """Wait until there is something to do. Other processes tell of theirs by the generation only."""
        while self._synced == (self._embedder(), await self._database.read(generation)) and not self._due.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._due.wait()

    async def _follow(self, truth: Truth, *, thorough: bool) -> bool:
        """Serve `truth` if this process may, from a new store in the end. Raises Unavailable."""
        if not truth.numbers or len(truth.numbers) > COLLECTIONS or not self._own():
            self._serving = None
            return False
        last = self._serving.truth if self._serving else None
        current = last and (last.embedder, last.generation) == (truth.embedder, truth.generation)
        if current and not thorough and await self._stores.wanted() == self._name:
            return True
        for fresh in (False, False, True):
            try:
                return await self._serve(truth, fresh=fresh, thorough=thorough)
            except Unavailable as error:
                _log.warning("The vector index failed, search is exact meanwhile: %s", error)
                failure = error
        raise failure

    async def _serve(self, truth: Truth, *, fresh: bool, thorough: bool) -> bool:
        """Make the wanted store, or a `fresh` one, equal to `truth`, and serve from it.

        What the store that serves holds is known, and it is asked only when this shall be `thorough`."""
        wanted = await self._stores.choose(fresh=fresh)
        store, known = self._store, None
        if store is None or wanted != self._name:
            store = await self._stores.open(wanted, truth.size)
        elif self._serving and not thorough:
            known = self._serving.truth.numbers
        try:
            deleted = await reconcile(self._database, store, truth, self._threads, known=known)
            await check(self._database, store, truth, self._threads)
        except BaseException:
            if store is self._store:
                self._store = self._serving = None
            await self._run(store.close)
            raise
        old, self._store, self._name = self._store, store, wanted
        self._serving = _Serving(store, truth)
        if old is not store:
            if old:
                await self._run(old.close)
            await self._run(store.discard_siblings)
            self._deleted = 0
        self._deleted += deleted
        if self._deleted > WORN * truth.size:
            await self._stores.want_new()
            self._due.set()
        return True

    async def _let_go(self) -> None:
        store, self._store, self._serving = self._store, None, None
        if store:
            await self._run(store.close)

    def _own(self) -> bool:
        """Whether this process may write the index. Raises Unavailable."""
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            return self._lock.acquire()
        except OSError as error:
            raise Unavailable("chroma", f"{self._folder} cannot be used: {error}") from error

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
