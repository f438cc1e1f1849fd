"""Erasing what is kept under a person's id, here or in a copy of the database. Inside the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Collection

from storage.database import Alone, Connection
from storage.erase import erase_wishes_for
from storage.sweep import hide
from storage.taught import ADDED_BY, taught_by

_ERASE = (
    ("turn", "DELETE FROM turn WHERE author = $1"),
    ("message", "DELETE FROM message WHERE author = $1"),
    ("rating", "DELETE FROM rating WHERE person = $1"),
    ("preference", "DELETE FROM preference WHERE person = $1"),
    ("handoff", "DELETE FROM handoff WHERE $1 IN (asker, body ->> 'author')"),
    ("wish", "DELETE FROM wish WHERE person = $1"),
    ("answer", "DELETE FROM answer WHERE author = $1"),
    ("told", "DELETE FROM told WHERE author = $1"),
    ("served", "DELETE FROM served WHERE substr(scope, length(scope) - length($1)) = ' ' || $1"),
    (
        "digest",
        """UPDATE digest SET recipient = '', state = 'dead'
            WHERE recipient IN ($1, replace($1, 'discord:', 'discord:user:'))""",
    ),
    ("handoff", "UPDATE handoff SET resolver = '', name = '', reply = '' WHERE resolver = $1"),
    (
        "audit",
        """UPDATE audit SET actor = CASE WHEN actor = $1 THEN '(erased)' ELSE actor END,
            subject = CASE WHEN subject = $1 THEN '(erased)' ELSE subject END WHERE $1 IN (actor, subject)""",
    ),
)
"""By table: a backup may be older than some of them. That something was changed is kept, by whom is not."""
_COUNTED = 6
"""The first statements delete what a person would count."""


def erase_person(db: Connection, person: str, tables: Collection[str] | None = None) -> int:
    """Returns how many turns, messages, ratings and preferences went. `tables`: those there are, None for all."""
    db.alone(Alone.INBOX)
    there = frozenset(table for table, _ in _ERASE) if tables is None else tables
    if "handoff" in there:
        hide(db, taught_by(db, person))
    if "wish" in there:
        erase_wishes_for(db, person)
    counts = [db.execute(statement, (person,)).rowcount if table in there else 0 for table, statement in _ERASE]
    _unsign(db, person)
    return sum(counts[:_COUNTED])


def _unsign(db: Connection, person: str) -> None:
    """Documents that a person added stay without the name."""
    added = f"SELECT id, body FROM revision WHERE {ADDED_BY}"  # noqa: S608 - our own words
    for revision, body in db.execute(added, (person,)).fetchall():
        document = json.loads(body)
        del document["metadata"]["author"]
        unsigned = json.dumps(document, ensure_ascii=False)
        db.execute("UPDATE revision SET body = $1 WHERE id = $2", (unsigned, revision))
