"""Transactions of the one writing connection, and how writes that wait at the same time share a commit.

A commit that survives a power cut waits for the disk; while it does, more writes arrive, and all of them are one
transaction the next time. Each is a savepoint in it, so that it can fail alone.
"""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from pipeline.errors import Unavailable

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""What is done inside one transaction, on the connection given."""

BUSY_SECONDS = 5.0
"""How long a write waits for another process's before it gives up."""
POLL_SECONDS = 0.001
"""SQLite's own waiting sleeps up to 100 ms at a time and misses the gaps between another process's batches."""
BATCH = 100
"""Writes that share one commit at most."""


@dataclass(frozen=True, eq=False)
class _Write(Generic[T]):
    work: Work[T]
    durable: bool
    outcome: Future[T] = field(default_factory=Future)


class WriteQueue:
    """Writes in the order they were asked for. `add` may be called from any thread, `commit` from one only."""

    def __init__(self) -> None:
        self._waiting: deque[_Write[Any]] = deque()

    def add(self, work: Work[T], *, durable: bool) -> Future[T]:
        """What `work` returns or raises, known once it is committed or undone. Cancelled while it waits, it is left
        out. Durable writes share commits and may be run a second time: they must change nothing but the database."""
        write = _Write(work, durable)
        self._waiting.append(write)
        return write.outcome

    def commit(self, connection: sqlite3.Connection) -> None:
        """One transaction of what waits; does nothing when an earlier call took it along. Never raises: see `add`."""
        batch = [write for write in self._next() if write.outcome.set_running_or_notify_cancel()]
        if batch:
            _commit(connection, batch)

    def _next(self) -> Iterator[_Write[Any]]:
        """Durable writes in a row; the others are batches already, as large as the durable ones can wait for."""
        for taken in range(min(len(self._waiting), BATCH)):
            if taken and not self._waiting[0].durable:
                return
            write = self._waiting.popleft()
            yield write
            if not write.durable:
                return


@contextmanager
def immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction that holds the write lock from its beginning. Raises Unavailable when it cannot be had."""
    end = time.monotonic() + BUSY_SECONDS
    while not _begin(connection):
        if time.monotonic() > end:
            raise Unavailable("storage", "the database is locked by another process", retry_after=BUSY_SECONDS)
        time.sleep(POLL_SECONDS)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _begin(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            return False
        raise
    return True


def _commit(connection: sqlite3.Connection, batch: list[_Write[Any]]) -> None:
    try:
        connection.execute(f"PRAGMA synchronous = {'FULL' if batch[0].durable else 'NORMAL'}")
        with immediate(connection):
            outcomes = [_attempt(connection, write) for write in batch]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the write is awaited
        if isinstance(error, sqlite3.Error) and len(batch) > 1:
            for write in batch:
                _commit(connection, [write])
            return
        outcomes = [partial(write.outcome.set_exception, error) for write in batch]
    for tell in outcomes:
        tell()


def _attempt(connection: sqlite3.Connection, write: _Write[Any]) -> Callable[[], None]:
    """Do one write or leave nothing of it behind; returns what tells its outcome, for when it is committed."""
    connection.execute("SAVEPOINT one")
    try:
        tell = partial(write.outcome.set_result, write.work(connection))
    except Exception as error:
        if not connection.in_transaction:
            raise  # a full disk undoes the whole transaction, not only this write
        connection.execute("ROLLBACK TO one")
        tell = partial(write.outcome.set_exception, error)
    connection.execute("RELEASE one")
    return tell
