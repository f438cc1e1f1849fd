"""PostgreSQL's connection as `storage.database.Connection`, and its transactions."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import repeat
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.types.string import StrDumperUnknown, TextBinaryLoader
from psycopg_pool import ConnectionPool

from pipeline.errors import Misconfigured, Unavailable
from storage.database import AdvisoryLock, Leadership, TransactionFunction
from storage.postgres.row_security import SET_WORKSPACE, WorkspaceBinding
from storage.postgres.session import PostgresSession, PsycopgConnection

# --- What is said when PostgreSQL cannot be used --------------------------------------------------

_FULL = "Free some space where PostgreSQL keeps its data."
_UNWRITTEN = {
    "53100": _FULL,
    "58030": _FULL,
    "25006": "Name the server that is written to, not a standby, and see that neither the database nor its user has "
    "default_transaction_read_only.",
}
"""Remedies for failed writes, by SQLSTATE: disk full, I/O error, read-only transaction."""
_DENIED, _WALL = "42501", "ExecWithCheckOptions"
"""The SQLSTATE of a missing right, and the server's function that raises it for a row hidden by a policy of
`row_security`.

Only that function's name, of all that the server reports, tells the two apart in any language.
"""
_BUGS = (psycopg.IntegrityError, psycopg.ProgrammingError, psycopg.DataError, psycopg.NotSupportedError)


@contextmanager
def translate_postgres_errors() -> Iterator[None]:
    """Raise psycopg's errors as Unavailable.

    Broken constraints, wrong SQL and writes stopped by row-level security are bugs and stay what they are.
    """
    try:
        yield
    except psycopg.Error as error:
        if isinstance(error, _BUGS) and not _is_denial(error):
            raise
        raise unavailable_error(error) from error


def unavailable_error(error: psycopg.Error) -> Unavailable:
    message = " ".join((error.diag.message_primary or str(error)).split())
    if what_to_do := _UNWRITTEN.get(error.sqlstate or ""):
        return Unavailable("storage", f"PostgreSQL cannot write: {message}", what_to_do=what_to_do)
    if _is_denial(error):
        return missing_right_error(message)
    return Unavailable(
        "storage",
        f"PostgreSQL cannot be used: {message}",
        what_to_do="See that it runs and that CITEWELL_DATABASE names it.",
    )


def missing_right_error(reason: str) -> Unavailable:
    """Return the error raised when the connected user lacks a right."""
    return Unavailable(
        "storage",
        f"PostgreSQL does not let its user do that: {reason}",
        what_to_do="Let the user in CITEWELL_DATABASE own the database and all that is in it, with every right.",
    )


def _is_denial(error: psycopg.Error) -> bool:
    return error.sqlstate == _DENIED and error.diag.source_function != _WALL


# --- The connection -------------------------------------------------------------------------------

T = TypeVar("T")
Pool = ConnectionPool[PsycopgConnection]

POOL_SIZE = 3
WAIT_SECONDS = 5.0
"""Seconds to wait for a connection, and for a lock that another process holds."""
SESSION_SETTINGS = {
    "lock_timeout": f"'{WAIT_SECONDS:.0f}s'",
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.ef_search": "100",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "'60s'",
}
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
BEGIN_DURABLE = "BEGIN"
BEGIN_ASYNC = "BEGIN; SET LOCAL synchronous_commit TO off"
READ_ONLY_SESSION = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
"""The mode of the pool's connections: each of their transactions is a snapshot."""


