"""A PostgreSQL database shared by several processes: a `Database`.

The writes of a process follow one another and share commits, as in SQLite. Writes of several processes run side by
side, each in a transaction of its own that sees the others' commits before each statement.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakSet

import psycopg
import structlog
from psycopg_pool import ConnectionPool

from pipeline.errors import Unavailable
from pipeline.rules.tenancy import ALL_COLLECTIONS, VisibilityResolver, current_workspace
from storage.database import Connection, Leadership, TransactionFunction
from storage.postgres.connection import (
    POOL_SIZE,
    READ_ONLY_SESSION,
    WAIT_SECONDS,
    PostgresConnection,
    PostgresTransactions,
    configure_connection,
    cut_connection,
    missing_right_error,
    read_snapshot,
    translate_postgres_errors,
)
from storage.postgres.migrations import migrate
from storage.postgres.passages import TsvectorPassages
from storage.postgres.row_security import ROW_SECURITY_ACTIVE, WorkspaceBindings
from storage.postgres.session import (
    COUNT_LOCKS,
    DEAD_HOLDERS,
    DatabaseUse,
    PostgresSession,
    PsycopgConnection,
    begin_session,
)
from storage.schema.tables import TABLES
from storage.write_queue import WriteQueue

# --- What PostgreSQL's planner keeps of rows ------------------------------------------------------

ANALYZE_TABLES = (
    f"ANALYZE {', '.join((*(table.name for table in TABLES if table.name != 'unit_vectors'), 'words', 'term'))}"
)
"""Analyzes the tables with columns of text."""
ANALYZE_REST_FACTOR = 9
"""Multiple of the duration of an ANALYZE to rest before the next one: of a large database it takes seconds."""
RECONNECT_SECONDS = 5.0
"""Seconds until a server that does not answer is called again."""

log = structlog.get_logger(__name__)


class PlannerStatistics:
    """Statistics of PostgreSQL's planner, refreshed in the background after rows were erased."""

    def __init__(self, analyze: Callable[[], Awaitable[None]]) -> None:
        """`analyze` raises Unavailable."""
        self._analyze = analyze
        self._due = False
        self._refreshing: asyncio.Task[None] | None = None

    def refresh(self) -> None:
        """Refresh the statistics soon, so that no sample holds values of erased rows."""
        self._due = True
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._keep_up(), name="statistics")

    async def close(self) -> None:
        """Close once no sample holds erased values, or the server does not answer."""
        if self._refreshing:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        if self._due:
            with suppress(Unavailable):
                await self._analyze()

    async def _keep_up(self) -> None:
        while self._due:
            began, self._due = time.monotonic(), False
            try:
                await self._analyze()
            except asyncio.CancelledError:
                self._due = True
                raise
            except Unavailable as error:
                self._due = True
                log.warning("statistics_not_refreshed", reason=str(error))
                await asyncio.sleep(RECONNECT_SECONDS)
            await asyncio.sleep(ANALYZE_REST_FACTOR * (time.monotonic() - began))


# --- The database ---------------------------------------------------------------------------------

T = TypeVar("T")
SERVER_SILENCE_SECONDS = 4.0
"""Seconds that the server may be silent: less than half of the time after which others take over from a silent process.
"""
_CLOSED = """
    SELECT count(*), min(relname::text) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND EXISTS (
        SELECT 1 FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted
        WHERE NOT has_table_privilege(oid, wanted))
"""
"""Tables that the connected user may not read and write: their number, and the first of them."""
CONNECT_OPTIONS: dict[str, Any] = {"application_name": "citewell", "connect_timeout": 5, "tcp_user_timeout": 10_000}


