"""Opens the embedded engine in the data folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from storage.engine import Engine
from storage.folder import DATABASE, Lock, in_use, prepare
from storage.sqlite.backup import destination, drop_old
from storage.sqlite.copies import Backups
from storage.sqlite.database import SQLiteDatabase
from storage.sqlite.features import version
from storage.sqlite.tables import SQLiteTables
from storage.sqlite.vector_index import VectorIndex

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

        yield Engine(f"SQLite {version}", database, vectors, back_up, SQLiteTables(), Backups(folder / "backups"))
