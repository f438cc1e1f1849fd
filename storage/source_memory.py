"""What a source keeps between two looks at its service."""

from __future__ import annotations

from collections.abc import Mapping

from storage.database import Connection, Database

_KEEP = """
    INSERT INTO source_memory VALUES ($1, $2, $3) ON CONFLICT (source, key) DO UPDATE SET value = excluded.value
"""


class SQLSourceMemory:
    """The port `SourceMemory`, for the source of one name."""

    def __init__(self, database: Database, source: str) -> None:
        self._database = database
        self._source = source

    async def recall(self) -> dict[str, str]:
        """All that is kept."""

        def work(db: Connection) -> dict[str, str]:
            return dict(
                db.execute("SELECT key, value FROM source_memory WHERE source = $1", (self._source,)).fetchall()
            )

        return await self._database.read(work)

    async def keep(self, changes: Mapping[str, str | None]) -> None:
        """Keep these too, in one transaction; None forgets a key."""
        kept = [(self._source, key, value) for key, value in changes.items() if value is not None]
        forgotten = [(self._source, key) for key, value in changes.items() if value is None]

        def work(db: Connection) -> None:
            db.executemany(_KEEP, kept)
            db.executemany("DELETE FROM source_memory WHERE source = $1 AND key = $2", forgotten)

        await self._database.write(work)
