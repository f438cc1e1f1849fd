"""Documents that came from a chat: which of them hold what a person wrote, and which a person added."""

from __future__ import annotations

from storage.database import Connection

KEPT = "EXISTS (SELECT 1 FROM revision WHERE document = 'taught/' || handoff.id AND state = 'live')"
"""The reply to a handoff is a document, which holds the question too: the handoff then says whose that is."""
ADDED_BY = "substr(source, 1, 5) = 'chat:' AND body -> 'metadata' ->> 'author' = $1"
"""Documents that a person added from a chat: they are the team's, and stay without the name when it is forgotten."""
_BY = """
    SELECT document FROM revision WHERE source = 'taught' AND body -> 'metadata' ->> 'author' = $1
    UNION SELECT 'taught/' || id FROM handoff WHERE $1 IN (asker, body ->> 'author')
"""
_OF = "SELECT 'taught/' || id FROM handoff WHERE answer IN (SELECT answer FROM question WHERE key = $1)"
OF_SPACE = """
    substr(body ->> 'target', 1, length($1)) = $1
        OR (body -> 'origin' ->> 'platform') || ':' || (body -> 'origin' ->> 'space') || ':' = $1
"""
"""What was asked in a `platform:space:`, or of people there."""


def taught_in(db: Connection, space: str) -> list[str]:
    """The ids of the documents that hold what was asked in a `platform:space:`, or replied there."""
    query = f"SELECT 'taught/' || id FROM handoff WHERE {OF_SPACE}"  # noqa: S608 - our own words
    return [document for (document,) in db.execute(query, (space,))]


def added_in(db: Connection, space: str) -> list[str]:
    """The ids of the documents that people added in a `platform:space`."""
    return [
        document for (document,) in db.execute("SELECT document FROM revision WHERE source = $1", (f"chat:{space}",))
    ]


def taught_by(db: Connection, person: str) -> list[str]:
    """The ids of the documents that hold a question or a reply of `person`."""
    return [document for (document,) in db.execute(_BY, (person,))]


def taught_of(db: Connection, key: str) -> list[str]:
    """The ids of the documents that hold the question with that key."""
    return [document for (document,) in db.execute(_OF, (key,))]