class PostgresConnection:
    """A connection of psycopg. PostgreSQL takes `$1` for its first parameter; psycopg passes statements on

    unchanged.
    """

    def __init__(self, raw: PsycopgConnection, holder: int = 0, *, reading: bool = False) -> None:
        self.raw = raw
        self.lease_holder = holder
        self.skip_locked = "" if reading else "FOR UPDATE SKIP LOCKED"
        self.for_update = "" if reading else "FOR UPDATE"
        self._locked: set[AdvisoryLock] = set()
        self._binding: WorkspaceBinding | None = None

    def advisory_lock(self, lock: AdvisoryLock) -> None:
        if lock not in self._locked:
            # PostgreSQL knows these locks by 64-bit numbers: the first eight letters of the name are one
            self.execute("SELECT pg_advisory_xact_lock($1)", (int.from_bytes(lock.encode()[:8]),))
            self._locked.add(lock)

    def bind(self, binding: WorkspaceBinding) -> None:
        """Bind the rest of this transaction to a workspace."""
        if binding != self._binding:
            self.execute(SET_WORKSPACE, binding)
            self._binding = binding

    def execute(self, statement: str, values: Sequence[object] = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        return self.raw.execute(statement, values, binary=True)

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self.raw.cursor() as cursor:
            cursor.executemany(statement, rows)

    def copy(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Insert rows without a statement each. A value may be of any type whose text the column reads.

        For the operator alone: no policy is applied, as PostgreSQL copies into no table that has one.
        """
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        self.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        with self.raw.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
        self.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


class PostgresTransactions:
    """The write transactions of one process, one after the other, on the connection that `connect` makes."""

    def __init__(self, connect: Callable[[], PostgresSession]) -> None:
        self._connect = connect
        self._session: PostgresSession | None = None

    @property
    def lease_holder(self) -> int:
        """The lease holder of the last transaction."""
        return self._session.lease_holder if self._session else 0

    @contextmanager
    def begin(self, *, durable: bool) -> Iterator[PostgresConnection]:
        """Begin a transaction. A durable one survives a crash of the server.

        Raises Unavailable when none can be begun, or when it is not known whether it was committed.
        """
        session = self._begin_session(BEGIN_DURABLE if durable else BEGIN_ASYNC)
        raw = session.raw
        try:
            yield PostgresConnection(raw, session.lease_holder)
            try:
                raw.execute("COMMIT")
            except psycopg.OperationalError as error:
                raise Unavailable("storage", "the connection to PostgreSQL was lost during a commit") from error
        finally:
            if not raw.closed and raw.info.transaction_status is not TransactionStatus.IDLE:
                raw.rollback()

    def open(self) -> None:
        """Connect. Raises psycopg.Error, and what `connect` does."""
        self._session = self._connect()

    def check_leadership(self) -> Leadership:
        session = self._begin_session(BEGIN_ASYNC)
        try:
            session.try_lead()
            session.raw.execute("COMMIT")
        except psycopg.OperationalError as error:
            raise unavailable_error(error) from error
        return Leadership(session.lease_holder, session.is_leader)

    def close(self) -> None:
        """Close the connection. Locks are released first: the server releases those of a closed connection only some
        time later."""
        if self._session:
            with suppress(psycopg.Error):
                self._session.raw.execute("SELECT pg_advisory_unlock_all()")
            self._session.raw.close()

    def _begin_session(self, begin: str) -> PostgresSession:
        """Begin a transaction. A connection lost while it was idle is replaced: nothing was done on it yet."""
        if self._session and not self._session.raw.closed:
            with suppress(psycopg.OperationalError):
                self._session.raw.execute(begin)
                return self._session
        self.close()
        try:
            self._session = self._connect()
            self._session.raw.execute(begin)
        except psycopg.OperationalError as error:
            raise unavailable_error(error) from error
        except Misconfigured as error:
            raise Unavailable("storage", str(error), what_to_do=error.what_to_do) from error
        return self._session


def read_snapshot(pool: Pool, work: TransactionFunction[T], holder: int) -> T:
    """Return the result of `work` in the one transaction that a pipeline is. A statement without a result is sent with
    the next.

    Runs again on another connection when this one was lost, as may happen while it is idle.
    """
    for last in _yield_tries():
        with _connection(pool) as raw:
            try:
                with raw.pipeline():
                    result = work(PostgresConnection(raw, holder, reading=True))
            except psycopg.OperationalError:
                if last or not raw.closed:
                    raise
            else:
                return result
    raise AssertionError


def _yield_tries() -> Iterator[bool]:
    """Yield for each try whether it is the last: one try more than connections may have been lost."""
    yield from repeat(False, POOL_SIZE)
    yield True


@contextmanager
def _connection(pool: Pool) -> Iterator[PsycopgConnection]:
    try:
        raw = pool.getconn()
    except psycopg.OperationalError as error:
        raise Unavailable("storage", "PostgreSQL does not answer", retry_after=WAIT_SECONDS) from error
    try:
        yield raw
    finally:
        pool.putconn(raw)


def cut_connection(raw: PsycopgConnection) -> None:
    """Cut a connection that another thread waits on: that thread sees at once that it is lost."""
    with suppress(psycopg.OperationalError, OSError), socket.socket(fileno=os.dup(raw.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


def configure_connection(raw: PsycopgConnection) -> None:
    """Set up a new connection. A client that vanished is noticed after a minute, and its locks are released.

    Without a limit for unacknowledged data, that would take a quarter of an hour when a reply was on its way.
    """
    raw.adapters.register_dumper(str, _WithoutNul)
    raw.adapters.register_loader("json", TextBinaryLoader)
    for name, value in SESSION_SETTINGS.items():
        raw.execute(f"SET {name} TO {value}")


class _WithoutNul(StrDumperUnknown):
    """Replaces NUL, which PostgreSQL's text cannot hold nor its JSON name, by another character, so that no position
    moves."""

    def dump(self, obj: str) -> Any:
        return super().dump(strip_nul(obj))


def strip_nul(text: str) -> str:
    """Return `text` as it is stored."""
    text = text.replace("\x00", "\ufffd")
    return _NUL.sub(r"\1\\ufffd", text) if "\\u0000" in text and text.startswith("{") else text
