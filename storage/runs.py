"""When scheduled jobs last came to an end, kept across restarts."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from storage.database import Database


class JobRuns:
    """One moment for each name of a job."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def last(self, job: str) -> datetime | None:
        """When `job` last came to an end; None when it never did."""

        def work(db: sqlite3.Connection) -> datetime | None:
            row = db.execute("SELECT CAST(value AS REAL) FROM setting WHERE name = ?", (_name(job),)).fetchone()
            return datetime.fromtimestamp(row[0], UTC) if row else None

        return await self._database.read(work)

    async def ended(self, job: str, at: datetime) -> None:
        """Keep that `job` came to an end."""
        await self._database.write(
            lambda db: db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (_name(job), str(at.timestamp())))
        )


def _name(job: str) -> str:
    return f"last run: {job}"
