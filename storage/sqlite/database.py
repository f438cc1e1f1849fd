"""The one SQLite file, shared by all tasks of a process and by several processes.

All writes of a process go through one connection on one thread, so that they never wait for each other inside SQLite.
Their transactions begin IMMEDIATE: a deferred one that reads first fails under load whatever the timeout (450 of 1,200
measured, none with IMMEDIATE). Searches read on connections of their own.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from storage.database import Connection, Leadership, TransactionFunction
from storage.sqlite.backup import copy_database
from storage.sqlite.connection import (
    BUSY_SECONDS,
    LOCK_POLL_SECONDS,
    SQLiteConnection,
    SQLiteTransactions,
    immediate_transaction,
)
from storage.sqlite.disk import create_database, damaged_database_error, translate_sqlite_errors
from storage.sqlite.migrations import applied_migrations, migrate, pending_migrations
from storage.sqlite.passages import POSTINGS_TABLE, FTS5Passages
from storage.write_queue import WriteQueue

T = TypeVar("T")
READER_COUNT = 3
WAL_BYTES = 64 << 20
"""Bytes to which the write-ahead log is cut back after it grew during a long read."""
READ_CACHE_KIB = 8192


class SQLiteDatabase:
    """`citewell.db` and its threads: a `Database`."""

    is_shared = False

    def __init__(self, file: Path) -> None:
        self.passage_index = FTS5Passages()
        self._file = file
        self._connections: list[sqlite3.Connection] = []
        self._local = threading.local()
        self._writes = WriteQueue()
        self._writing = ThreadPoolExecutor(1, "citewell-write")
        self._reading = ThreadPoolExecutor(READER_COUNT, "citewell-read")

    @classmethod
    async def open(cls, file: Path) -> SQLiteDatabase:
        """Open `file`, creating or migrating it; a database that is migrated is backed up first.

        Raises Unavailable, or Misconfigured when a newer program wrote it.
        """
        database = cls(file)
        try:
            await database._run(database._writing, database._migrate)
        except BaseException:
            await database.close()
            raise
        return database

    async def write(self, work: TransactionFunction[T], *, durable: bool = False) -> T:
        """Run `work` in one transaction. Raises Unavailable also when the disk is full or the file cannot be locked."""
        outcome = self._writes.submit(work, durable=durable)
        self._writing.submit(lambda: self._writes.commit(SQLiteTransactions(self._connection(writing=True))))
        with translate_sqlite_errors(self._file):
            return await asyncio.wrap_future(outcome)

    async def read(self, work: TransactionFunction[T]) -> T:
        return await self._run(self._reading, lambda: self._read(work))

    def _read(self, work: TransactionFunction[T]) -> T:
        with translate_sqlite_errors(self._file):
            connection = self._connection(writing=False)
            connection.execute("BEGIN")
            try:
                return work(SQLiteConnection(connection))
            finally:
                connection.execute("COMMIT")

    async def check_leadership(self) -> Leadership:
        """Return the leader's role: a process that answers has the folder alone."""
        return Leadership(0, is_leader=True)

    def dead_holders(self, db: Connection) -> set[int]:
        """Return none: a start takes back all leases."""
        return set()

    async def purge_deleted(self) -> bool:
        """Empty the write-ahead log, so that deleted data is in no file. Return False when other processes prevented
        it."""

        def checkpoint() -> bool:
            connection = self._connection(writing=True)
            end = time.monotonic() + BUSY_SECONDS
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] != 0:
                if time.monotonic() > end:
                    return False
                time.sleep(LOCK_POLL_SECONDS)
            return True

        return await self._run(self._writing, checkpoint)

    async def back_up(self, target: Path) -> None:
        """Copy the present database to `target`, complete or not at all, while it is being used."""

        def copy() -> None:
            with translate_sqlite_errors(self._file, into=target):
                copy_database(self._connection(writing=False), target)

        await self._run(self._reading, copy)

    async def close(self) -> None:
        for executor in (self._reading, self._writing):
            await asyncio.to_thread(executor.shutdown)
        for connection in self._connections:
            connection.close()
        self._connections.clear()

    async def _run(self, executor: Executor, work: Callable[[], T]) -> T:
        with translate_sqlite_errors(self._file):
            return await asyncio.get_running_loop().run_in_executor(executor, work)

    def _connection(self, *, writing: bool) -> sqlite3.Connection:
        """Return this thread's connection."""
        if not hasattr(self._local, "connection"):
            connection = sqlite3.connect(
                self._file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                _set_up(connection, writing=writing)
            except BaseException:
                connection.close()
                raise
            self._connections.append(connection)
            self._local.connection = connection
        connection = self._local.connection
        assert isinstance(connection, sqlite3.Connection)
        return connection

    def _migrate(self) -> None:
        if not self._file.exists():
            create_database(self._file)
        elif not any(file.stat().st_size for file in self._file.parent.glob(f"{self._file.name}*")):
            raise damaged_database_error(self._file, "is empty (0 bytes)")
        connection = self._connection(writing=True)
        self._file.chmod(0o600)
        db = SQLiteConnection(connection)
        if not pending_migrations(db):
            return
        if names := applied_migrations(db):
            copy_database(connection, self._file.parent / "backups" / f"before-migration-after-{names[-1]}.db")
        with immediate_transaction(connection):
            migrate(db)


def _set_up(connection: sqlite3.Connection, *, writing: bool) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    if writing:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
        connection.execute("PRAGMA busy_timeout = 0")
    else:
        connection.execute(f"PRAGMA cache_size = -{READ_CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(POSTINGS_TABLE)
        connection.execute("PRAGMA query_only = ON")
