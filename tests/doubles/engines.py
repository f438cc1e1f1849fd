"""The engines that every store works on, each as a test opens it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storage.database import Connection, Database
from storage.open import Storage, open_storage
from storage.postgres.database import PostgresDatabase
from storage.sqlite.database import SQLiteDatabase


@dataclass(frozen=True)
class Engine:
    folder: Path
    url: str
    """Of PostgreSQL; "" for SQLite in the folder."""

    def storage(self, **options: Any) -> AbstractAsyncContextManager[Storage]:
        return open_storage(self.folder, database=self.url, **options)

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Database]:
        opened: Database
        if self.url:
            opened = await PostgresDatabase.open(self.url)
        else:
            self.folder.mkdir(exist_ok=True)
            opened = await SQLiteDatabase.open(self.folder / "citewell.db")
        try:
            yield opened
        finally:
            await opened.close()


async def traces(storage: Storage, words: list[str]) -> list[str]:
    """Where any of `words` is still kept: in which file of the folder, and with PostgreSQL in which table, or in the
    samples of its planner a few seconds later."""
    async with asyncio.timeout(SAMPLED_SECONDS):
        while True:
            found = await _traces(storage, words)
            if not found or any(not one.endswith(f" in {SAMPLES}") for one in found):
                return found
            await asyncio.sleep(0.05)


async def _traces(storage: Storage, words: list[str]) -> list[str]:
    found = []
    for file in storage.folder.rglob("*"):
        content = file.read_bytes().lower() if file.is_file() else b""
        found += [f"{word} in {file.name}" for word in words if word.lower().encode() in content]
    if isinstance(storage.database, PostgresDatabase):
        rows = await storage.database.read(_rows)
        found += [f"{word} in {table}" for table, row in rows for word in words if word.lower() in row]
    return found


SAMPLES, SAMPLED_SECONDS = "pg_stats", 30.0
_SAMPLES = "SELECT tablename, pg_stats::text FROM pg_stats WHERE schemaname = 'public'"


def _rows(db: Connection) -> list[tuple[str, str]]:
    """Of every table, and of the samples that the planner keeps of each with rows: of an empty one none is drawn."""
    tables = [name for (name,) in db.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()]
    rows = [(name, text) for name in tables for (text,) in db.execute(f"SELECT {name}::text FROM {name}").fetchall()]
    filled = {name for name, _ in rows}
    rows += [(SAMPLES, text) for name, text in db.execute(_SAMPLES).fetchall() if name in filled]
    return [(name, text.lower()) for name, text in rows]
