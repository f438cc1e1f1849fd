"""A PostgreSQL database that is the truth, shared by several processes: a `Database`.

The writes of a process follow one another and share commits, as they do in SQLite; those of several processes go on
side by side, each in a transaction of its own that sees what others committed before each statement.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakSet

import psycopg
import structlog
from psycopg_pool import ConnectionPool

from pipeline.errors import Unavailable
from pipeline.rules.tenancy import ALL, Reaches, workspace
from storage.database import Connection, Standing, Work
from storage.postgres.connection import (
    READERS,
    READING,
    WAIT_SECONDS,
    PostgresConnection,
    PostgresTransactions,
    configured,
    cut,
    denied,
    snapshot,
    translated,
)
from storage.postgres.migrations import migrate
from storage.postgres.passages import TsvectorPassages
from storage.postgres.session import ENDED, HELD, PostgresSession, Raw, Use, begin
from storage.postgres.tenancy import HOLDS, Bindings
from storage.schema.tables import TABLES
from storage.writes import WriteQueue

# --- What PostgreSQL's planner keeps of rows ------------------------------------------------------

DRAW = f"ANALYZE {', '.join((*(one.name for one in TABLES if one.name != 'unit_vectors'), 'words', 'term'))}"
"""Of tables with columns of text."""
REST = 9
"""How many times as long as it took is rested before they are drawn again: of a large database it takes seconds."""
AWAY = 5.0
"""Seconds until a server that does not answer is asked again."""

log = structlog.get_logger(__name__)


class Samples:
    """Drawn anew after rows were erased, beside everything else."""

    def __init__(self, draw: Callable[[], Awaitable[None]]) -> None:
        """`draw` raises Unavailable."""
        self._draw = draw
        self._due = False
        self._drawing: asyncio.Task[None] | None = None

    def renew(self) -> None:
        """Rows were erased: soon no sample has anything of them."""
        self._due = True
        if self._drawing is None or self._drawing.done():
            self._drawing = asyncio.create_task(self._keep_up(), name="samples")

    async def close(self) -> None:
        """Once what was erased is in no sample, or the server does not answer."""
        if self._drawing:
            self._drawing.cancel()
            await asyncio.gather(self._drawing, return_exceptions=True)
        if self._due:
            with suppress(Unavailable):
                await self._draw()

    async def _keep_up(self) -> None:
        while self._due:
            began, self._due = time.monotonic(), False
            try:
                await self._draw()
            except asyncio.CancelledError:
                self._due = True
                raise
            except Unavailable as error:
                self._due = True
                log.warning("samples_not_drawn", reason=str(error))
                await asyncio.sleep(AWAY)
            await asyncio.sleep(REST * (time.monotonic() - began))


# --- The database ---------------------------------------------------------------------------------

T = TypeVar("T")
HEARD_SECONDS = 4.0
"""How long the server may say nothing: less than half of what passes before others take over from a process that it
does not hear of."""
_CLOSED = """
    SELECT count(*), min(relname::text) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND EXISTS (
        SELECT 1 FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted
        WHERE NOT has_table_privilege(oid, wanted))
