"""Numbers of waiting messages and stored documents, for monitoring."""

from __future__ import annotations

import time
from typing import NamedTuple

from storage.database import Connection, Database, fetch_value

DAY_SECONDS = 86_400.0


class StorageLevels(NamedTuple):
    """The numbers at one moment."""

    waiting: int
    """Questions without a complete reply, including those being answered."""
    oldest_waiting_at: float | None
    """Time the oldest of them was asked, in seconds since the epoch."""
    given_up: int
    """Questions of the last day that were given up."""
    documents: int
    passages: int
    newest_document_at: float | None
    """Time the newest document was indexed, in seconds since the epoch."""


async def read_levels(database: Database) -> StorageLevels:
    """Read all numbers from one snapshot. Raises Unavailable."""
    since = time.time() - DAY_SECONDS

    def work(db: Connection) -> StorageLevels:
        waiting, oldest = db.execute("SELECT count(*), min(sent_at) FROM message WHERE state = 'open'").fetchone()
        (given_up,) = db.execute(
            "SELECT count(*) FROM message WHERE state <> 'open' AND closed_at > $1 AND state = 'dead'", (since,)
        ).fetchone()
        documents, changed = db.execute(
            "SELECT count(*), max(created_at) FROM revision WHERE state = 'live'"
        ).fetchone()
        passages = fetch_value(db, "SELECT count(*) FROM chunk")
        return StorageLevels(waiting, oldest, given_up, documents, passages, changed)

    return await database.read(work)
