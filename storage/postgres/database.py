"""A PostgreSQL database that is the truth, shared by several processes: a `Database`.

The writes of a process follow one another and share commits, as they do in SQLite; those of several processes go on
side by side, each in a transaction of its own that sees what others committed before each statement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

import psycopg
from psycopg_pool import ConnectionPool

from storage.database import Connection, Standing, Work
from storage.postgres.connection import (
    READERS,
    WAIT_SECONDS,
    PostgresTransactions,
    configured,
    snapshot,
)
from storage.postgres.errors import translated
from storage.postgres.migrations import migrate
from storage.postgres.passages import TsvectorPassages
from storage.postgres.session import ENDED, Session, Use, begin
from storage.writes import WriteQueue

T = TypeVar("T")
CONNECT: dict[str, Any] = {"application_name": "citewell", "connect_timeout": 5, "tcp_user_timeout": 10_000}


class PostgresDatabase:
    """One writing thread with a connection of its own, and a few reading ones on those of a pool.

    It writes only on a connection that holds what its `use` needs."""

    shared = True

    def __init__(self, url: str, use: Use = Use.BESIDE) -> None:
        self.passages = TsvectorPassages()
        self._url = url
        self._use = use
        self._pool = ConnectionPool(
            url,
            connection_class=psycopg.Connection,
            kwargs={**CONNECT, "autocommit": True, "cursor_factory": psycopg.RawCursor},
            configure=configured,
            min_size=1,
            max_size=READERS,
            timeout=WAIT_SECONDS,
            num_workers=1,
            open=False,
        )
        self._transactions = PostgresTransactions(self._connect)
        self._writes = WriteQueue()
        self._writing = ThreadPoolExecutor(1, "citewell-write")
        self._reading = ThreadPoolExecutor(READERS, "citewell-read")

    @classmethod
    async def open(cls, url: str, use: Use = Use.BESIDE) -> PostgresDatabase:
        """Connect, and create or migrate what is there.

        Raises Unavailable, or Misconfigured when a newer program wrote it, pgvector is missing, or another process is
        in the way of that `use`."""
        database = cls(url, use)
        try:
            await database._run(database._writing, database._open)
        except BaseException:
            await database.close()
            raise
        return database

    async def write(self, work: Work[T], *, durable: bool = False) -> T:
        """See `Database`."""
        outcome = self._writes.add(work, durable=durable)
        self._writing.submit(self._writes.commit, self._transactions)
        with translated():
            return await asyncio.wrap_future(outcome)

    async def read(self, work: Work[T]) -> T:
        """See `Database`."""
        return await self._run(self._reading, lambda: snapshot(self._pool, work, self._transactions.holder))

    async def stand(self) -> Standing:
        """See `Database`."""
        return await self._run(self._writing, self._transactions.stand)

    def ended(self, db: Connection) -> set[int]:
        """See `Database`: those whose lock is free."""
        return {holder for (holder,) in db.execute(ENDED)}

    async def scrub(self) -> bool:
        """PostgreSQL reuses the room of deleted rows when it vacuums, which it does by itself."""
        return True

    async def close(self) -> None:
        """See `Database`."""
        for executor in (self._reading, self._writing):
            await asyncio.to_thread(executor.shutdown)
        await asyncio.to_thread(self._transactions.close)
        await asyncio.to_thread(self._pool.close)

    async def _run(self, executor: Executor, work: Callable[[], T]) -> T:
        with translated():
            return await asyncio.get_running_loop().run_in_executor(executor, work)

    def _open(self) -> None:
        with psycopg.Connection.connect(self._url, cursor_factory=psycopg.RawCursor, **CONNECT) as raw:
            migrate(raw)
        self._transactions.open()
        self._pool.open()

    def _connect(self) -> Session:
        raw = psycopg.Connection.connect(self._url, autocommit=True, cursor_factory=psycopg.RawCursor, **CONNECT)
        configured(raw)
        try:
            return begin(raw, self._use)
        except BaseException:
            raw.close()
            raise
