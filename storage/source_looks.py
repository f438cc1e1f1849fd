"""How the last sync of each source ended."""

from __future__ import annotations

from datetime import UTC, datetime

from pipeline.values import Value
from storage.database import Connection, Database

_KEEP = """
    INSERT INTO source_look VALUES ($1, $2, $3)
    ON CONFLICT (source) DO UPDATE SET at = excluded.at, body = excluded.body
"""


class Look(Value):
    """One sync that came to an end."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    failed: int = 0
    kept: int = 0
    """Documents that are gone from the source and are kept, as too few would have been left."""
    problem: str = ""
    """Why not all of the source was seen."""


class SQLSourceLooks:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def last(self) -> dict[str, tuple[datetime, Look]]:
        """By source, when it was looked at last, and how that ended."""

        def work(db: Connection) -> list[tuple[str, float, str]]:
            return db.execute("SELECT source, at, body FROM source_look").fetchall()

        rows = await self._database.read(work)
        return {source: (datetime.fromtimestamp(at, UTC), Look.model_validate_json(body)) for source, at, body in rows}

    async def ended(self, source: str, look: Look) -> None:
        """Keep how the look that ends now went."""
        row = (source, datetime.now(UTC).timestamp(), look.model_dump_json())
        await self._database.write(lambda db: db.execute(_KEEP, row))

    async def forget(self, source: str) -> None:
        """Forget a source: how looks at it ended, and what it remembers."""

        def work(db: Connection) -> None:
            db.execute("DELETE FROM source_look WHERE source = $1", (source,))
            db.execute("DELETE FROM source_memory WHERE source = $1", (source,))

        await self._database.write(work)
