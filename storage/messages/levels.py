"""How much waits and how much is held: numbers alone, for whoever watches the bot."""

from __future__ import annotations

import time
from typing import NamedTuple

from storage.database import Connection, Database, scalar

DAY = 86_400.0


class Levels(NamedTuple):
    """As of one moment."""

    waiting: int
    """Questions without a complete reply, those being answered included."""
    oldest: float | None
    """When the oldest of them was asked, in seconds since the epoch."""
    given_up: int
    """Questions of the last day that were given up."""
    documents: int
    passages: int
    changed: float | None
    """When the document that is newest here was indexed, in seconds since the epoch."""


async def levels(database: Database) -> Levels:
    """Read them all from one snapshot. Raises Unavailable."""
    since = time.time() - DAY

    def work(db: Connection) -> Levels:
        waiting, oldest = db.execute("SELECT count(*), min(sent_at) FROM message WHERE state = 'open'").fetchone()
        (given_up,) = db.execute(
            "SELECT count(*) FROM message WHERE state <> 'open' AND closed_at > $1 AND state = 'dead'", (since,)
        ).fetchone()
        documents, changed = db.execute(
            "SELECT count(*), max(created_at) FROM revision WHERE state = 'live'"
        ).fetchone()
        passages = scalar(db, "SELECT count(*) FROM chunk")
        return Levels(waiting, oldest, given_up, documents, passages, changed)

    return await database.read(work)
