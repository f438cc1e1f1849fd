"""Copy all stored data from one database into an empty one, of the same engine or the other.

Rows are copied in the order of their keys. The number of rows in the target therefore tells how far a copy that was cut
off had come; the next run goes on behind them. Words and mean vectors are made anew with the passages.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.errors import Misconfigured, Refused
from pipeline.values import Chunk, Document
from storage.database import Connection, Database, fetch_value
from storage.documents.cleanup import delete_unreachable
from storage.documents.revision import make_indexed_passage, unpack_vectors
from storage.engine import DERIVED_TABLES, Engine
from storage.people.personal_data import PersonalData
from storage.schema.table import StoredTable
from storage.schema.tables import TABLES
from storage.settings import read_setting, write_setting
from storage.sqlite.open import open_sqlite

# --- The two ends of a move: `sqlite:FOLDER`, or the address of a PostgreSQL database -------------

SQLITE_SCHEME = "sqlite:"


class MigrationEndpoint(NamedTuple):
    name: str
    """The database's name for messages, without a password."""
    engine: Engine


def endpoint_name(place: str) -> str:
    """Return the name of an endpoint, always the same for the same place and without a password. Raises Refused and
    Misconfigured for a text that names no database."""
    if place.startswith(SQLITE_SCHEME) and place != SQLITE_SCHEME:
        return f"{SQLITE_SCHEME}{_folder(place)}"
    if place.startswith(("postgresql://", "postgres://")):
        from storage.postgres.open import url_without_password

        return url_without_password(place)
    raise Refused("that names no database", what_to_do="Write it as sqlite:FOLDER or postgresql://…")


@asynccontextmanager
async def open_endpoint(place: str, *, embedder: Callable[[], str], make: bool) -> AsyncIterator[MigrationEndpoint]:
    """Open an endpoint and hold it, so that no `citewell run` uses it meanwhile. With `make`, a missing folder is
    created.

    Raises what `open_storage` does, and Refused.
    """
    name = endpoint_name(place)
    if place.startswith(SQLITE_SCHEME):
        folder = _folder(place)
        opening = open_sqlite(folder, embedder=embedder, chroma_url=None, exclusive=True, make=make)
    else:
        from storage.postgres.open import open_postgres
        from storage.postgres.session import DatabaseUse

        opening = open_postgres(place, embedder=embedder, use=DatabaseUse.EXCLUSIVE)
    async with opening as engine:
        yield MigrationEndpoint(name, engine)


def _folder(place: str) -> Path:
    return Path(place.removeprefix(SQLITE_SCHEME)).expanduser().resolve()


# --- Questions to compare two databases by --------------------------------------------------------

SAMPLE_WORDS = 12
_ASKED = "SELECT question FROM asked GROUP BY question ORDER BY max(at) DESC, question LIMIT $1"
# A passage's number without its last 20 bits is its revision: see `storage.schema.documents`.
_NUMBERS = "SELECT number FROM chunk JOIN live ON live.id = number >> 20 ORDER BY number"


