"""How writes that wait at the same time share a commit.

A commit that survives a power cut waits for the disk; while it does, more writes arrive, and all of them are one
transaction the next time. Where one of them fails, each is done by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from pipeline.errors import Unavailable
from storage.database import Connection, TransactionFunction

T = TypeVar("T")

WRITES_PER_COMMIT = 100
"""Writes that share one commit at most."""


class Transactions(Protocol):
    """Where writes go, one transaction at a time."""

    def begin(self, *, durable: bool) -> AbstractContextManager[Connection]:
        """One transaction, committed when the block ends and undone when it raises. Raises Unavailable when none can be
        begun, or when it is not known whether it was committed."""
        ...


@dataclass(frozen=True, eq=False)
class _Write(Generic[T]):
    work: TransactionFunction[T]
    durable: bool
    outcome: Future[T] = field(default_factory=Future)


class WriteQueue:
    """Writes in the order they were asked for. `add` may be called from any thread, `commit` from one only."""

    def __init__(self) -> None:
        self._waiting: deque[_Write[Any]] = deque()

    def submit(self, work: TransactionFunction[T], *, durable: bool) -> Future[T]:
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
        for taken in range(min(len(self._waiting), WRITES_PER_COMMIT)):
            if taken and not self._waiting[0].durable:
                return
            write = self._waiting.popleft()
            yield write
            if not write.durable:
                return


def _commit(transactions: Transactions, batch: list[_Write[Any]]) -> None:
    try:
        with transactions.begin(durable=batch[0].durable) as connection:
            outcomes = [partial(write.outcome.set_result, write.work(connection)) for write in batch]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the write is awaited
        if len(batch) > 1 and not isinstance(error, Unavailable):  # nothing was written
            for write in batch:
                _commit(transactions, [write])
            return
        outcomes = [partial(write.outcome.set_exception, error) for write in batch]
    for tell in outcomes:
        tell()
