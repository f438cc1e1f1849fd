"""Shared commits: writes that wait at the same time are one transaction.

A commit that survives a power cut waits for the disk; writes that arrive meanwhile become one transaction the next
time. Where one of them fails, each is run by itself.
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
"""Most writes that share one commit."""


class Transactions(Protocol):
    """A database that runs writes, one transaction at a time."""

    def begin(self, *, durable: bool) -> AbstractContextManager[Connection]:
        """Begin a transaction, committed when the block ends and undone when it raises.

        Raises Unavailable when none can be begun, or when it is not known whether it was committed.
        """
        ...


@dataclass(frozen=True, eq=False)
class _Write(Generic[T]):
    work: TransactionFunction[T]
    durable: bool
    outcome: Future[T] = field(default_factory=Future)


class WriteQueue:
    """Writes in the order of `submit`, which may be called from any thread; `commit` is called from one only."""

    def __init__(self) -> None:
        self._waiting: deque[_Write[Any]] = deque()

    def submit(self, work: TransactionFunction[T], *, durable: bool) -> Future[T]:
        """Queue a write. Return a future of what `work` returns or raises, complete once it is committed or undone.

        A write cancelled while it waits is left out. Durable writes share commits and may be run a second time: they
        must change nothing but the database.
        """
        write = _Write(work, durable)
        self._waiting.append(write)
        return write.outcome

    def commit(self, transactions: Transactions) -> None:
        """Run one transaction of the waiting writes; does nothing when an earlier call took them along. Never raises:
        see `submit`."""
        batch = [write for write in self._next() if write.outcome.set_running_or_notify_cancel()]
        if batch:
            _commit(transactions, batch)

    def _next(self) -> Iterator[_Write[Any]]:
        """Yield durable writes in a row, or one other write: those are batches already, as long as durable writes can
        wait."""
        for count in range(min(len(self._waiting), WRITES_PER_COMMIT)):
            if count and not self._waiting[0].durable:
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
    for deliver in outcomes:
        deliver()
