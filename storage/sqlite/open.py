"""Opens the embedded engine in the data folder; its `TableCopier`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from storage.database import Connection
from storage.engine import Engine
from storage.folder import DATABASE_FILE, FolderLock, folder_in_use_error, prepare_folder
from storage.schema.table import StoredTable
from storage.sqlite.backup import backup_path, delete_old_backups
from storage.sqlite.backup_erasure import SQLiteBackupErasure
from storage.sqlite.connection import SQLITE_VERSION
from storage.sqlite.database import SQLiteDatabase
from storage.sqlite.vector_index import VectorIndex

_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1"
_NUMBERED = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"


class SQLiteTableCopier:
    def insert_rows(self, db: Connection, table: StoredTable, rows: Sequence[Sequence[Any]]) -> None:
        triggers = db.execute(_TRIGGERS, (table.name,)).fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        columns = ", ".join(f'"{column}"' for column in table.column_names)
        places = ", ".join(f"${number}" for number in range(1, len(table.column_names) + 1))
        db.executemany(f"INSERT INTO {table.name} ({columns}) VALUES ({places})", rows)  # noqa: S608 - our own names
        for _, statement in triggers:
            db.execute(statement)

    def delete_rows(self, db: Connection, names: Sequence[str]) -> None:
        for name in (*names, "words", "mean_vector"):
            db.execute(f"DELETE FROM {name}")  # noqa: S608 - our own names

    def last_ids(self, db: Connection) -> dict[str, int]:
        return dict(db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())

    def continue_ids(self, db: Connection, last: Mapping[str, int]) -> None:
        current = self.last_ids(db)
        for (name,) in db.execute(_NUMBERED).fetchall():
            db.execute("DELETE FROM sqlite_sequence WHERE name = $1", (name,))
            number = max(last.get(name, 0), current.get(name, 0))
            db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", (name, number))

    def stored_value(self, value: Any) -> Any:
        return value


KEEP_BACKUPS = 14
KEEP_BACKUP_DAYS = 30.0


@asynccontextmanager
async def open_sqlite(
    folder: Path, *, embedder: Callable[[], str], chroma_url: str | None, exclusive: bool, make: bool
) -> AsyncIterator[Engine]:
    """Open the SQLite database in `folder` as an `Engine`. See `open_storage`."""
    async with AsyncExitStack() as stack:
        prepare_folder(folder, make=make, inside="backups")
        if exclusive:
            lock = FolderLock(folder / "run.lock")
            if not lock.acquire():
                raise folder_in_use_error(folder)
            stack.callback(lock.release)
        database = await SQLiteDatabase.open(folder / DATABASE_FILE)
        stack.push_async_callback(database.close)
        vectors = VectorIndex(database, embedder=embedder, url=chroma_url)
        stack.push_async_callback(vectors.close)

        async def back_up(target: Path | None) -> Path:
            file = backup_path(target or folder / "backups", folder / DATABASE_FILE)
            await database.back_up(file)
            if target is None:
                delete_old_backups(file.parent, keep=KEEP_BACKUPS, days=KEEP_BACKUP_DAYS)
            return file

        yield Engine(
            f"SQLite {SQLITE_VERSION}",
            database,
            vectors,
            back_up,
            SQLiteTableCopier(),
            SQLiteBackupErasure(folder / "backups"),
        )
