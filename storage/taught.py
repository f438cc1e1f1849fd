"""Documents that came from a chat: which of them hold what a person wrote, and which a person added."""

from __future__ import annotations

import sqlite3

KEPT = "EXISTS (SELECT 1 FROM revision WHERE document = 'taught/' || handoff.id AND state = 'live')"
"""The reply to a handoff is a document, which holds the question too: the handoff then says whose that is."""
ADDED_BY = "source GLOB 'chat:*' AND json_extract(body, '$.metadata.author') = ?"
"""Documents that a person added from a chat: they are the team's, and stay without the name when it is forgotten."""
_BY = """
    SELECT document FROM revision WHERE source = 'taught' AND json_extract(body, '$.metadata.author') = :person
    UNION SELECT 'taught/' || id FROM handoff WHERE :person IN (asker, json_extract(body, '$.author'))
"""
_OF = "SELECT 'taught/' || id FROM handoff WHERE answer IN (SELECT answer FROM question WHERE key = ?)"
OF_SPACE = """
    substr(json_extract(body, '$.target'), 1, length(:space)) = :space
        OR json_extract(body, '$.origin.platform') || ':' || json_extract(body, '$.origin.space') || ':' = :space
"""
"""What was asked in a `platform:space:`, or of people there."""


def taught_in(db: sqlite3.Connection, space: str) -> list[str]:
    """The ids of the documents that hold what was asked in a `platform:space:`, or replied there."""
    query = f"SELECT 'taught/' || id FROM handoff WHERE {OF_SPACE}"  # noqa: S608 - our own words
    return [document for (document,) in db.execute(query, {"space": space})]


def added_in(db: sqlite3.Connection, space: str) -> list[str]:
    """The ids of the documents that people added in a `platform:space`."""
    return [
        document for (document,) in db.execute("SELECT document FROM revision WHERE source = ?", (f"chat:{space}",))
    ]


def taught_by(db: sqlite3.Connection, person: str) -> list[str]:
    """The ids of the documents that hold a question or a reply of `person`."""
    return [document for (document,) in db.execute(_BY, {"person": person})]


def taught_of(db: sqlite3.Connection, key: str) -> list[str]:
    """The ids of the documents that hold the question with that key."""
    return [document for (document,) in db.execute(_OF, (key,))]
