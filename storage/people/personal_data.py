"""Personal data: exported, erased, and deleted after its retention time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import structlog

from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from storage.database import AdvisoryLock, Connection, Cursor, Database
from storage.documents.channel_messages import delete_messages_of
from storage.documents.cleanup import delete_unreachable, hide_documents
from storage.engine import BackupErasure
from storage.messages.erase import REPLY_IS_DOCUMENT, erase_subscriptions_for, reply_documents_of
from storage.messages.subscriptions import settle_subscriptions
from storage.people.credentials import REPLY_LIFETIME_SECONDS, delete_expired_sessions
from storage.schema.documents import ADDED_BY_PERSON
from storage.schema.table import BY_PROGRAM, DELETED, PersonalRows
from storage.schema.tables import TABLES

# --- Erasing what is kept under a person's id, here or in a copy of the database ------------------


def erase_person(db: Connection, person: str) -> int:
    """Erase what is stored under a person's id.

    Return how many turns, messages, ratings and preferences were deleted.
    """
    db.advisory_lock(AdvisoryLock.INBOX)
    hide_documents(db, reply_documents_of(db, person))
    erase_subscriptions_for(db, person)
    messages = delete_messages_of(db, person)
    of_people = [(table.name, personal) for table in TABLES for personal in table.personal_row_sets]
    erased = messages + sum(_erase(db, table, personal, person) for table, personal in of_people)
    _remove_author_name(db, person)
    return erased


def _erase(db: Connection, table: str, personal: PersonalRows, person: str) -> int:
    """Erase one set of rows. Return how many a person would count. Audit rows stay without the name."""
    if personal.on_forget == BY_PROGRAM:
        return 0
    statement = f"DELETE FROM {table}" if personal.on_forget == DELETED else f"UPDATE {table} SET {personal.on_forget}"  # noqa: S608
    rows = db.execute(f"{statement} WHERE {personal.condition}", (person,)).rowcount
    return rows if personal.is_counted else 0


def _remove_author_name(db: Connection, person: str) -> None:
    """Remove the author's name from the documents that a person added."""
    added = f"SELECT id, body FROM revision WHERE {ADDED_BY_PERSON}"  # noqa: S608 - our own words
    for revision, body in db.execute(added, (person,)).fetchall():
        document = json.loads(body)
        del document["metadata"]["author"]
        unsigned = json.dumps(document, ensure_ascii=False)
        db.execute("UPDATE revision SET body = $1 WHERE id = $2", (unsigned, revision))


# --- What is kept about people --------------------------------------------------------------------

MESSAGE_RETENTION_SECONDS = 24 * 3600.0
"""Seconds that a closed message is kept; its answer and turn are kept as long as the history."""
KEY_RETENTION_SECONDS = 30 * 24 * 3600.0
"""Seconds that a message's key is known after that: far longer than any platform redelivers."""

log = structlog.get_logger(__name__)

_EXPORT = {
    export.name: f"SELECT {export.columns} FROM {table.name} WHERE {personal.condition} ORDER BY {export.order}"  # noqa: S608
    for table in TABLES
    for personal in table.personal_row_sets
    if (export := personal.export)
}
AUDIT_RETENTION_SECONDS = 365 * 24 * 3600.0
"""Seconds that audit rows are kept: longer than questions, since a mistake may be found late."""


class PersonalData:
    """Reaches every table with personal data, and the database's backups."""

    def __init__(self, database: Database, backups: BackupErasure | None = None) -> None:
        self._database = database
        self._backups = backups

    async def export(self, person: str) -> str:
        """Return all that is stored about a person, as JSON text."""
        return export_json(person, await self.records(person))

    async def records(self, person: str) -> dict[str, list[dict[str, Any]]]:
        """Return all that is stored about a person, as records by kind."""

        def work(db: Connection) -> dict[str, list[dict[str, Any]]]:
            return {name: _records(db.execute(query, (person,))) for name, query in _EXPORT.items()}

        with workspace_scope(ALL_WORKSPACES):
            return await self._database.read(work)

    async def forget(self, person: str) -> int:
        """Erase all that is stored under a person's id, from backups too. Return how many turns, messages, ratings and
        preferences went.

        The bot's presence is not stored under a person's id: ids of channels and conversations, direct ones among them,
        stay. An erasure cut short by a crash is completed by `finish_pending`.
        """
        if self._backups:
            await asyncio.to_thread(self._backups.mark_pending, person)
        with workspace_scope(ALL_WORKSPACES):
            erased = await self._database.write(lambda db: erase_person(db, person), durable=True)
        await delete_unreachable(self._database)
        await self._database.purge_deleted()
        if self._backups:
            await asyncio.to_thread(self._backups.erase, person)
        return erased

    async def finish_pending(self) -> None:
        """Erase the people whose erasure a crash cut short."""
        for person in self._backups.pending_people() if self._backups else ():
            await self.forget(person)

    async def delete_expired(self, days: float) -> int:
        """Delete data older than `days`, and messages a day after they were closed. Return how many rows were deleted.

        That is turns, answers, ratings, participation and questions that nobody could answer.
        """
        now = time.time()
        old = now - days * 86400

        def work(db: Connection) -> tuple[int, int]:
            db.advisory_lock(AdvisoryLock.INBOX)
            settle_subscriptions(db)
            expired = db.execute("DELETE FROM message WHERE state = 'open' AND sent_at < $1", (old,)).rowcount
            return expired, delete_expired_sessions(db, now) + sum(
                db.execute(statement, (limit,)).rowcount
                for statement, limit in (
                    ("DELETE FROM turn WHERE asked_at < $1", old),
                    ("DELETE FROM answer WHERE at < $1", old),
                    ("DELETE FROM rating WHERE at < $1", old),
                    ("DELETE FROM part WHERE at < $1", old),
                    ("DELETE FROM silenced WHERE at < $1", old),
                    ("DELETE FROM wish WHERE coalesce(told_at, asked_at) < $1", old),
                    (f"DELETE FROM handoff WHERE at < $1 AND NOT {REPLY_IS_DOCUMENT}", old),  # noqa: S608 - our own words
                    ("DELETE FROM message WHERE state = 'dead' AND closed_at < $1", old),
                    (
                        "DELETE FROM message WHERE state NOT IN ('open', 'dead') AND closed_at < $1",
                        now - MESSAGE_RETENTION_SECONDS,
                    ),
                    ("DELETE FROM told WHERE at < $1", now - MESSAGE_RETENTION_SECONDS),
                    ("DELETE FROM known WHERE at < $1", now - KEY_RETENTION_SECONDS),
                    ("DELETE FROM api_reply WHERE at < $1", now - REPLY_LIFETIME_SECONDS),
                    ("DELETE FROM audit WHERE at < $1", now - AUDIT_RETENTION_SECONDS),
                )
            )

        expired, deleted = await self._database.write(work)
        if expired:
            log.warning("questions_expired_unanswered", days=days, questions=expired)
        await self._database.purge_deleted()
        return expired + deleted


def export_json(person: str, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the records of a person as JSON text."""
    return json.dumps({"person": person, **records}, ensure_ascii=False, indent=2)


def _records(rows: Cursor) -> list[dict[str, Any]]:
    fetched = rows.fetchall()
    names = [column[0] for column in rows.description or ()]
    records = []
    for row in fetched:
        record = dict(zip(names, row, strict=True))
        body = record.pop("body", None)
        records.append(record | (json.loads(body) if body else {}))
    return records
