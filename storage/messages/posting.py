"""Post once, find after a crash: how far the rows have come that something is posted for. All inside the caller's
transaction.

A row of `message` or `outbox` is open until it is over. The intent to post is recorded before anything can be visible
(`posting_since`), the platform's name of what was posted right after (`reference`): what a crash leaves with an intent
and without a name is looked for on the platform. What went wrong is tried again, not before `not_before`. These steps
are taken by the process that has the row (`holder`), so that one that was cut off does not go on.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pipeline.errors import QuestionWithdrawn
from storage.database import Connection

MAX_ATTEMPTS = 5
"""Of what the platform refuses, and of what ends the process."""
LONGEST_DELAY = 3600.0
"""Seconds that anything waits before it is tried again. What is to wait longer by now was put off by a clock that went
wrong, and waits no more."""


class PostTable(NamedTuple):
    """A table with the columns above, `key`, `attempt`, `state`, `why` and `closed_at`."""

    table: str
    unchanged_condition: str = "TRUE"
    """Nobody has changed meanwhile what is to be posted."""
    release_assignments: str = ""
    """What else changes when a row is given back."""
    step_columns: str = "key"
    """Columns that a step wants to know."""


def run_unless_withdrawn(
    db: Connection, rows: PostTable, key: str, step: Callable[[Connection, tuple[Any, ...]], None]
) -> QuestionWithdrawn | None:
    """Do `step`, which is given `rows.steps`, for a row that stands as this process took it; Withdrawn (returned) for
    one that does not."""
    columns = f"{rows.unchanged_condition} AND holder = $2, {rows.step_columns}"
    query = f"SELECT {columns} FROM {rows.table} WHERE key = $1 AND state = 'open' {db.for_update}"  # noqa: S608 - our own words
    row = db.execute(query, (key, db.lease_holder)).fetchone()
    if row and row[0]:
        step(db, row[1:])
        return None
    return QuestionWithdrawn(f"{key} was changed or deleted meanwhile", changed=row is not None)


def record_intent(db: Connection, rows: PostTable, key: str, now: float) -> None:
    """From now on something may be visible. Of what has a name that is known, and the rest of it may be there since."""
    named = "posting_since IS NOT NULL AND reference <> ''"
    db.execute(f"UPDATE {rows.table} SET posting_since = $1 WHERE key = $2 AND NOT ({named})", (now, key))  # noqa: S608 - our own words


def record_reference(db: Connection, rows: PostTable, key: str, reference: str) -> None:
    """Who lost the row meanwhile still tells those who have it where what was posted is, unless they know."""
    db.execute(
        f"UPDATE {rows.table} SET reference = $1 WHERE key = $2 AND (reference = '' OR holder = $3)",  # noqa: S608 - our own words
        (reference, key, db.lease_holder),
    )


def release_row(db: Connection, rows: PostTable, key: str, not_before: float, attempts: int) -> None:
    """Nothing is done with it before then. `attempts`: how many more there were than are counted, or less."""
    db.execute(
        f"UPDATE {rows.table} SET {rows.release_assignments} not_before = $1,"  # noqa: S608 - our own words
        " attempt = CASE WHEN attempt + $2 > 0 THEN attempt + $2 ELSE 0 END"
        " WHERE key = $3 AND state = 'open' AND holder = $4",
        (not_before, attempts, key, db.lease_holder),
    )


def close_row(db: Connection, rows: PostTable, key: str, state: str, why: str, now: float) -> bool:
    """Close it for good; False where it is not this process's."""
    statement = f"UPDATE {rows.table} SET state = $1, why = $2, closed_at = $3 WHERE key = $4 AND state = 'open'"  # noqa: S608 - our own words
    return db.execute(f"{statement} AND holder = $5", (state, why, now, key, db.lease_holder)).rowcount > 0


def not_before_after(now: float, delay: float) -> float:
    """Until when, as `not_before`."""
    return now + min(delay, LONGEST_DELAY)


def to_datetime(posting_since: float | None) -> datetime | None:
    return datetime.fromtimestamp(posting_since, UTC) if posting_since is not None else None
