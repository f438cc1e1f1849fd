"""Opens a PostgreSQL database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NoReturn

import psycopg
from psycopg.conninfo import conninfo_to_dict

from pipeline.errors import Misconfigured, Refused
from pipeline.rules.tenancy import ALL, Reaches
from storage.database import Connection
from storage.engine import Engine
from storage.postgres.database import PostgresDatabase
from storage.postgres.session import Use
from storage.postgres.tables import PostgresTables
from storage.postgres.vectors import PgVectors


@asynccontextmanager
async def open_postgres(
    url: str, *, embedder: Callable[[], str], use: Use, reaches: Reaches = lambda _: ALL
) -> AsyncIterator[Engine]:
    """See `open_storage`."""
    _check(url)
    async with AsyncExitStack() as stack:
        database = await PostgresDatabase.open(url, use, reaches)
        stack.push_async_callback(database.close)
        name = await database.read(_named)
        yield Engine(
            name,
            database,
            PgVectors(database, embedder=embedder),
            _refuse,
            PostgresTables(),
            walled=database.passages.walled,
        )


def public_name(url: str) -> str:
    """The address without the password. Raises Misconfigured."""
    parts = {"host": "", "port": "", "dbname": "", "user": "", **_check(url)}
    where = f"{parts['host']}:{parts['port']}".rstrip(":")
    return f"postgresql://{parts['user']}@{where}/{parts['dbname']}".replace("//@", "//")


def _check(url: str) -> Mapping[str, object]:
    """The parts of an address. Raises Misconfigured, without what libpq says of it: that quotes the password."""
    wrong = Misconfigured(
        "CITEWELL_DATABASE",
        "is not the address of a database",
        what_to_do="Write it as postgresql://USER:PASSWORD@HOST:PORT/NAME, with %25 for %, %40 for @, %2F for / in a"
        " password, and parameters that libpq knows.",
    )
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise wrong from None
    port = str(parts.get("port", ""))
    if not port.replace(",", "0").isdecimal() and port:
        raise wrong
    return parts


def _named(db: Connection) -> str:
    (server,) = db.execute("SELECT current_setting('server_version')").fetchone()
    (vector,) = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    return f"PostgreSQL {server.split()[0]} with pgvector {vector}"


async def _refuse(target: Path | None) -> NoReturn:
    raise Refused(
        "what is kept is in PostgreSQL, which has its own backups",
        what_to_do="Use pg_dump: docs/operations/postgresql.md",
    )
