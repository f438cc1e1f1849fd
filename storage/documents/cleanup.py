"""Deletion: documents are hidden at once, and then deleted in short batches once no reader can see them.

A crash loses nothing of this: hidden documents stay hidden, and the next `delete_unreachable` of any process deletes
them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable
from functools import partial

from pipeline.errors import Unavailable
from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.translations import Translator
from pipeline.values import Answer, Turn
from pipeline.words import wording
from storage.database import Connection, Database, PassageIndex, fetch_value
from storage.documents.revision import (
    BATCH_SECONDS,
    CHUNKS_PER_STATEMENT,
    bump_generation,
    library_generation,
    number_range,
    run_in_batches,
)
from storage.settings import read_setting, write_setting

# --- Which documents an answer has words of: where one is removed, they go from the answers, too ---

ANSWERS_PER_STATEMENT = 100
"""Answers updated by one statement."""
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


def record_quotes(db: Connection, answer_id: str, document_ids: Iterable[str]) -> None:
    """Record the documents that an answer quotes. Quotes of a document removed while the answer was written are marked
    as removed."""
    db.executemany(_QUOTE, ((document, answer_id) for document in dict.fromkeys(document_ids)))


def mark_quotes_removed(db: Connection, document_ids: Collection[str]) -> None:
    """Mark the quotes of these documents as removed, so that answers lose them."""
    statement = "UPDATE quoting SET gone = TRUE WHERE document IN (SELECT value FROM json_each($1))"
    db.execute(statement, (json.dumps(list(document_ids)),))


def has_stale_answers(db: Connection) -> bool:
    """Return True when an answer was stored after a document it shows had been removed."""
    return bool(fetch_value(db, "SELECT EXISTS (SELECT 1 FROM quoting WHERE gone)"))


def redact_answers(db: Connection) -> bool:
    """Take quotes of removed documents out of answers and conversations, for BATCH_SECONDS. Return True once none is
    left."""
    end = time.monotonic() + BATCH_SECONDS
    removed: dict[str, set[str]] = {}
    for answer, document in db.execute(_GONE, (ANSWERS_PER_STATEMENT,)).fetchall():
        removed.setdefault(answer, set()).add(document)
    for answer, documents in removed.items():
        remaining = _redact_answer(db, answer, documents)
        db.execute("DELETE FROM quoting WHERE answer = $1", (answer,))
        record_quotes(db, answer, remaining - documents)
        if time.monotonic() > end:
            return False
    return len(removed) < ANSWERS_PER_STATEMENT


def _redact_answer(db: Connection, answer_id: str, documents: Collection[str]) -> frozenset[str]:
    """Remove `documents` from an answer. Return the ids of the documents it still names."""
    row = db.execute("SELECT author, CAST(body AS TEXT) FROM answer WHERE id = $1", (answer_id,)).fetchone()
    if row is None:
        return frozenset()
    author = row[0]
    try:
        answer = Answer.model_validate_json(row[1])
    except ValueError:  # of a version that is not known here: it goes as a whole
        db.execute("DELETE FROM answer WHERE id = $1", (answer_id,))
        return frozenset()
    chunk_ids = {citation.chunk_id for citation in answer.sources if citation.document_id in documents}
    redacted = answer.without_documents(documents, Translator(answer.language)(wording.SOURCE_REMOVED))
    db.execute("UPDATE answer SET body = $1 WHERE id = $2", (redacted.model_dump_json(), answer_id))
    db.execute(_REPLIES, (author, f'%"id":"{answer_id}"%'))
    query = "SELECT id, CAST(body AS TEXT) FROM turn WHERE author = $1 AND body ->> 'question' = $2"
    for number, body in db.execute(query, (author, answer.question)).fetchall():
        turn = Turn.model_validate_json(body)
        if chunk_ids.intersection(turn.chunk_ids):
            db.execute("UPDATE turn SET body = $1 WHERE id = $2", (turn.question_only.model_dump_json(), number))
    return redacted.document_ids


# --- Deletion -------------------------------------------------------------------------------------

ABANDONED_SECONDS = 3600.0
"""Seconds without a write after which a staged revision belongs to a process that died, and is not taken over."""
CHUNKS_PER_LISTING = 500
"""Chunks of a revision listed at a time: listing a large one completely takes longer than a batch may."""


def hide_documents(db: Connection, document_ids: Collection[str]) -> int:
    """Hide these documents from all readers and mark them for erasure. Return how many there were."""
    ids = (json.dumps(list(document_ids)),)
    retire = "UPDATE revision SET state = 'retired' WHERE document IN (SELECT value FROM json_each($1)) AND "
    removed = db.execute(f"{retire} state = 'live'", ids).rowcount
    staged = db.execute(f"{retire} state <> 'live' AND state = 'staged'", ids).rowcount
    if removed or staged:
        mark_quotes_removed(db, document_ids)
        bump_generation(db)
        write_setting(db, "removed", str(library_generation(db)))
    return removed


async def delete_unreachable(database: Database) -> None:
    """Delete data no reader can see: replaced and removed revisions, and those a crash left behind.

    Removed documents then leave nothing in the database's files nor in answers, no matter which process removed them.
    Raises Unavailable, whose message says when erasure is still to be done.
    """
    with workspace_scope(ALL_WORKSPACES):
        removed, hidden = await database.write(pending_deletions)
        try:
            for revision in hidden:
                await run_in_batches(
                    database, partial(delete_revision, index=database.passage_index, revision=revision)
                )
            if removed:
                await run_in_batches(database, redact_answers)
                await database.passage_index.purge_removed(database)
                if await database.purge_deleted():
                    await database.write(partial(mark_erased, removed=removed))
        except Unavailable as error:
            if not removed:
                raise
            raise _not_erased(error) from error


def _not_erased(error: Unavailable) -> Unavailable:
    reason = str(error).removeprefix(f"{error.service}: ")
    return Unavailable(
        error.service,
        f"what was removed is shown to nobody any more, but its text is not erased yet: {reason}",
        what_to_do=f"{error.what_to_do} It is erased once anything is indexed, removed or backed up after that.",
    )


def pending_deletions(db: Connection) -> tuple[str, list[int]]:
    """Return the generation of the last removal not erased yet, and the revisions to delete.

    The generation is "answers" when only answers lag behind, and "" when nothing does. Abandoned revisions are retired
    first.
    """
    db.execute(
        "UPDATE revision SET state = 'retired'"
        " WHERE state <> 'live' AND state = 'staged' AND NOT beside AND created_at < $1",
        (time.time() - ABANDONED_SECONDS,),
    )
    return recorded_deletions(db)


def recorded_deletions(db: Connection) -> tuple[str, list[int]]:
    """Return what `pending_deletions` does without retiring abandoned revisions: nobody writes to a backup any more."""
    retired = db.execute("SELECT id FROM revision WHERE state <> 'live' AND state = 'retired'").fetchall()
    since = read_setting(db, "removed") or ("answers" if has_stale_answers(db) else "")
    return since, [revision for (revision,) in retired]


def delete_revision(db: Connection, index: PassageIndex, revision: int) -> bool:
    """Delete a revision's chunks for BATCH_SECONDS. Return True once the revision is gone."""
    if not delete_batch(db, index, revision):
        return False
    db.execute("DELETE FROM revision WHERE id = $1", (revision,))
    return True


def delete_batch(db: Connection, index: PassageIndex, revision: int, position: int = 0) -> bool:
    """Delete a revision's chunks from `position` on for BATCH_SECONDS. Return True once there are no more."""
    first, last = number_range(revision)
    rows = db.execute(
        "SELECT number FROM chunk WHERE number BETWEEN $1 AND $2 LIMIT $3", (first + position, last, CHUNKS_PER_LISTING)
    ).fetchall()
    end = time.monotonic() + BATCH_SECONDS
    for start in range(0, len(rows), CHUNKS_PER_STATEMENT):
        group = rows[start : start + CHUNKS_PER_STATEMENT]
        index.remove(db, [number for (number,) in group])
        for table in ("chunk", "unit_vectors"):
            db.executemany(f"DELETE FROM {table} WHERE number = $1", group)  # noqa: S608 - our own table names
        if time.monotonic() > end:
            return False
    return len(rows) < CHUNKS_PER_LISTING


def mark_erased(db: Connection, removed: str) -> None:
    """Mark removals as erased, unless more was removed meanwhile."""
    db.execute("DELETE FROM setting WHERE name = 'removed' AND value = $1", (removed,))
