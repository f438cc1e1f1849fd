"""The audit log: changes of knowledge or settings and views of others' data, done or denied."""

from __future__ import annotations

from datetime import UTC, datetime

from pipeline.values import Action, AuditEntry
from storage.database import Connection, Database


class SQLAudit:
    """Audit rows. They are only added; with time, and when a person is forgotten, `PersonalData` removes their

    names.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, decision: AuditEntry) -> None:
        """Store a row; it is on the disk when this returns."""

        def work(db: Connection) -> None:
            db.execute(
                "INSERT INTO audit (at, actor, action, subject, allowed) VALUES ($1, $2, $3, $4, $5)",
                (decision.at.timestamp(), decision.actor, decision.action, decision.subject, decision.allowed),
            )

        await self._database.write(work, durable=True)

    async def latest(self, limit: int) -> list[AuditEntry]:
        """Return the last `limit` rows, newest first."""

        def work(db: Connection) -> list[tuple[float, str, str, str, int]]:
            query = "SELECT at, actor, action, subject, allowed FROM audit ORDER BY id DESC LIMIT $1"
            return db.execute(query, (limit,)).fetchall()

        return [
            AuditEntry(
                at=datetime.fromtimestamp(at, UTC),
                actor=actor,
                action=Action(action),
                subject=subject,
                allowed=bool(allowed),
            )
            for at, actor, action, subject, allowed in await self._database.read(work)
        ]
