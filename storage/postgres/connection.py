"""PostgreSQL's connection as `storage.database.Connection`, and its transactions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import repeat
from typing import Any, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.string import StrDumperUnknown, TextBinaryLoader
from psycopg_pool import ConnectionPool

from pipeline.errors import Unavailable
from storage.database import Work

T = TypeVar("T")
Raw = psycopg.Connection[tuple[Any, ...]]
Pool = ConnectionPool[Raw]

CONNECTIONS = 4
WAIT_SECONDS = 5.0
"""How long a connection is waited for, and a lock that another process holds."""
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
DURABLE = "BEGIN"
QUICK = "BEGIN; SET LOCAL synchronous_commit TO off"
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresConnection:
    """PostgreSQL takes `$1` for its first parameter; psycopg passes statements on as they are."""

    claiming = "FOR UPDATE SKIP LOCKED"

    def __init__(self, raw: Raw) -> None:
        self.raw = raw

    @property
    def in_transaction(self) -> bool:
        return self.raw.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR)

    def execute(self, statement: str, values: Sequence[object] = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        return self.raw.execute(statement, values, binary=True)

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self.raw.cursor() as cursor:
            cursor.executemany(statement, rows)


class PostgresTransactions:
    """Those of one process, one after the other."""

    undone = psycopg.Error

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @contextmanager
    def begin(self, *, durable: bool) -> Iterator[PostgresConnection]:
        """Durable: it survives a crash of the server. Raises Unavailable when none can be begun, or when it is not
        known whether it was committed."""
        with _begun(self._pool, DURABLE if durable else QUICK) as raw:
            yield PostgresConnection(raw)
            try:
                raw.execute("COMMIT")
            except psycopg.OperationalError as error:
                raise Unavailable("storage", f"the connection was lost during a commit: {error}") from error


def snapshot(pool: Pool, work: Work[T]) -> T:
    """What `work` finds in a transaction that only reads; its first statement travels together with the beginning.

    Done again on another connection when this one was lost, as it may be while nothing uses it."""
    for last in _tries():
        with _connection(pool) as raw:
            try:
                with raw.pipeline():
                    raw.execute(SNAPSHOT)
                    found = work(PostgresConnection(raw))
                    raw.execute("COMMIT")
            except psycopg.OperationalError:
                if last or not raw.closed:
                    raise
            else:
                return found
    raise AssertionError


@contextmanager
def _begun(pool: Pool, begin: str) -> Iterator[Raw]:
    """A connection with a transaction begun; what is not committed when the block ends is undone.

    A connection that was lost while nothing used it is replaced: nothing was done on it yet."""
    with ExitStack() as stack:
        for last in _tries():
            raw = stack.enter_context(_connection(pool))
            try:
                raw.execute(begin)
            except psycopg.OperationalError:
                if last or not raw.closed:
                    raise
                stack.close()
            else:
                break
        yield raw


def _tries() -> Iterator[bool]:
    """As many as connections may have been lost, and whether each is the last."""
    yield from repeat(False, CONNECTIONS)
    yield True


@contextmanager
def _connection(pool: Pool) -> Iterator[Raw]:
    try:
        raw = pool.getconn()
    except psycopg.OperationalError as error:
        raise Unavailable("storage", "PostgreSQL does not answer", retry_after=WAIT_SECONDS) from error
    try:
        yield raw
    finally:
        if not raw.closed and raw.info.transaction_status is not TransactionStatus.IDLE:
            raw.rollback()
        pool.putconn(raw)


def configured(raw: Raw) -> None:
    """What every connection of the pool has."""
    raw.adapters.register_dumper(str, _WithoutNul)
    raw.adapters.register_loader("json", TextBinaryLoader)
    raw.execute(f"SET lock_timeout TO '{WAIT_SECONDS:.0f}s'")
    raw.execute("SET hnsw.iterative_scan TO relaxed_order")
    raw.execute("SET hnsw.ef_search TO 100")


class _WithoutNul(StrDumperUnknown):
    """PostgreSQL's text cannot hold the character NUL, nor its JSON name it: another stands in its place, so that
    nothing moves."""

    def dump(self, obj: str) -> Any:
        if "\x00" in obj:
            obj = obj.replace("\x00", "\ufffd")
        if "\\u0000" in obj and obj.startswith("{"):
            obj = _NUL.sub(r"\1\\ufffd", obj)
        return super().dump(obj)
