"""Opens a PostgreSQL database; its `TableCopier`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NoReturn

import psycopg
from psycopg.conninfo import conninfo_to_dict

from pipeline.errors import Misconfigured, Refused
from pipeline.rules.tenancy import ALL_COLLECTIONS, VisibilityResolver
from storage.database import Connection
from storage.engine import DERIVED_TABLES, Engine
from storage.postgres.connection import PostgresConnection, strip_nul
from storage.postgres.database import PostgresDatabase
from storage.postgres.session import DatabaseUse
from storage.postgres.vectors import PgVectors
from storage.schema.table import StoredTable

_OURS = "relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'migration'"
_NUMBERED = f"""
    SELECT relname::text, attname::text, pg_get_serial_sequence(relname, attname) AS sequence
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE attidentity <> '' AND {_OURS}
"""  # noqa: S608 - as above


class PostgresTableCopier:
    def insert_rows(self, db: Connection, table: StoredTable, rows: Sequence[Sequence[Any]]) -> None:
        assert isinstance(db, PostgresConnection)
        db.execute(f"ALTER TABLE {table.name} DISABLE TRIGGER USER")
        db.copy(table.name, table.column_names, rows)
        db.execute(f"ALTER TABLE {table.name} ENABLE TRIGGER USER")

    def delete_rows(self, db: Connection, names: Sequence[str]) -> None:
        db.execute(f"TRUNCATE {', '.join((*names, *sorted(DERIVED_TABLES)))}")

    def last_ids(self, db: Connection) -> dict[str, int]:
        query = (
            f"SELECT relname, coalesce(pg_sequence_last_value(sequence::regclass), 0) FROM ({_NUMBERED}) AS numbered"  # noqa: S608
        )
        return dict(db.execute(query).fetchall())

    def continue_ids(self, db: Connection, last: Mapping[str, int]) -> None:
        for table, column, sequence in db.execute(_NUMBERED).fetchall():
            (highest,) = db.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").fetchone()  # noqa: S608
            if number := max(highest, last.get(table, 0)):
                db.execute("SELECT setval($1::regclass, $2)", (sequence, number))

    def stored_value(self, value: Any) -> Any:
        return strip_nul(value) if isinstance(value, str) else value


@asynccontextmanager
async def open_postgres(
    url: str,
    *,
    embedder: Callable[[], str],
    use: DatabaseUse,
    visible_to: VisibilityResolver = lambda _: ALL_COLLECTIONS,
) -> AsyncIterator[Engine]:
    """Open a PostgreSQL database as an `Engine`. See `open_storage`."""
    _parse_address(url)
    async with AsyncExitStack() as stack:
        database = await PostgresDatabase.open(url, use, visible_to)
        stack.push_async_callback(database.close)
        name = await database.read(_engine_name)
        yield Engine(
            name,
            database,
            PgVectors(database, embedder=embedder),
            _refuse,
            PostgresTableCopier(),
            has_row_security=database.passage_index.walled,
        )


def url_without_password(url: str) -> str:
    """Return the address without its password. Raises Misconfigured."""
    parts = {"host": "", "port": "", "dbname": "", "user": "", **_parse_address(url)}
    where = f"{parts['host']}:{parts['port']}".rstrip(":")
    return f"postgresql://{parts['user']}@{where}/{parts['dbname']}".replace("//@", "//")


def _parse_address(url: str) -> Mapping[str, object]:
    """Return the parts of an address. Raises Misconfigured, without libpq's own message: that quotes the password."""
    invalid = Misconfigured(
        "CITEWELL_DATABASE",
        "is not the address of a database",
        what_to_do="Write it as postgresql://USER:PASSWORD@HOST:PORT/NAME, with %25 for %, %40 for @, %2F for / in a"
        " password, and parameters that libpq knows.",
    )
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise invalid from None
    port = str(parts.get("port", ""))
    if not port.replace(",", "0").isdecimal() and port:
        raise invalid
    return parts


def _engine_name(db: Connection) -> str:
    (server,) = db.execute("SELECT current_setting('server_version')").fetchone()
    (vector,) = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    return f"PostgreSQL {server.split()[0]} with pgvector {vector}"


async def _refuse(target: Path | None) -> NoReturn:
    raise Refused(
        "what is kept is in PostgreSQL, which has its own backups",
        what_to_do="Use pg_dump: docs/operations/postgresql.md",
    )