"""
"""Tables that the user who is connected may not read and write, and the first of them."""
CONNECT: dict[str, Any] = {"application_name": "citewell", "connect_timeout": 5, "tcp_user_timeout": 10_000}


class PostgresDatabase:
    """One writing thread with a connection of its own, and a few reading ones on those of a pool.

    It writes only on a connection that holds what its `use` needs. What is done is done for the workspace that is bound
    where it is asked for, and touches rows of that one alone."""

    shared = True

    def __init__(self, url: str, use: Use = Use.BESIDE, reaches: Reaches = lambda _: ALL) -> None:
        self.passages = TsvectorPassages()
        self._bindings = Bindings(reaches)
        self._url = url
        self._use = use
        self._lines: WeakSet[Raw] = WeakSet()
        self._pool = ConnectionPool(
            url,
            connection_class=psycopg.Connection,
            kwargs={**CONNECT, "autocommit": True, "cursor_factory": psycopg.RawCursor},
            configure=self._reader,
            min_size=1,
            max_size=READERS,
            timeout=WAIT_SECONDS,
            num_workers=1,
            open=False,
        )
        self._transactions = PostgresTransactions(self._connect)
        self._writes = WriteQueue()
        self._samples = Samples(lambda: self._run(self._reading, self._sample))
        self._writing = ThreadPoolExecutor(1, "citewell-write")
        self._reading = ThreadPoolExecutor(READERS, "citewell-read")

    @classmethod
    async def open(cls, url: str, use: Use = Use.BESIDE, reaches: Reaches = lambda _: ALL) -> PostgresDatabase:
        """Connect, and create or migrate what is there.

        Raises Unavailable, also when its user may not read and write all of it; or Misconfigured when a newer program
        wrote it, pgvector is missing, or another process is in the way of that `use`."""
        database = cls(url, use, reaches)
        try:
            await database._run(database._writing, database._open)
        except BaseException:
            await database.close()
            raise
        return database

    async def write(self, work: Work[T], *, durable: bool = False) -> T:
        """See `Database`."""
        outcome = self._writes.add(self._bound(work), durable=durable)
        self._writing.submit(self._writes.commit, self._transactions)
        with translated():
            return await asyncio.wrap_future(outcome)

    async def read(self, work: Work[T]) -> T:
        """See `Database`."""
        bound = self._bound(work)
        return await self._run(self._reading, lambda: snapshot(self._pool, bound, self._transactions.holder))

    async def stand(self) -> Standing:
        """See `Database`. While a long write is under way, the server is asked on another connection; where it does not
        answer there either, all of them are given up."""
        holder = self._transactions.holder
        standing = asyncio.create_task(self._run(self._writing, self._transactions.stand))
        standing.add_done_callback(lambda task: task.cancelled() or task.exception())
        while not (await asyncio.wait({standing}, timeout=1.0))[0]:
            if not await self._held(holder):
                for raw in tuple(self._lines):
                    cut(raw)
                raise Unavailable("storage", "PostgreSQL does not answer")
        return await standing

    def ended(self, db: Connection) -> set[int]:
        """See `Database`: those whose lock is free."""
        return {holder for (holder,) in db.execute(ENDED)}

    async def scrub(self) -> bool:
        """PostgreSQL reuses the room of deleted rows when it vacuums, which it does by itself. The samples of them that
        its planner keeps are drawn anew soon."""
        self._samples.renew()
        return True

    async def close(self) -> None:
        """See `Database`."""
        await self._samples.close()
        for executor in (self._reading, self._writing):
            await asyncio.to_thread(executor.shutdown)
        await asyncio.to_thread(self._transactions.close)
        await asyncio.to_thread(self._pool.close)

    async def _held(self, holder: int) -> bool:
        """Whether the server still knows this process by that number."""
        with suppress(TimeoutError, Unavailable):
            async with asyncio.timeout(HEARD_SECONDS):
                (held,) = await self.read(lambda db: db.execute(HELD, (holder,)).fetchone())
                return bool(held)
        return False

    def _bound(self, work: Work[T]) -> Work[T]:
        binding = self._bindings.of(workspace())

        def bound(db: Connection) -> T:
            assert isinstance(db, PostgresConnection)
            db.bind(binding)
            return work(db)

        return bound

    async def _run(self, executor: Executor, work: Callable[[], T]) -> T:
        with translated():
            return await asyncio.get_running_loop().run_in_executor(executor, work)

    def _sample(self) -> None:
        with psycopg.Connection.connect(self._url, autocommit=True, cursor_factory=psycopg.RawCursor, **CONNECT) as raw:
            raw.execute(DRAW)

    def _open(self) -> None:
        with psycopg.Connection.connect(self._url, cursor_factory=psycopg.RawCursor, **CONNECT) as raw:
            migrate(raw)
            tables, first = raw.execute(_CLOSED).fetchone() or (0, "")
            if tables:
                raise denied(f"it may not read and write {first}" + (f" and {tables - 1} more" if tables > 1 else ""))
            (self.passages.walled,) = raw.execute(HOLDS).fetchone() or (False,)
        self._transactions.open()
        self._pool.open()

    def _connect(self) -> PostgresSession:
        raw = psycopg.Connection.connect(self._url, autocommit=True, cursor_factory=psycopg.RawCursor, **CONNECT)
        self._configured(raw)
        try:
            return begin(raw, self._use)
        except BaseException:
            raw.close()
            raise

    def _configured(self, raw: Raw) -> None:
        configured(raw)
        self._lines.add(raw)

    def _reader(self, raw: Raw) -> None:
        self._configured(raw)
        raw.execute(READING)
