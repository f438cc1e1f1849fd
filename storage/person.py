"""What is kept about people: exported, erased, and forgotten with time."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, unquote

import structlog

from storage.backup import drop_partial
from storage.database import Database
from storage.erase import erase_wishes_for
from storage.sweep import hide, sweep, sweep_here
from storage.taught import ADDED_BY, KEPT, taught_by
from storage.transaction import immediate
from storage.wishes import settle

MESSAGE_SECONDS = 24 * 3600.0
"""A message is kept this long after it was dealt with; its answer and turn as long as history is."""
KNOWN_SECONDS = 30 * 24 * 3600.0
"""How long a message's key is known after that: far longer than any platform redelivers."""

log = structlog.get_logger(__name__)

_EXPORT = {
    "turns": "SELECT conversation, body FROM turn WHERE author = ? ORDER BY id",
    "answers": "SELECT body FROM answer WHERE author = ? ORDER BY at",
    "messages": "SELECT state, body FROM message WHERE author = ? ORDER BY sequence",
    "ratings": "SELECT answer, vote, reason, comment FROM rating WHERE person = ? ORDER BY at",
    "preferences": "SELECT body FROM preference WHERE person = ?",
    "handoffs": "SELECT body, reply FROM handoff WHERE ? IN (asker, json_extract(body, '$.author')) ORDER BY at",
    "wishes": "SELECT question, asked_at, told_at FROM wish WHERE person = ? ORDER BY asked_at",
    "replies": "SELECT reply, resolved_at FROM handoff WHERE resolver = ? ORDER BY at",
    "added": f"SELECT body FROM revision WHERE state = 'live' AND {ADDED_BY} ORDER BY id",  # noqa: S608 - our own words
    "decisions": "SELECT at, action, subject, allowed FROM audit WHERE actor = ? ORDER BY id",
}
_ERASE = (
    ("turn", "DELETE FROM turn WHERE author = ?"),
    ("message", "DELETE FROM message WHERE author = ?"),
    ("rating", "DELETE FROM rating WHERE person = ?"),
    ("preference", "DELETE FROM preference WHERE person = ?"),
    ("handoff", "DELETE FROM handoff WHERE ?1 IN (asker, json_extract(body, '$.author'))"),
    ("wish", "DELETE FROM wish WHERE person = ?"),
    ("answer", "DELETE FROM answer WHERE author = ?"),
    ("told", "DELETE FROM told WHERE author = ?"),
    ("served", "DELETE FROM served WHERE substr(scope, instr(scope, ' ') + 1) = ?"),
    (
        "digest",
        """UPDATE digest SET recipient = '', state = 'dead'
            WHERE recipient IN (?1, replace(?1, 'discord:', 'discord:user:'))""",
    ),
    ("handoff", "UPDATE handoff SET resolver = '', name = '', reply = '' WHERE resolver = ?"),
    (
        "revision",
        f"UPDATE revision SET body = json_remove(body, '$.metadata.author') WHERE {ADDED_BY}",  # noqa: S608 - our own
    ),
    (
        "audit",
        """UPDATE audit SET actor = iif(actor = ?1, '(erased)', actor),
            subject = iif(subject = ?1, '(erased)', subject) WHERE ?1 IN (actor, subject)""",
    ),
)
"""By table: a backup may be older than some of them. That something was changed is kept, by whom is not."""
_BEGUN = "forget-"
"""An empty file whose name begins so and goes on with a person's id is there while they are forgotten: kept in the
database, it would be in the backups made meanwhile."""
_COUNTED = 6
"""The first statements delete what a person would count."""
AUDIT_SECONDS = 365 * 24 * 3600.0
"""How long it is kept who changed what: longer than questions, since a mistake may be found late."""


