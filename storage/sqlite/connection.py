"""SQLite's connection as `storage.database.Connection`, and its transactions."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

from pipeline.errors import Unavailable
from storage.database import AdvisoryLock

# --- Whether the SQLite of this Python can do what is asked of it ---------------------------------

MIN_SQLITE = (3, 38)
"""Least version of SQLite: FTS5 with its vocabulary tables, JSON, UPSERT and RETURNING; the oldest one tested is that
of Debian 12."""

SQLITE_VERSION = sqlite3.sqlite_version


def missing_sqlite_features() -> str:
    """Return the features that Python's SQLite lacks, in words; "" for none."""
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61')")
            db.execute("CREATE VIRTUAL TABLE term USING fts5vocab (words, row)")
            db.execute("SELECT value FROM json_each('[1]')")
    except sqlite3.OperationalError as error:
        return f"it lacks what search needs ({error})"
    return "" if sqlite3.sqlite_version_info >= MIN_SQLITE else f"it is older than {'.'.join(map(str, MIN_SQLITE))}"


# --- The connection -------------------------------------------------------------------------------

BUSY_SECONDS = 5.0
"""Seconds that a write waits for another process's before it gives up."""
LOCK_POLL_SECONDS = 0.001
"""Seconds between tries to lock. SQLite's own waiting sleeps up to 100 ms at a time and misses the gaps between another
process's batches."""
_NAMES = tuple(str(number) for number in range(1, 100))


class SQLiteConnection:
    """A connection of sqlite3. SQLite takes `$1` for a parameter named `1`."""

    skip_locked = for_update = ""  # who writes is alone
    lease_holder = 0

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw

    def advisory_lock(self, lock: AdvisoryLock) -> None:
        """Do nothing: every transaction that writes holds the lock of the database."""

    def execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self.raw.execute(statement, dict(zip(_NAMES, values, strict=False)))

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self.raw.executemany(statement, (dict(zip(_NAMES, row, strict=False)) for row in rows))


class SQLiteTransactions:
    """The transactions of the one writing connection."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self._raw = raw

    @contextmanager
    def begin(self, *, durable: bool) -> Iterator[SQLiteConnection]:
        """Begin a transaction. A durable one survives a power cut. Raises Unavailable when another process holds the
        lock."""
        self._raw.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        with immediate_transaction(self._raw):
            yield SQLiteConnection(self._raw)


@contextmanager
def immediate_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a transaction that holds the write lock from its beginning.

    Raises Unavailable when the lock cannot be had.
    """
    end = time.monotonic() + BUSY_SECONDS
    while not _begin(connection):
        if time.monotonic() > end:
            raise Unavailable("storage", "the database is locked by another process", retry_after=BUSY_SECONDS)
        time.sleep(LOCK_POLL_SECONDS)
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
