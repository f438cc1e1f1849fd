"""Which documents an answer has words of: where one is removed, they go from the answers, too."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable

from pipeline.translations import Words
from pipeline.values import Answer, Turn
from pipeline.words import wording
from storage.database import Connection, scalar
from storage.documents.revision import BATCH_SECONDS

ANSWERS = 100
"""Answers looked at by one statement."""
_REPLIES = "DELETE FROM api_reply WHERE substr(request, 1, length($1) + 1) = $1 || ' ' AND body LIKE $2"
_QUOTE = """
    INSERT INTO quoting (document, answer, gone) SELECT CAST($1 AS TEXT), $2,
        NOT EXISTS (SELECT 1 FROM revision WHERE document = CAST($1 AS TEXT) AND state = 'live')
        WHERE TRUE ON CONFLICT DO NOTHING
"""
_GONE = """
    SELECT answer, document FROM quoting WHERE gone
        AND answer IN (SELECT DISTINCT answer FROM quoting WHERE gone ORDER BY answer LIMIT $1)
"""


def quote(db: Connection, answer_id: str, document_ids: Iterable[str]) -> None:
    """Keep which documents an answer has words of; of one that was removed while it was written they go, too."""
    db.executemany(_QUOTE, ((document, answer_id) for document in dict.fromkeys(document_ids)))


def unquote(db: Connection, document_ids: Collection[str]) -> None:
    """Note that no answer is to hold words of these documents."""
    gone = "UPDATE quoting SET gone = TRUE WHERE document IN (SELECT value FROM json_each($1))"
    db.execute(gone, (json.dumps(list(document_ids)),))


def lagging(db: Connection) -> bool:
    """Whether an answer was kept after a document that it shows was removed."""
    return bool(scalar(db, "SELECT EXISTS (SELECT 1 FROM quoting WHERE gone)"))


def bare(db: Connection) -> bool:
    """Take words of removed documents out of answers, and out of what conversations recall of them, for BATCH_SECONDS;
    True once none is left."""
    end = time.monotonic() + BATCH_SECONDS
    gone: dict[str, set[str]] = {}
    for answer, document in db.execute(_GONE, (ANSWERS,)).fetchall():
        gone.setdefault(answer, set()).add(document)
    for answer, documents in gone.items():
        left = _bare(db, answer, documents)
        db.execute("DELETE FROM quoting WHERE answer = $1", (answer,))
        quote(db, answer, left - documents)
        if time.monotonic() > end:
            return False
    return len(gone) < ANSWERS


def _bare(db: Connection, answer_id: str, documents: Collection[str]) -> frozenset[str]:
    """The documents that it still names."""
    row = db.execute("SELECT author, CAST(body AS TEXT) FROM answer WHERE id = $1", (answer_id,)).fetchone()
    if row is None:
        return frozenset()
    author = row[0]
    try:
        answer = Answer.model_validate_json(row[1])
    except ValueError:  # of a version that is not known here: it goes as a whole
        db.execute("DELETE FROM answer WHERE id = $1", (answer_id,))
        return frozenset()
    shown = {one.chunk_id for one in answer.sources if one.document_id in documents}
    left = answer.forgetting(documents, Words(answer.language)(wording.REMOVED))
    db.execute("UPDATE answer SET body = $1 WHERE id = $2", (left.model_dump_json(), answer_id))
    db.execute(_REPLIES, (author, f'%"id":"{answer_id}"%'))
    recalled = "SELECT id, CAST(body AS TEXT) FROM turn WHERE author = $1 AND body ->> 'question' = $2"
    for number, body in db.execute(recalled, (author, answer.question)).fetchall():
        turn = Turn.model_validate_json(body)
        if shown.intersection(turn.chunk_ids):
            db.execute("UPDATE turn SET body = $1 WHERE id = $2", (turn.untold.model_dump_json(), number))
    return left.documents
