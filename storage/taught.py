"""Replies that were kept as documents: which of them hold what a person wrote."""

from __future__ import annotations

import sqlite3

KEPT = "EXISTS (SELECT 1 FROM revision WHERE document = 'taught/' || handoff.id AND state = 'live')"
"""The reply to a handoff is a document, which holds the question too: the handoff then says whose that is."""
_BY = """
    SELECT document FROM revision WHERE source = 'taught' AND json_extract(body, '$.metadata.author') = :person
    UNION SELECT 'taught/' || id FROM handoff WHERE :person IN (asker, json_extract(body, '$.author'))
"""
_OF = "SELECT 'taught/' || id FROM handoff WHERE answer IN (SELECT answer FROM question WHERE key = ?)"


def taught_by(db: sqlite3.Connection, person: str) -> list[str]:
    """The ids of the documents that hold a question or a reply of `person`."""
    return [document for (document,) in db.execute(_BY, {"person": person})]


def taught_of(db: sqlite3.Connection, key: str) -> list[str]:
    """The ids of the documents that hold the question with that key."""
    return [document for (document,) in db.execute(_OF, (key,))]
