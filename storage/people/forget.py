"""Erasing what is kept under a person's id, here or in a copy of the database. Inside the caller's transaction."""

from __future__ import annotations

import json

from storage.database import Alone, Connection
from storage.documents.said_rows import drop_of
from storage.documents.sweep import hide
from storage.messages.erase import erase_wishes_for, taught_by
from storage.schema.documents import ADDED_BY
from storage.schema.table import BY_PROGRAM, DELETED, Personal
from storage.schema.tables import TABLES


def erase_person(db: Connection, person: str) -> int:
    """Returns how many turns, messages, ratings and preferences went."""
    db.alone(Alone.INBOX)
    hide(db, taught_by(db, person))
    erase_wishes_for(db, person)
    said = drop_of(db, person)
    of_people = [(table.name, personal) for table in TABLES for personal in table.personal]
    erased = said + sum(_erase(db, table, personal, person) for table, personal in of_people)
    _unsign(db, person)
    return erased


def _erase(db: Connection, table: str, personal: Personal, person: str) -> int:
    """How many rows went that a person would count. That something was changed is kept, by whom is not."""
    if personal.forgotten == BY_PROGRAM:
        return 0
    what = f"DELETE FROM {table}" if personal.forgotten == DELETED else f"UPDATE {table} SET {personal.forgotten}"  # noqa: S608
    rows = db.execute(f"{what} WHERE {personal.which}", (person,)).rowcount
    return rows if personal.counted else 0


def _unsign(db: Connection, person: str) -> None:
    """Documents that a person added stay without the name."""
    added = f"SELECT id, body FROM revision WHERE {ADDED_BY}"  # noqa: S608 - our own words
    for revision, body in db.execute(added, (person,)).fetchall():
        document = json.loads(body)
        del document["metadata"]["author"]
        unsigned = json.dumps(document, ensure_ascii=False)
        db.execute("UPDATE revision SET body = $1 WHERE id = $2", (unsigned, revision))
