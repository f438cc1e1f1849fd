"""How writes that wait at the same time share a commit.

A commit that survives a power cut waits for the disk; while it does, more writes arrive, and all of them are one
transaction the next time. Each is a savepoint in it, so that it can fail alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from storage.database import Connection, Work

T = TypeVar("T")

BATCH = 100
"""Writes that share one commit at most."""


class Writing(Connection, Protocol):
    """A connection inside a transaction that it may have lost."""

    @property
    def in_transaction(self) -> bool: ...


class Transactions(Protocol):
    """Where writes go, one transaction at a time."""

    @property
    def undone(self) -> type[Exception]:
        """Raised by a transaction of which nothing was written, and that may succeed another time."""
        ...

    def begin(self, *, durable: bool) -> AbstractContextManager[Writing]:
        """One transaction, committed when the block ends and undone when it raises."""
        ...


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

    def commit(self, transactions: Transactions) -> None:
        """One transaction of what waits; does nothing when an earlier call took it along. Never raises: see `add`."""
        batch = [write for write in self._next() if write.outcome.set_running_or_notify_cancel()]
        if batch:
            _commit(transactions, batch)

    def _next(self) -> Iterator[_Write[Any]]:
        """Durable writes in a row; the others are batches already, as large as the durable ones can wait for."""
        for taken in range(min(len(self._waiting), BATCH)):
            if taken and not self._waiting[0].durable:
                return
            write = self._waiting.popleft()
            yield write
            if not write.durable:
                return


def _commit(transactions: Transactions, batch: list[_Write[Any]]) -> None:
    try:
        with transactions.begin(durable=batch[0].durable) as connection:
            if len(batch) == 1:
                outcomes: list[Callable[[], None]] = [partial(batch[0].outcome.set_result, batch[0].work(connection))]
            else:
                outcomes = [_attempt(connection, write) for write in batch]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the write is awaited
        if isinstance(error, transactions.undone) and len(batch) > 1:
            for write in batch:
                _commit(transactions, [write])
            return
        outcomes = [partial(write.outcome.set_exception, error) for write in batch]
    for tell in outcomes:
        tell()


def _attempt(connection: Writing, write: _Write[Any]) -> Callable[[], None]:
    """Do one write or leave nothing of it behind; returns what tells its outcome, for when it is committed."""
    connection.execute("SAVEPOINT one")
    try:
        tell = partial(write.outcome.set_result, write.work(connection))
    except Exception as error:
        if not connection.in_transaction:
            raise  # a full disk or a lost connection undoes the whole transaction, not only this write
        connection.execute("ROLLBACK TO one")
        tell = partial(write.outcome.set_exception, error)
    connection.execute("RELEASE one")
    return tell
