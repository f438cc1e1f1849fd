"""State of sources: how the last sync of each ended, and its cache between two syncs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from pipeline.values import Value
from storage.database import Connection, Database
from storage.schema.tables import upsert_statement

_KEEP = upsert_statement("source_look")
_REMEMBER = upsert_statement("source_memory")


class SyncOutcome(Value):
    """The result of one sync."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    failed: int = 0
    kept: int = 0
    """Documents that are gone from the source but kept, because too few would have been left."""
    problem: str = ""
    """The reason why the source was not read completely."""
    denied: datetime | None = None
    """The time since which the source denies all access."""


class SQLSyncOutcomes:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def last(self) -> dict[str, tuple[datetime, SyncOutcome]]:
        """Return by source when it was synced last, and with what outcome."""
        query = "SELECT source, at, body FROM source_look"
        rows = await self._database.read(lambda db: db.execute(query).fetchall())
        return {
            source: (datetime.fromtimestamp(at, UTC), SyncOutcome.model_validate_json(body))
            for source, at, body in rows
        }

    async def record(self, source: str, outcome: SyncOutcome) -> None:
        """Record the outcome of a sync that ends now."""
        row = (source, datetime.now(UTC).timestamp(), outcome.model_dump_json())
        await self._database.write(lambda db: db.execute(_KEEP, row))

    async def forget(self, source: str) -> None:
        """Delete a source's outcomes and its cache."""

        def work(db: Connection) -> None:
            db.execute("DELETE FROM source_look WHERE source = $1", (source,))
            db.execute("DELETE FROM source_memory WHERE source = $1", (source,))

        await self._database.write(work)


class SQLSourceMemory:
    """The port `SourceCache`, for one source."""

    def __init__(self, database: Database, source: str) -> None:
        self._database = database
        self._source = source

    async def load(self) -> dict[str, str]:
        """Return all entries."""
        query = "SELECT key, value FROM source_memory WHERE source = $1"
        return dict(await self._database.read(lambda db: db.execute(query, (self._source,)).fetchall()))

    async def update(self, changes: Mapping[str, str | None]) -> None:
        """Store these entries in one transaction; None deletes a key."""
        stored = [(self._source, key, value) for key, value in changes.items() if value is not None]
        forgotten = [(self._source, key) for key, value in changes.items() if value is None]

        def work(db: Connection) -> None:
            db.executemany(_REMEMBER, stored)
            db.executemany("DELETE FROM source_memory WHERE source = $1 AND key = $2", forgotten)

        await self._database.write(work)
