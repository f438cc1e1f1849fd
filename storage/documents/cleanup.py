"""Deletion: documents are hidden at once, and what no reader can see is then deleted in short batches.

A crash in the middle loses nothing of this: what is hidden stays hidden, and the next `sweep`, of whichever process,
deletes it.
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


def record_quotes(db: Connection, answer_id: str, document_ids: Iterable[str]) -> None:
    """Keep which documents an answer has words of; of one that was removed while it was written they go, too."""
    db.executemany(_QUOTE, ((document, answer_id) for document in dict.fromkeys(document_ids)))


def mark_quotes_removed(db: Connection, document_ids: Collection[str]) -> None:
    """Note that no answer is to hold words of these documents."""
    gone = "UPDATE quoting SET gone = TRUE WHERE document IN (SELECT value FROM json_each($1))"
    db.execute(gone, (json.dumps(list(document_ids)),))


def has_stale_answers(db: Connection) -> bool:
    """Whether an answer was kept after a document that it shows was removed."""
    return bool(fetch_value(db, "SELECT EXISTS (SELECT 1 FROM quoting WHERE gone)"))


def redact_answers(db: Connection) -> bool:
    """Take words of removed documents out of answers, and out of what conversations recall of them, for BATCH_SECONDS;
    True once none is left."""
    end = time.monotonic() + BATCH_SECONDS
    gone: dict[str, set[str]] = {}
    for answer, document in db.execute(_GONE, (ANSWERS_PER_STATEMENT,)).fetchall():
        gone.setdefault(answer, set()).add(document)
    for answer, documents in gone.items():
        left = _bare(db, answer, documents)
        db.execute("DELETE FROM quoting WHERE answer = $1", (answer,))
        record_quotes(db, answer, left - documents)
        if time.monotonic() > end:
            return False
    return len(gone) < ANSWERS_PER_STATEMENT


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
    left = answer.without_documents(documents, Translator(answer.language)(wording.SOURCE_REMOVED))
    db.execute("UPDATE answer SET body = $1 WHERE id = $2", (left.model_dump_json(), answer_id))
    db.execute(_REPLIES, (author, f'%"id":"{answer_id}"%'))
    recalled = "SELECT id, CAST(body AS TEXT) FROM turn WHERE author = $1 AND body ->> 'question' = $2"
    for number, body in db.execute(recalled, (author, answer.question)).fetchall():
        turn = Turn.model_validate_json(body)
        if shown.intersection(turn.chunk_ids):
            db.execute("UPDATE turn SET body = $1 WHERE id = $2", (turn.question_only.model_dump_json(), number))
    return left.document_ids


# --- Deletion -------------------------------------------------------------------------------------

ABANDONED_SECONDS = 3600.0
"""A staged revision that nothing was written to for this long belongs to a process that died, and is not taken up."""
CHUNKS_PER_LISTING = 500
"""Chunks of a revision listed at a time: listing all of a large one takes longer than a batch may."""


def hide_documents(db: Connection, document_ids: Collection[str]) -> int:
    """Let nobody find these documents any more, and note that they are to be erased; returns how many there were."""
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
    """Delete what no reader can see: replaced and removed revisions, and those a crash left behind.

    Of removed documents nothing is left in the database's files after that, in answers neither, whoever removed
    them. Raises Unavailable, which says so where that is still to be done."""
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
    """The generation of the last removal that is not erased yet ("answers" where only answers lag behind, "" where
    nothing does), and the revisions to delete."""
    db.execute(
        "UPDATE revision SET state = 'retired'"
        " WHERE state <> 'live' AND state = 'staged' AND NOT beside AND created_at < $1",
        (time.time() - ABANDONED_SECONDS,),
    )
    return recorded_deletions(db)


def recorded_deletions(db: Connection) -> tuple[str, list[int]]:
    """The same, without looking for what was abandoned: in a backup, nothing is written any more."""
    retired = db.execute("SELECT id FROM revision WHERE state <> 'live' AND state = 'retired'").fetchall()
    since = read_setting(db, "removed") or ("answers" if has_stale_answers(db) else "")
    return since, [revision for (revision,) in retired]


def delete_revision(db: Connection, index: PassageIndex, revision: int) -> bool:
    """Delete chunks for BATCH_SECONDS; True once the revision is gone."""
    if not delete_batch(db, index, revision):
        return False
    db.execute("DELETE FROM revision WHERE id = $1", (revision,))
    return True


def delete_batch(db: Connection, index: PassageIndex, revision: int, position: int = 0) -> bool:
    """Delete chunks of a revision from `position` on for BATCH_SECONDS; True once there are no more."""
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
    """Nothing is left to do, unless more was removed meanwhile."""
    db.execute("DELETE FROM setting WHERE name = 'removed' AND value = $1", (removed,))
