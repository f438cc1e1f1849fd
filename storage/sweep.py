"""Deletion: documents are hidden at once, and what no reader can see is then deleted in short batches.

A crash in the middle loses nothing of this: what is hidden stays hidden, and the next `sweep`, of whichever process,
deletes it.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection
from functools import partial

from storage.database import Database
from storage.revision import BATCH_SECONDS, SPAN, generation, in_batches, raise_generation

ABANDONED_SECONDS = 3600.0
"""A staged revision that nothing was written to for this long belongs to a process that died, and is not taken up."""
MERGE_PAGES = 64
CHUNKS = 500
"""Chunks of a revision listed at a time: listing all of a large one takes longer than a batch may."""


def hide(db: sqlite3.Connection, document_ids: Collection[str]) -> int:
    """Let nobody find these documents any more, and note that they are to be erased; returns how many there were."""
    ids = (json.dumps(list(document_ids)),)
    retire = "UPDATE revision SET state = 'retired' WHERE document IN (SELECT value FROM json_each(?)) AND "
    removed = db.execute(f"{retire} state = 'live'", ids).rowcount
    staged = db.execute(f"{retire} state <> 'live' AND state = 'staged'", ids).rowcount
    if removed or staged:
        raise_generation(db)
        db.execute("INSERT OR REPLACE INTO setting VALUES ('removed', ?)", (str(generation(db)),))
    return removed


async def sweep(database: Database) -> None:
    """Delete what no reader can see: replaced and removed revisions, and those a crash left behind.

    Of removed documents nothing is left in the database's files after that, whoever removed them."""
    removed, hidden = await database.write(_due)
    for revision in hidden:
        await in_batches(database, partial(_delete_revision, revision=revision))
    if removed:
        await _erase_words(database)
        if await database.scrub():
            await database.write(partial(_erased, removed=removed))


def sweep_here(db: sqlite3.Connection) -> None:
    """The same at once, in a transaction of the caller's, for a database that nobody else has open."""
    removed, hidden = _due(db)
    for revision in hidden:
        while not _delete_revision(db, revision):
            pass
    if removed:
        db.execute("INSERT INTO words (words) VALUES ('optimize')")
        _erased(db, removed)


def _due(db: sqlite3.Connection) -> tuple[str, list[int]]:
    """The generation of the last removal that is not erased yet, or "", and the revisions to delete."""
    db.execute(
        "UPDATE revision SET state = 'retired' WHERE state <> 'live' AND state = 'staged' AND created_at < ?",
        (time.time() - ABANDONED_SECONDS,),
    )
    row = db.execute("SELECT value FROM setting WHERE name = 'removed'").fetchone()
    hidden = db.execute("SELECT id FROM revision WHERE state <> 'live' AND state = 'retired'")
    return str(row[0]) if row else "", [revision for (revision,) in hidden]


def _delete_revision(db: sqlite3.Connection, revision: int) -> bool:
    """Delete chunks for BATCH_SECONDS; True once the revision is gone."""
    if not delete_batch(db, revision):
        return False
    db.execute("DELETE FROM revision WHERE id = ?", (revision,))
    return True


def delete_batch(db: sqlite3.Connection, revision: int, position: int = 0) -> bool:
    """Delete chunks of a revision from `position` on for BATCH_SECONDS; True once there are no more."""
    rows = db.execute(
        "SELECT number FROM chunk WHERE number BETWEEN ? AND ? LIMIT ?",
        (revision * SPAN + position, (revision + 1) * SPAN - 1, CHUNKS),
    ).fetchall()
    end = time.monotonic() + BATCH_SECONDS
    for (number,) in rows:
        for table in (
            "words WHERE rowid",
            "chunk WHERE number",
            "unit_vectors WHERE number",
            "mean_vector WHERE number",
        ):
            db.execute(f"DELETE FROM {table} = ?", (number,))  # noqa: S608 - our own table names
        if time.monotonic() > end:
            return False
    return len(rows) < CHUNKS


async def _erase_words(database: Database) -> None:
    """Merge the lexical index down to one segment, so that words of deleted text are in none of its pages.

    SQLite 3.42 would do this while deleting (`secure-delete`); these are the documented steps for older versions."""
    await database.write(partial(_merge, pages=-MERGE_PAGES))
    await in_batches(database, partial(_merge, pages=MERGE_PAGES))


def _merge(db: sqlite3.Connection, pages: int) -> bool:
    before = db.total_changes
    db.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (pages,))
    return db.total_changes - before < 2


def _erased(db: sqlite3.Connection, removed: str) -> None:
    """Nothing is left to do, unless more was removed meanwhile."""
    db.execute("DELETE FROM setting WHERE name = 'removed' AND value = ?", (removed,))
