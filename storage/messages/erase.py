"""Erase what is stored of one question or of one workspace: its text, the answer, the turn and the ratings.

All inside the caller's transaction. Backups made before keep it until they age out.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.values import IncomingMessage, PlaceId, replace
from storage.database import AdvisoryLock, Connection
from storage.documents.cleanup import hide_documents
from storage.schema.messages import ASKED_OR_WRITTEN_BY
from storage.schema.table import Ownership
from storage.schema.tables import TABLES

REPLY_IS_DOCUMENT = "EXISTS (SELECT 1 FROM revision WHERE document = 'taught/' || handoff.id AND state = 'live')"
"""Matches handoffs whose reply is a document. It holds the question too, and the handoff says whose that is."""
_TAUGHT_BY = f"""
    SELECT document FROM revision WHERE source = 'taught' AND body -> 'metadata' ->> 'author' = $1
    UNION SELECT 'taught/' || id FROM handoff WHERE {ASKED_OR_WRITTEN_BY}
"""  # noqa: S608 - our own words
_TAUGHT_OF = "SELECT 'taught/' || id FROM handoff WHERE answer IN (SELECT answer FROM question WHERE key = $1)"
_OF_SPACE = """
    substr(body ->> 'target', 1, length($1)) = $1
        OR body -> 'origin' ->> 'platform' = $2 AND body -> 'origin' ->> 'space' = $3
"""
"""Matches handoffs that were asked in a `platform:space:`, or sent to people there."""
_TAUGHT_IN = f"SELECT 'taught/' || id FROM handoff WHERE {_OF_SPACE}"  # noqa: S608 - our own words
_ADDED_IN = "SELECT document FROM revision WHERE source = $1"
_SAID_IN = "SELECT document FROM revision WHERE substr(source, 1, length($1)) = $1"
"""The source of a channel's documents is the channel's id."""
_OF_ANSWERS = (
    (
        "DELETE FROM outbox WHERE person <> '' AND EXISTS (SELECT 1 FROM question"
        " WHERE {which} AND substr(outbox.key, 1, length(answer) + 7) = 'share:' || answer || ':')"
    ),
    "DELETE FROM wish WHERE answer IN (SELECT answer FROM question WHERE {which})",
    "DELETE FROM handoff WHERE answer IN (SELECT answer FROM question WHERE {which})",
    "DELETE FROM rating WHERE answer IN (SELECT answer FROM question WHERE {which})",
    "DELETE FROM answer WHERE id IN (SELECT answer FROM question WHERE {which})",
)
_TURN = """
    DELETE FROM turn WHERE id IN (
        SELECT turn.id FROM question JOIN answer ON answer.id = question.answer
            JOIN turn ON turn.conversation = question.conversation AND turn.author = answer.author
        WHERE question.key = $1 AND turn.body ->> 'question' = answer.body ->> 'question')
"""
"""Turns are matched by the question in its conversation: the same question asked twice there goes twice."""

_TOLD = "SELECT wish.key FROM wish JOIN question ON question.answer = wish.answer WHERE question.key = $1"
_TOLD_OF = "SELECT key FROM wish WHERE body ->> 'author' = $1 AND person <> $1"
"""Subscribers to the answer of somebody's question got a copy of it."""
_WISHES_OF = "SELECT key FROM wish WHERE substr(key, 1, $1) = $2 OR body -> 'said_in' ->> 0 = $3"
"""Includes those answered in direct messages."""
_OWNED = "DELETE FROM {table} WHERE substr(replace({column}, ' ', ':') || ':', 1, $1) = $2"
"""The ids of a `RowOwner` begin with the workspace, followed by a colon, a blank or nothing."""


def erase_question(db: Connection, key: str) -> None:
    """Erase what is stored of the question with that key, answered or not."""
    for (subscription_key,) in db.execute(_TOLD, (key,)).fetchall():
        _erase_subscription(db, subscription_key)
    db.execute(_TURN, (key,))
    hide_documents(db, _document_ids(db, _TAUGHT_OF, key))
    _erase_answers(db, "key = $1", (key,))
    if row := db.execute("SELECT body FROM message WHERE key = $1", (key,)).fetchone():
        blank = replace(IncomingMessage.model_validate_json(row[0]), text="", pointed="", attachments=())
        db.execute("UPDATE message SET body = $1, answer = '' WHERE key = $2", (blank.model_dump_json(), key))


def erase_subscriptions_for(db: Connection, author: str) -> None:
    """Erase a person's questions that others subscribed to, and the answers to them."""
    for (key,) in db.execute(_TOLD_OF, (author,)).fetchall():
        _erase_subscription(db, key)


def erase_space(db: Connection, space: PlaceId) -> None:
    """Erase what is stored of a workspace or server.

    That is its installation, waiting questions, conversations, participation, replies that were stored as answers, what
    people share or add there that is not posted yet, documents they added, messages of indexed channels, admins'
    settings and people's preferences.
    """
    db.advisory_lock(AdvisoryLock.INBOX)
    prefix = f"{space}:"
    inside = (len(prefix), prefix)
    added = _document_ids(db, _ADDED_IN, f"chat:{space}")
    of_space = (prefix, space.platform, space.space)
    hide_documents(db, [*_document_ids(db, _TAUGHT_IN, *of_space), *added, *_document_ids(db, _SAID_IN, prefix)])
    db.execute(f"DELETE FROM handoff WHERE {_OF_SPACE}", of_space)  # noqa: S608 - our own words
    db.execute("DELETE FROM outbox WHERE person <> '' AND substr(recipient, 1, $1) = $2", inside)
    for (key,) in db.execute(_WISHES_OF, (*inside, str(space))).fetchall():
        _erase_subscription(db, key)
    _erase_answers(db, "substr(key, 1, $1) = $2", inside)
    for table in TABLES:
        if isinstance(table.ownership, Ownership) and table.ownership.column and not table.ownership.survives_leave:
            db.execute(_OWNED.format(table=table.name, column=table.ownership.column), inside)


def _erase_subscription(db: Connection, key: str) -> None:
    """Erase a subscription and its message, also one that is answered or being answered.

    Without its message no answer to it is stored any more.
    """
    db.advisory_lock(AdvisoryLock.INBOX)
    erase_question(db, key)
    db.execute("DELETE FROM wish WHERE key = $1", (key,))
    db.execute("DELETE FROM message WHERE key = $1", (key,))


def _erase_answers(db: Connection, condition: str, values: Sequence[object]) -> None:
    for statement in _OF_ANSWERS:
        db.execute(statement.format(which=condition), values)


def reply_documents_of(db: Connection, person: str) -> list[str]:
    """Return the ids of the documents that hold a question or a reply of `person`."""
    return _document_ids(db, _TAUGHT_BY, person)


def _document_ids(db: Connection, query: str, *values: str) -> list[str]:
    return [document for (document,) in db.execute(query, values)]