async def sample_questions(database: Database, limit: int) -> list[str]:
    """Return at most `limit` different questions to compare two databases by: recent ones, then beginnings of
    passages."""

    def work(db: Connection) -> list[str]:
        questions = [question for (question,) in db.execute(_ASKED, (limit,)).fetchall()]
        numbers = [number for (number,) in db.execute(_NUMBERS).fetchall()]
        missing = limit - len(questions)
        spread = numbers[:: max(len(numbers) // missing, 1)][:missing] if missing else []
        return list(dict.fromkeys([*questions, *(_beginning(db, number) for number in spread)]))

    return await database.read(work)


def _beginning(db: Connection, number: int) -> str:
    body = fetch_value(db, "SELECT body FROM chunk WHERE number = $1", (number,))
    chunk = Chunk.model_validate_json(body)
    return " ".join([*chunk.heading[-1:], *chunk.text.split()[:SAMPLE_WORDS]])


# --- The move -------------------------------------------------------------------------------------

COPY_BATCH = 500
COPY_MARK = "moving_from"
"""The setting that marks a database as the unfinished target of a copy."""
CHUNK_TABLE = "chunk"
_INDEXED = """
    WITH found AS MATERIALIZED (
        SELECT number, number >> 20 AS revision, body FROM chunk WHERE number BETWEEN $1 AND $2)
    SELECT number, revision.collection, dimensions, revision.body, found.body, matrix
    FROM found JOIN revision ON revision.id = found.revision LEFT JOIN unit_vectors USING (number) ORDER BY number
"""

ReportTable = Callable[[str, int], None]
"""Called with each table that is complete and its number of rows.
"""
TableRow = Sequence[Any]


async def copy_data(source: Engine, target: Engine, name: str, report: ReportTable) -> None:
    """Copy all that `source` holds into `target`, which is empty or holds an unfinished copy of the source called
    `name`.

    The target stays unusable until `finish_copy`. Nobody may write to either meanwhile. Raises Refused when the target
    holds anything else, or differs from the source afterwards.
    """
    if await source.database.read(_mark):
        raise Refused(
            "the source is itself the target of a move that is not complete", what_to_do="Complete that move first."
        )
    await PersonalData(source.database, source.backup_erasure).finish_pending()
    await delete_unreachable(source.database)
    begun_before = await target.database.write(partial(_begin, target=target, name=name))
    await _copy_all(source, target, report)
    differing = await _differing(source, target)
    if differing and begun_before:  # the source was used in between
        await target.database.write(partial(_clear, target=target, name=name))
        await _copy_all(source, target, report)
        differing = await _differing(source, target)
    if differing:
        raise Refused(
            f"not the same in both: {', '.join(differing)}",
            what_to_do="Stop whatever writes to the source, such as citewell index, and give the same command again.",
        )


async def finish_copy(source: Engine, target: Engine) -> None:
    """Mark the copy as complete: `target` may be used from now on."""
    last_ids = await source.database.read(source.table_copier.last_ids)

    def work(db: Connection) -> None:
        target.table_copier.continue_ids(db, last_ids)
        db.execute("DELETE FROM setting WHERE name = $1", (COPY_MARK,))

    await target.database.write(work, durable=True)


def check_copy_complete(db: Connection) -> None:
    """Raise Misconfigured for a database that holds an unfinished copy."""
    if name := _mark(db):
        raise Misconfigured(
            "CITEWELL_DATABASE or CITEWELL_DATA",
            f"what is moved here from {name} is not complete",
            what_to_do="Give the same citewell migrate again: it goes on where it was cut off.",
        )


def _begin(db: Connection, *, target: Engine, name: str) -> bool:
    """Mark the target as being filled. Return True when an earlier copy had begun."""
    mark = _mark(db)
    if mark == name:
        return True
    if mark:
        raise Refused(
            f"the target holds an incomplete copy of {mark}",
            what_to_do=f"Complete that move, or empty it to move {name}.",
        )
    used = [table.name for table in TABLES if table.name != "setting" and _count(db, table.name)]
    if used:
        raise Refused(
            f"the target is not empty: it has rows in {', '.join(used)}",
            what_to_do="Name a new folder or an empty database.",
        )
    _clear(db, target=target, name=name)
    return False


def _clear(db: Connection, *, target: Engine, name: str) -> None:
    target.table_copier.delete_rows(db, [table.name for table in reversed(TABLES)])
    write_setting(db, COPY_MARK, name)


async def _copy_all(source: Engine, target: Engine, report: ReportTable) -> None:
    for table in TABLES:
        copied = await target.database.read(partial(_count, table=table.name))
        async for rows in _batches(source, table, copied):
            await target.database.write(partial(_write, target=target, table=table, rows=rows))
            copied += len(rows)
        if table.name == CHUNK_TABLE:
            await target.database.write(target.database.passage_index.finish_bulk)
        report(table.name, copied)


def _write(db: Connection, *, target: Engine, table: StoredTable, rows: Sequence[TableRow]) -> None:
    target.table_copier.insert_rows(db, table, rows)
    if table.name == CHUNK_TABLE:
        numbers = [row[table.column_names.index("number")] for row in rows]
        passages = db.execute(_INDEXED, (numbers[0], numbers[-1])).fetchall()
        target.database.passage_index.bulk_add(
            db,
            [
                make_indexed_passage(
                    number,
                    collection,
                    Document.model_validate_json(document),
                    Chunk.model_validate_json(chunk),
                    unpack_vectors(matrix, dimensions) if matrix else None,
                )
                for number, collection, dimensions, document, chunk, matrix in passages
            ],
        )


async def _batches(engine: Engine, table: StoredTable, skip: int = 0) -> AsyncIterator[list[TableRow]]:
    """Yield all rows but the first `skip`, in the order of their keys."""
    columns, key = (", ".join(f'"{name}"' for name in names) for names in (table.column_names, table.key_names))
    places = ", ".join(f"${number}" for number in range(1, len(table.key_names) + 1))
    select = f"SELECT {columns} FROM {_rows(table.name)}"  # noqa: S608 - our own names
    ordered = f"ORDER BY {key} LIMIT {COPY_BATCH}"
    statement, values = f"{select} {ordered} OFFSET $1", [skip]
    while rows := await engine.database.read(lambda db: db.execute(statement, values).fetchall()):  # noqa: B023
        yield rows
        statement = f"{select} WHERE ({key}) > ({places}) {ordered}"
        values = [rows[-1][table.column_names.index(name)] for name in table.key_names]


async def _differing(source: Engine, target: Engine) -> list[str]:
    """Return the names of the tables that differ, compared by the count and the digest of their rows.

    Derived tables, which each engine makes in its own way, are compared by the count alone.
    """
    differing = [
        table.name for table in TABLES if await _digest(source, table, target) != await _digest(target, table, target)
    ]
    counted = {
        name: [await engine.database.read(partial(_count, table=name)) for engine in (source, target)]
        for name in sorted(DERIVED_TABLES - {"term"})
    }
    return differing + [name for name, (source_count, target_count) in counted.items() if source_count != target_count]


async def _digest(engine: Engine, table: StoredTable, stored_in: Engine) -> tuple[int, int]:
    """Return the number of rows and the sum of their digests, which does not depend on the order of rows."""
    count = total = 0
    async for rows in _batches(engine, table):
        for row in rows:
            values = [
                int(value) if isinstance(value, bool) else stored_in.table_copier.stored_value(value) for value in row
            ]
            total += int.from_bytes(sha256(repr(values).encode()).digest())
        count += len(rows)
    return count, total % (1 << 256)


def _count(db: Connection, table: str) -> int:
    return int(fetch_value(db, f"SELECT count(*) FROM {_rows(table)}"))  # noqa: S608 - our own names


def _rows(table: str) -> str:
    """Return the FROM clause for a table, without the mark of an unfinished copy, which is not copied."""
    return f"(SELECT * FROM setting WHERE name <> '{COPY_MARK}') AS kept" if table == "setting" else table  # noqa: S608


def _mark(db: Connection) -> str:
    return read_setting(db, COPY_MARK) or ""
