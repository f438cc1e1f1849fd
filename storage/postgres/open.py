"""Opens a PostgreSQL database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NoReturn

import psycopg
from psycopg.conninfo import conninfo_to_dict

from pipeline.errors import Misconfigured, Refused
from storage.database import Connection
from storage.engine import Engine
from storage.postgres.database import CONNECT, PostgresDatabase
from storage.postgres.errors import translated
from storage.postgres.vectors import PgVectors

ALONE = 0x616C6F6E65  # "alone"


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
        database = await PostgresDatabase.open(url)
        stack.push_async_callback(database.close)
        if exclusive:
            stack.push_async_callback(asyncio.to_thread, (await asyncio.to_thread(_held, url)).close)
        name = await database.read(_named)
        yield Engine(name, database, PgVectors(database, embedder=embedder), _refuse)


def _named(db: Connection) -> str:
    (server,) = db.execute("SELECT current_setting('server_version')").fetchone()
    (vector,) = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    return f"PostgreSQL {server.split()[0]} with pgvector {vector}"


def _held(url: str) -> psycopg.Connection:
    """A connection that holds what only one process may: the server lets go of it when that ends, however it ends."""
    with translated():
        raw = psycopg.connect(url, autocommit=True, **CONNECT)
        (held,) = raw.execute("SELECT pg_try_advisory_lock(%s)", (ALONE,)).fetchone() or (False,)
    if not held:
        raw.close()
        raise Misconfigured(
            "CITEWELL_DATABASE",
            "another `citewell run` uses this database",
            what_to_do="Stop it, or give this one a database of its own.",
        )
    return raw


async def _refuse(target: Path | None) -> NoReturn:
    raise Refused(
        "what is kept is in PostgreSQL, which has its own backups",
        what_to_do="Use pg_dump: docs/operations/postgresql.md",
    )
