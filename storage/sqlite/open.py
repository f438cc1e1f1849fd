"""Opens the embedded engine in the data folder, and its `Tables`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from storage.database import Connection
from storage.engine import Engine
from storage.folder import DATABASE, Lock, in_use, prepare
from storage.schema.table import StoredTable
from storage.sqlite.backup import destination, drop_old
from storage.sqlite.connection import VERSION
from storage.sqlite.copies import Backups
from storage.sqlite.database import SQLiteDatabase
from storage.sqlite.vector_index import VectorIndex

_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1"
_NUMBERED = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"


class SQLiteTables:
    def fill(self, db: Connection, table: StoredTable, rows: Sequence[Sequence[Any]]) -> None:
        triggers = db.execute(_TRIGGERS, (table.name,)).fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        columns = ", ".join(f'"{column}"' for column in table.names)
        places = ", ".join(f"${number}" for number in range(1, len(table.names) + 1))
        db.executemany(f"INSERT INTO {table.name} ({columns}) VALUES ({places})", rows)  # noqa: S608 - our own names
        for _, statement in triggers:
            db.execute(statement)

    def clear(self, db: Connection, names: Sequence[str]) -> None:
        for name in (*names, "words", "mean_vector"):
            db.execute(f"DELETE FROM {name}")  # noqa: S608 - our own names

    def numbered(self, db: Connection) -> dict[str, int]:
        return dict(db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())

    def number_on(self, db: Connection, last: Mapping[str, int]) -> None:
        there = self.numbered(db)
        for (name,) in db.execute(_NUMBERED).fetchall():
            db.execute("DELETE FROM sqlite_sequence WHERE name = $1", (name,))
            number = max(last.get(name, 0), there.get(name, 0))
            db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", (name, number))

    def stored(self, value: Any) -> Any:
        return value


KEEP_BACKUPS = 14
KEEP_BACKUP_DAYS = 30.0


@asynccontextmanager
async def open_sqlite(
    folder: Path, *, embedder: Callable[[], str], chroma_url: str | None, exclusive: bool, make: bool
) -> AsyncIterator[Engine]:
    """See `open_storage`."""
    async with AsyncExitStack() as stack:
        prepare(folder, make=make, inside="backups")
        if exclusive:
            lock = Lock(folder / "run.lock")
            if not lock.acquire():
                raise in_use(folder)
            stack.callback(lock.release)
        database = await SQLiteDatabase.open(folder / DATABASE)
        stack.push_async_callback(database.close)
        vectors = VectorIndex(database, embedder=embedder, url=chroma_url)
        stack.push_async_callback(vectors.close)

        async def back_up(target: Path | None) -> Path:
            file = destination(target or folder / "backups", folder / DATABASE)
            await database.back_up(file)
            if target is None:
                drop_old(file.parent, keep=KEEP_BACKUPS, days=KEEP_BACKUP_DAYS)
            return file

        yield Engine(f"SQLite {VERSION}", database, vectors, back_up, SQLiteTables(), Backups(folder / "backups"))
