"""Opens a PostgreSQL database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NoReturn

import psycopg
from psycopg.conninfo import conninfo_to_dict

from pipeline.errors import Misconfigured, Refused
from storage.database import Connection
from storage.engine import Engine
from storage.postgres.database import PostgresDatabase
from storage.postgres.vectors import PgVectors


@asynccontextmanager
async def open_postgres(url: str, *, embedder: Callable[[], str], exclusive: bool) -> AsyncIterator[Engine]:
    """See `open_storage`."""
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise Misconfigured(
            "CITEWELL_DATABASE",
            f"is not the address of a database: {' '.join(str(error).split())}",
            what_to_do="Write it as postgresql://USER:PASSWORD@HOST:PORT/NAME.",
        ) from error
    async with AsyncExitStack() as stack:
        database = await PostgresDatabase.open(url, exclusive=exclusive)
        stack.push_async_callback(database.close)
        name = await database.read(_named)
        yield Engine(name, database, PgVectors(database, embedder=embedder), _refuse)


def _named(db: Connection) -> str:
    (server,) = db.execute("SELECT current_setting('server_version')").fetchone()
    (vector,) = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    return f"PostgreSQL {server.split()[0]} with pgvector {vector}"


async def _refuse(target: Path | None) -> NoReturn:
    raise Refused(
        "what is kept is in PostgreSQL, which has its own backups",
        what_to_do="Use pg_dump: docs/operations/postgresql.md",
    )