class People:
    """Reaches every table that knows a person, and the backups in `backups`."""

    def __init__(self, database: Database, backups: Path) -> None:
        self._database = database
        self._backups = backups

    async def export(self, person: str) -> str:
        """All that is kept about a person, as JSON text."""

        def work(db: sqlite3.Connection) -> dict[str, list[dict[str, object]]]:
            return {name: _records(db.execute(query, (person,))) for name, query in _EXPORT.items()}

        return json.dumps({"person": person, **await self._database.read(work)}, ensure_ascii=False, indent=2)

    async def forget(self, person: str) -> int:
        """Erase all that is kept under a person's id: when this returns it is in no file of the folder, backups
        included. What says where the bot has been is not kept under one: ids of channels and conversations, direct
        ones among them, stay. Cut short by a crash, it is completed by `finish`.

        Returns how many turns, messages, ratings and preferences went."""
        begun = self._backups / f"{_BEGUN}{quote(person, safe='')}"
        begun.touch(mode=0o600)
        erased = await self._database.write(lambda db: _erase(db, person), durable=True)
        await sweep(self._database)
        await self._database.scrub()
        await asyncio.to_thread(_erase_in_backups, self._backups, person)
        begun.unlink(missing_ok=True)
        return erased

    async def finish(self) -> None:
        """Forget those whom a crash left half forgotten."""
        for begun in self._backups.glob(f"{_BEGUN}*"):
            await self.forget(unquote(begun.name.removeprefix(_BEGUN)))

    async def forget_old(self, days: float) -> int:
        """Delete turns, answers, ratings, participation and questions that nobody could answer once they are older than
        `days`, and messages a day after they were dealt with. Returns how many rows went."""
        now = time.time()
        old = now - days * 86400

        def work(db: sqlite3.Connection) -> tuple[int, int]:
            settle(db)
            expired = db.execute("DELETE FROM message WHERE state = 'open' AND sent_at < ?", (old,)).rowcount
            return expired, sum(
                db.execute(statement, (limit,)).rowcount
                for statement, limit in (
                    ("DELETE FROM turn WHERE asked_at < ?", old),
                    ("DELETE FROM answer WHERE at < ?", old),
                    ("DELETE FROM rating WHERE at < ?", old),
                    ("DELETE FROM part WHERE at < ?", old),
                    ("DELETE FROM silenced WHERE at < ?", old),
                    ("DELETE FROM wish WHERE coalesce(told_at, asked_at) < ?", old),
                    (f"DELETE FROM handoff WHERE at < ? AND NOT {KEPT}", old),  # noqa: S608 - our own words
                    ("DELETE FROM message WHERE state = 'dead' AND closed_at < ?", old),
                    (
                        "DELETE FROM message WHERE state NOT IN ('open', 'dead') AND closed_at < ?",
                        now - MESSAGE_SECONDS,
                    ),
                    ("DELETE FROM told WHERE at < ?", now - MESSAGE_SECONDS),
                    ("DELETE FROM known WHERE at < ?", now - KNOWN_SECONDS),
                    ("DELETE FROM audit WHERE at < ?", now - AUDIT_SECONDS),
                )
            )

        expired, deleted = await self._database.write(work)
        if expired:
            log.warning("questions_expired_unanswered", days=days, questions=expired)
        await self._database.scrub()
        return expired + deleted


def _records(rows: sqlite3.Cursor) -> list[dict[str, object]]:
    names = [column[0] for column in rows.description]
    records = []
    for row in rows:
        record = dict(zip(names, row, strict=True))
        body = record.pop("body", None)
        records.append(record | (json.loads(body) if body else {}))
    return records


def _erase(db: sqlite3.Connection, person: str) -> int:
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "handoff" in there:
        hide(db, taught_by(db, person))
    if "wish" in there:
        erase_wishes_for(db, person)
    counts = [db.execute(statement, (person,)).rowcount if table in there else 0 for table, statement in _ERASE]
    return sum(counts[:_COUNTED])


def _erase_in_backups(backups: Path, person: str) -> None:
    drop_partial(backups)
    for file in sorted(backups.glob("*.db")):
        try:
            with closing(sqlite3.connect(file, isolation_level=None)) as db:
                db.execute("PRAGMA secure_delete = ON")
                with immediate(db):
                    _erase(db, person)
                    sweep_here(db)
        except sqlite3.Error as error:
            log.warning("backup_not_erased_in", backup=file.name, it="ages out", reason=str(error))
