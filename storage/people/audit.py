"""The audit log: changes of knowledge or settings and views of others' data, done or denied."""

from __future__ import annotations

from datetime import datetime

from pipeline.values import AuditEntry
from storage.database import Connection, Database

_FIELDS = tuple(AuditEntry.model_fields)
"""Each is a column of that name."""
_COLUMNS = ", ".join(_FIELDS)


class SQLAudit:
    """Audit rows. They are only added; with time, and when a person is forgotten, `PersonalData` removes their

    names.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, decision: AuditEntry) -> None:
        """Store a row; it is on the disk when this returns."""
        values = tuple(getattr(decision, name) for name in _FIELDS)
        row = tuple(value.timestamp() if isinstance(value, datetime) else value for value in values)
        places = ", ".join(f"${number}" for number in range(1, len(_FIELDS) + 1))

        def work(db: Connection) -> None:
            db.execute(f"INSERT INTO audit ({_COLUMNS}) VALUES ({places})", row)  # noqa: S608 - our own names

        await self._database.write(work, durable=True)

    async def latest(self, limit: int) -> list[AuditEntry]:
        """Return the last `limit` rows, newest first."""

        def work(db: Connection) -> list[tuple[object, ...]]:
            return db.execute(f"SELECT {_COLUMNS} FROM audit ORDER BY id DESC LIMIT $1", (limit,)).fetchall()  # noqa: S608

        rows = await self._database.read(work)
        return [AuditEntry.model_validate(dict(zip(_FIELDS, row, strict=True))) for row in rows]
