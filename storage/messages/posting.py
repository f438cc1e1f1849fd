"""Post once, find after a crash: the progress of rows that stand for a post. All inside the caller's transaction.

A row of `message` or `outbox` is open until its post is complete. The intent to post is recorded before anything can be
visible (`posting_since`), the platform's id of the post right after (`reference`): after a crash, a row with an intent
and without an id is searched for on the platform. A failed post is tried again, not before `not_before`. Only the
process that holds the row (`holder`) takes these steps, so that one that was cut off does not continue.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pipeline.errors import QuestionWithdrawn
from storage.database import Connection

MAX_ATTEMPTS = 5
"""Attempts at a post that the platform refuses, or at a message that ends the process."""
LONGEST_DELAY = 3600.0
"""Seconds that anything waits before it is tried again. A later time was set by a wrong clock and is ignored."""


class PostTable(NamedTuple):
    """A table with the columns above, `key`, `attempt`, `state`, `why` and `closed_at`."""

    table: str
    unchanged_condition: str = "TRUE"
    """True while nobody has changed the content of the post."""
    release_assignments: str = ""
    """Other changes when a row is released."""
    step_columns: str = "key"
    """Columns that a step receives."""


def run_unless_withdrawn(
    db: Connection, rows: PostTable, key: str, step: Callable[[Connection, tuple[Any, ...]], None]
) -> QuestionWithdrawn | None:
    """Run `step`, with the values of `step_columns`, for a row that is as this process took it.

    Return QuestionWithdrawn for a row that is not.
    """
    columns = f"{rows.unchanged_condition} AND holder = $2, {rows.step_columns}"
    query = f"SELECT {columns} FROM {rows.table} WHERE key = $1 AND state = 'open' {db.for_update}"  # noqa: S608 - our own words
    row = db.execute(query, (key, db.lease_holder)).fetchone()
    if row and row[0]:
        step(db, row[1:])
        return None
    return QuestionWithdrawn(f"{key} was changed or deleted meanwhile", changed=row is not None)


def record_intent(db: Connection, rows: PostTable, key: str, now: float) -> None:
    """Record that something may be visible from now on. The time of a post whose id is known, and whose rest may follow
    it, stays."""
    condition = "posting_since IS NOT NULL AND reference <> ''"
    db.execute(f"UPDATE {rows.table} SET posting_since = $1 WHERE key = $2 AND NOT ({condition})", (now, key))  # noqa: S608 - our own words


def record_reference(db: Connection, rows: PostTable, key: str, reference: str) -> None:
    """Record the platform's id. A process that lost the row still records it, unless the new holder knows one."""
    db.execute(
        f"UPDATE {rows.table} SET reference = $1 WHERE key = $2 AND (reference = '' OR holder = $3)",  # noqa: S608 - our own words
        (reference, key, db.lease_holder),
    )


def release_row(db: Connection, rows: PostTable, key: str, not_before: float, attempts: int) -> None:
    """Release a row until `not_before`. `attempts`: the number to add to the counted ones, also below 0."""
    db.execute(
        f"UPDATE {rows.table} SET {rows.release_assignments} not_before = $1,"  # noqa: S608 - our own words
        " attempt = CASE WHEN attempt + $2 > 0 THEN attempt + $2 ELSE 0 END"
        " WHERE key = $3 AND state = 'open' AND holder = $4",
        (not_before, attempts, key, db.lease_holder),
    )


def close_row(db: Connection, rows: PostTable, key: str, state: str, why: str, now: float) -> bool:
    """Close a row for good. Return False if another process holds it."""
    statement = f"UPDATE {rows.table} SET state = $1, why = $2, closed_at = $3 WHERE key = $4 AND state = 'open'"  # noqa: S608 - our own words
    return db.execute(f"{statement} AND holder = $5", (state, why, now, key, db.lease_holder)).rowcount > 0


def not_before_after(now: float, delay: float) -> float:
    """Return the time after `delay` seconds, at most LONGEST_DELAY, for `not_before`."""
    return now + min(delay, LONGEST_DELAY)


def to_datetime(posting_since: float | None) -> datetime | None:
    return datetime.fromtimestamp(posting_since, UTC) if posting_since is not None else None
