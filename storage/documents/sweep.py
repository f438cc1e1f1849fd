"""Deletion: documents are hidden at once, and what no reader can see is then deleted in short batches.

A crash in the middle loses nothing of this: what is hidden stays hidden, and the next `sweep`, of whichever process,
deletes it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from functools import partial

from pipeline.errors import Unavailable
from pipeline.rules.tenancy import EVERYTHING, bound
from storage.database import Connection, Database, PassageIndex
from storage.documents.quoted import bare, lagging, unquote
from storage.documents.revision import BATCH_SECONDS, GROUP, generation, in_batches, raise_generation, span
from storage.settings import set_to, setting

ABANDONED_SECONDS = 3600.0
"""A staged revision that nothing was written to for this long belongs to a process that died, and is not taken up."""
CHUNKS = 500
"""Chunks of a revision listed at a time: listing all of a large one takes longer than a batch may."""


def hide(db: Connection, document_ids: Collection[str]) -> int:
    """Let nobody find these documents any more, and note that they are to be erased; returns how many there were."""
    ids = (json.dumps(list(document_ids)),)
    retire = "UPDATE revision SET state = 'retired' WHERE document IN (SELECT value FROM json_each($1)) AND "
    removed = db.execute(f"{retire} state = 'live'", ids).rowcount
    staged = db.execute(f"{retire} state <> 'live' AND state = 'staged'", ids).rowcount
    if removed or staged:
        unquote(db, document_ids)
        raise_generation(db)
        set_to(db, "removed", str(generation(db)))
    return removed


async def sweep(database: Database) -> None:
    """Delete what no reader can see: replaced and removed revisions, and those a crash left behind.

    Of removed documents nothing is left in the database's files after that, in answers neither, whoever removed
    them. Raises Unavailable, which says so where that is still to be done."""
    with bound(EVERYTHING):
        removed, hidden = await database.write(due)
        try:
            for revision in hidden:
                await in_batches(database, partial(delete_revision, index=database.passages, revision=revision))
            if removed:
                await in_batches(database, bare)
                await database.passages.erase(database)
                if await database.scrub():
                    await database.write(partial(erased, removed=removed))
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


def due(db: Connection) -> tuple[str, list[int]]:
    """The generation of the last removal that is not erased yet ("answers" where only answers lag behind, "" where
    nothing does), and the revisions to delete."""
    db.execute(
        "UPDATE revision SET state = 'retired'"
        " WHERE state <> 'live' AND state = 'staged' AND NOT beside AND created_at < $1",
        (time.time() - ABANDONED_SECONDS,),
    )
    return hidden(db)


def hidden(db: Connection) -> tuple[str, list[int]]:
    """The same, without looking for what was abandoned: in a backup, nothing is written any more."""
    retired = db.execute("SELECT id FROM revision WHERE state <> 'live' AND state = 'retired'").fetchall()
    since = setting(db, "removed") or ("answers" if lagging(db) else "")
    return since, [revision for (revision,) in retired]


def delete_revision(db: Connection, index: PassageIndex, revision: int) -> bool:
    """Delete chunks for BATCH_SECONDS; True once the revision is gone."""
    if not delete_batch(db, index, revision):
        return False
    db.execute("DELETE FROM revision WHERE id = $1", (revision,))
    return True


def delete_batch(db: Connection, index: PassageIndex, revision: int, position: int = 0) -> bool:
    """Delete chunks of a revision from `position` on for BATCH_SECONDS; True once there are no more."""
    first, last = span(revision)
    rows = db.execute(
        "SELECT number FROM chunk WHERE number BETWEEN $1 AND $2 LIMIT $3", (first + position, last, CHUNKS)
    ).fetchall()
    end = time.monotonic() + BATCH_SECONDS
    for start in range(0, len(rows), GROUP):
        group = rows[start : start + GROUP]
        index.remove(db, [number for (number,) in group])
        for table in ("chunk", "unit_vectors"):
            db.executemany(f"DELETE FROM {table} WHERE number = $1", group)  # noqa: S608 - our own table names
        if time.monotonic() > end:
            return False
    return len(rows) < CHUNKS


def erased(db: Connection, removed: str) -> None:
    """Nothing is left to do, unless more was removed meanwhile."""
    db.execute("DELETE FROM setting WHERE name = 'removed' AND value = $1", (removed,))