class PostgresDatabase:
    """One writing thread with a connection of its own, and a few reading ones with connections of a pool.

    It writes only on a connection that holds the locks of its `use`. Work runs for the workspace bound by its caller,
    and touches rows of that one alone.
    """

    is_shared = True

    def __init__(
        self,
        url: str,
        use: DatabaseUse = DatabaseUse.SHARED,
        visible_to: VisibilityResolver = lambda _: ALL_COLLECTIONS,
    ) -> None:
        self.passage_index = TsvectorPassages()
        self._bindings = WorkspaceBindings(visible_to)
        self._url = url
        self._use = use
        self._lines: WeakSet[PsycopgConnection] = WeakSet()
        self._pool = ConnectionPool(
            url,
            connection_class=psycopg.Connection,
            kwargs={**CONNECT_OPTIONS, "autocommit": True, "cursor_factory": psycopg.RawCursor},
            configure=self._configure_reader,
            min_size=1,
            max_size=POOL_SIZE,
            timeout=WAIT_SECONDS,
            num_workers=1,
            open=False,
        )
        self._transactions = PostgresTransactions(self._connect)
        self._writes = WriteQueue()
        self._statistics = PlannerStatistics(lambda: self._run(self._reading, self._analyze_tables))
        self._writing = ThreadPoolExecutor(1, "citewell-write")
        self._reading = ThreadPoolExecutor(POOL_SIZE, "citewell-read")

    @classmethod
    async def open(
        cls, url: str, use: DatabaseUse = DatabaseUse.SHARED, visible_to: VisibilityResolver = lambda _: ALL_COLLECTIONS
    ) -> PostgresDatabase:
        """Connect, and create or migrate the database.

        Raises Unavailable, also when its user may not read and write all of it; Misconfigured when a newer program
        wrote it, pgvector is missing, or another process prevents that `use`.
        """
        database = cls(url, use, visible_to)
        try:
            await database._run(database._writing, database._open)
        except BaseException:
            await database.close()
            raise
        return database

    async def write(self, work: TransactionFunction[T], *, durable: bool = False) -> T:
        outcome = self._writes.submit(self._bind_workspace(work), durable=durable)
        self._writing.submit(self._writes.commit, self._transactions)
        with translate_postgres_errors():
            return await asyncio.wrap_future(outcome)

    async def read(self, work: TransactionFunction[T]) -> T:
        bound = self._bind_workspace(work)
        return await self._run(self._reading, lambda: read_snapshot(self._pool, bound, self._transactions.lease_holder))

    async def check_leadership(self) -> Leadership:
        """Return this process's role now.

        During a long write, the server is called on another connection; if it does not answer there either, all
        connections are cut.
        """
        holder = self._transactions.lease_holder
        election = asyncio.create_task(self._run(self._writing, self._transactions.check_leadership))
        election.add_done_callback(lambda task: task.cancelled() or task.exception())
        while not (await asyncio.wait({election}, timeout=1.0))[0]:
            if not await self._is_known(holder):
                for raw in tuple(self._lines):
                    cut_connection(raw)
                raise Unavailable("storage", "PostgreSQL does not answer")
        return await election

    def dead_holders(self, db: Connection) -> set[int]:
        """Return the holders whose lock is free."""
        return {holder for (holder,) in db.execute(DEAD_HOLDERS)}

    async def purge_deleted(self) -> bool:
        """Refresh the planner's statistics, which hold samples of deleted rows. PostgreSQL reuses deleted rows' space
        when it vacuums, which it does by itself."""
        self._statistics.refresh()
        return True

    async def close(self) -> None:
        await self._statistics.close()
        for executor in (self._reading, self._writing):
            await asyncio.to_thread(executor.shutdown)
        await asyncio.to_thread(self._transactions.close)
        await asyncio.to_thread(self._pool.close)

    async def _is_known(self, holder: int) -> bool:
        """Return True while the server still knows this process by that number."""
        with suppress(TimeoutError, Unavailable):
            async with asyncio.timeout(SERVER_SILENCE_SECONDS):
                (count,) = await self.read(lambda db: db.execute(COUNT_LOCKS, (holder,)).fetchone())
                return bool(count)
        return False

    def _bind_workspace(self, work: TransactionFunction[T]) -> TransactionFunction[T]:
        binding = self._bindings.for_workspace(current_workspace())

        def bound(db: Connection) -> T:
            assert isinstance(db, PostgresConnection)
            db.bind(binding)
            return work(db)

        return bound

    async def _run(self, executor: Executor, work: Callable[[], T]) -> T:
        with translate_postgres_errors():
            return await asyncio.get_running_loop().run_in_executor(executor, work)

    def _analyze_tables(self) -> None:
        with psycopg.Connection.connect(
            self._url, autocommit=True, cursor_factory=psycopg.RawCursor, **CONNECT_OPTIONS
        ) as raw:
            raw.execute(ANALYZE_TABLES)

    def _open(self) -> None:
        with psycopg.Connection.connect(self._url, cursor_factory=psycopg.RawCursor, **CONNECT_OPTIONS) as raw:
            migrate(raw)
            tables, first_table = raw.execute(_CLOSED).fetchone() or (0, "")
            if tables:
                raise missing_right_error(
                    f"it may not read and write {first_table}" + (f" and {tables - 1} more" if tables > 1 else "")
                )
            (self.passage_index.walled,) = raw.execute(ROW_SECURITY_ACTIVE).fetchone() or (False,)
        self._transactions.open()
        self._pool.open()

    def _connect(self) -> PostgresSession:
        raw = psycopg.Connection.connect(
            self._url, autocommit=True, cursor_factory=psycopg.RawCursor, **CONNECT_OPTIONS
        )
        self._configure(raw)
        try:
            return begin_session(raw, self._use)
        except BaseException:
            raw.close()
            raise

    def _configure(self, raw: PsycopgConnection) -> None:
        configure_connection(raw)
        self._lines.add(raw)

    def _configure_reader(self, raw: PsycopgConnection) -> None:
        self._configure(raw)
        raw.execute(READ_ONLY_SESSION)
