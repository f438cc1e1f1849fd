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
"""What to do where it cannot write, by SQLSTATE: disk full, I/O error, read-only transaction."""
_DENIED, _WALL = "42501", "ExecWithCheckOptions"
"""The SQLSTATE of what a user may not do, and the server's function that raises it for a row behind the wall of
`tenancy.py`: only that function's name, of all that the server says, tells the two apart in any language."""
_BUGS = (psycopg.IntegrityError, psycopg.ProgrammingError, psycopg.DataError, psycopg.NotSupportedError)


@contextmanager
def translate_postgres_errors() -> Iterator[None]:
    """psycopg's errors become Unavailable; broken constraints, wrong SQL and what the wall between workspaces stops are
    bugs and stay what they are."""
    try:
        yield
    except psycopg.Error as error:
        if isinstance(error, _BUGS) and not _is_denial(error):
            raise
        raise unavailable_error(error) from error


def unavailable_error(error: psycopg.Error) -> Unavailable:
    said = " ".join((error.diag.message_primary or str(error)).split())
    if what_to_do := _UNWRITTEN.get(error.sqlstate or ""):
        return Unavailable("storage", f"PostgreSQL cannot write: {said}", what_to_do=what_to_do)
    if _is_denial(error):
        return missing_right_error(said)
    return Unavailable(
        "storage",
        f"PostgreSQL cannot be used: {said}",
        what_to_do="See that it runs and that CITEWELL_DATABASE names it.",
    )


def missing_right_error(what: str) -> Unavailable:
    """What is raised where the user that is connected lacks a right."""
    return Unavailable(
        "storage",
        f"PostgreSQL does not let its user do that: {what}",
        what_to_do="Let the user in CITEWELL_DATABASE own the database and all that is in it, with every right.",
    )


def _is_denial(error: psycopg.Error) -> bool:
    return error.sqlstate == _DENIED and error.diag.source_function != _WALL


# --- The connection -------------------------------------------------------------------------------

T = TypeVar("T")
Pool = ConnectionPool[PsycopgConnection]

POOL_SIZE = 3
WAIT_SECONDS = 5.0
"""How long a connection is waited for, and a lock that another process holds."""
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
"""What a connection of the pool has: each of its transactions is a `snapshot`."""


class PostgresConnection:
    """PostgreSQL takes `$1` for its first parameter; psycopg passes statements on as they are."""

    def __init__(self, raw: PsycopgConnection, holder: int = 0, *, reading: bool = False) -> None:
        self.raw = raw
        self.lease_holder = holder
        self.skip_locked = "" if reading else "FOR UPDATE SKIP LOCKED"
        self.for_update = "" if reading else "FOR UPDATE"
        self._alone: set[AdvisoryLock] = set()
        self._binding: WorkspaceBinding | None = None

    def advisory_lock(self, what: AdvisoryLock) -> None:
        if what not in self._alone:
            self.execute("SELECT pg_advisory_xact_lock($1)", (int.from_bytes(what.encode()[:8]),))
            self._alone.add(what)

    def bind(self, binding: WorkspaceBinding) -> None:
        """What follows in this transaction is done for that workspace."""
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

        For the operator alone: no policy is asked, as PostgreSQL copies into no table that has one."""
        named = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        self.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        with self.raw.cursor() as cursor, cursor.copy(named) as copy:
            for row in rows:
                copy.write_row(row)
        self.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


class PostgresTransactions:
    """Those of one process, one after the other, on the connection that `connect` makes."""

    def __init__(self, connect: Callable[[], PostgresSession]) -> None:
        self._connect = connect
        self._session: PostgresSession | None = None

    @property
    def lease_holder(self) -> int:
        """As the last transaction had it."""
        return self._session.lease_holder if self._session else 0

    @contextmanager
    def begin(self, *, durable: bool) -> Iterator[PostgresConnection]:
        """Durable: it survives a crash of the server. Raises Unavailable when none can be begun, or when it is not
        known whether it was committed."""
        session = self._begun(BEGIN_DURABLE if durable else BEGIN_ASYNC)
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
        """Raises psycopg.Error, and what `connect` does."""
        self._session = self._connect()

    def check_leadership(self) -> Leadership:
        """See `Database`."""
        session = self._begun(BEGIN_ASYNC)
        try:
            session.try_lead()
            session.raw.execute("COMMIT")
        except psycopg.OperationalError as error:
            raise unavailable_error(error) from error
        return Leadership(session.lease_holder, session.is_leader)

    def close(self) -> None:
        """The server lets go of what a connection holds some time after that is closed: it is told to, before."""
        if self._session:
            with suppress(psycopg.Error):
                self._session.raw.execute("SELECT pg_advisory_unlock_all()")
            self._session.raw.close()

    def _begun(self, begin: str) -> PostgresSession:
        """A connection that was lost while nothing used it is replaced: nothing was done on it yet."""
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
    """What `work` finds in the one transaction that a pipeline is; what does not need an answer is sent with the next.

    Done again on another connection when this one was lost, as it may be while nothing uses it."""
    for last in _tries():
        with _connection(pool) as raw:
            try:
                with raw.pipeline():
                    found = work(PostgresConnection(raw, holder, reading=True))
            except psycopg.OperationalError:
                if last or not raw.closed:
                    raise
            else:
                return found
    raise AssertionError


def _tries() -> Iterator[bool]:
    """As many as connections may have been lost, and whether each is the last."""
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
    """End a connection that another thread waits on: it is told at once that it was lost."""
    with suppress(psycopg.OperationalError, OSError), socket.socket(fileno=os.dup(raw.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


def configure_connection(raw: PsycopgConnection) -> None:
    """What every connection has. A client that vanished is noticed after a minute, and its locks with it: without a
    limit for what it was sent, that would take a quarter of an hour where an answer was on its way."""
    raw.adapters.register_dumper(str, _WithoutNul)
    raw.adapters.register_loader("json", TextBinaryLoader)
    for name, value in SESSION_SETTINGS.items():
        raw.execute(f"SET {name} TO {value}")


class _WithoutNul(StrDumperUnknown):
    """PostgreSQL's text cannot hold the character NUL, nor its JSON name it: another stands in its place, so that
    nothing moves."""

    def dump(self, obj: str) -> Any:
        return super().dump(strip_nul(obj))


def strip_nul(text: str) -> str:
    """`text` as it is stored."""
    text = text.replace("\x00", "\ufffd")
    return _NUL.sub(r"\1\\ufffd", text) if "\\u0000" in text and text.startswith("{") else text
