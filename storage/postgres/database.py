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

from storage.database import Work
from storage.postgres.connection import (
    CONNECTIONS,
    WAIT_SECONDS,
    PostgresTransactions,
    configured,
    snapshot,
)
from storage.postgres.errors import translated
from storage.postgres.migrations import migrate
from storage.postgres.passages import TsvectorPassages
from storage.writes import WriteQueue

T = TypeVar("T")
CONNECT: dict[str, Any] = {"application_name": "citewell", "connect_timeout": 5, "tcp_user_timeout": 10_000}


class PostgresDatabase:
    """One writing thread and a few reading ones, on connections of a pool."""

    def __init__(self, url: str) -> None:
        self.passages = TsvectorPassages()
        self._url = url
        self._pool = ConnectionPool(
            url,
            connection_class=psycopg.Connection,
            kwargs={**CONNECT, "autocommit": True, "cursor_factory": psycopg.RawCursor},
            configure=configured,
            min_size=1,
            max_size=CONNECTIONS,
            timeout=WAIT_SECONDS,
            num_workers=1,
            open=False,
        )
        self._transactions = PostgresTransactions(self._pool)
        self._writes = WriteQueue()
        self._writing = ThreadPoolExecutor(1, "citewell-write")
        self._reading = ThreadPoolExecutor(CONNECTIONS - 1, "citewell-read")

    @classmethod
    async def open(cls, url: str) -> PostgresDatabase:
        """Connect, and create or migrate what is there.

        Raises Unavailable, or Misconfigured when a newer program wrote it or pgvector is missing."""
        database = cls(url)
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

        return await self._run(self._reading, lambda: snapshot(self._pool, work))

    async def scrub(self) -> bool:
        """PostgreSQL reuses the room of deleted rows when it vacuums, which it does by itself."""
        return True

    async def close(self) -> None:
        """See `Database`."""
        for executor in (self._reading, self._writing):
            await asyncio.to_thread(executor.shutdown)
        await asyncio.to_thread(self._pool.close)

    async def _run(self, executor: Executor, work: Callable[[], T]) -> T:
        with translated():
            return await asyncio.get_running_loop().run_in_executor(executor, work)

    def _open(self) -> None:
        with psycopg.Connection.connect(self._url, cursor_factory=psycopg.RawCursor, **CONNECT) as raw:
            migrate(raw)
        self._pool.open()
