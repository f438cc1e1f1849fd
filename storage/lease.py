"""Whose turn it is: the inbox's fairness.

The next message is looked for among what can be read, however long that takes, and then taken in a short transaction
that makes sure of it. `waiting` has a row for each space and each author that waits, in the order of their turns: the
search ends at the first author of whom a message can be answered now.
"""

from __future__ import annotations

import logging
import sqlite3
from datetime import UTC, datetime

from pipeline.values import Answer, IncomingMessage, Work

_log = logging.getLogger(__name__)

TURNS = "SELECT scope, author FROM waiting WHERE space = ? ORDER BY turn, since"
"""Served longest ago first, then waiting longest; "" is the space of the spaces."""
LEASABLE = """
    state = 'open' AND not_before <= :now AND leased_until <= :now AND NOT EXISTS (
        SELECT 1 FROM message AS earlier WHERE earlier.state = 'open'
            AND earlier.conversation = message.conversation AND earlier.sequence < message.sequence)
"""
"""The message heads its conversation, is not leased, and its delay is over."""
OLDEST = f"""
    SELECT sequence FROM message WHERE space = :space AND author = :author AND {LEASABLE} ORDER BY sequence LIMIT 1
"""  # noqa: S608 - our own words
TAKE = f"SELECT key, space, author, attempt FROM message WHERE sequence = :sequence AND {LEASABLE}"  # noqa: S608 - as above


def candidate(db: sqlite3.Connection, now: float) -> int | None:
    """The message whose turn it is: its sequence number, or None when nothing can be leased."""
    for space, _ in db.execute(TURNS, ("",)):
        for _, author in db.execute(TURNS, (space,)):
            row = db.execute(OLDEST, {"space": space, "author": author, "now": now}).fetchone()
            if row:
                return int(row[0])
    return None


def take_turn(
    db: sqlite3.Connection, sequence: int, now: float, *, attempts: int, until: float, late_before: float
) -> Work | None:
    """Lease the candidate `until` then; None when it is no longer one.

    A message that was leased `attempts` times already is declared dead instead."""
    row = db.execute(TAKE, {"sequence": sequence, "now": now}).fetchone()
    if not row:
        return None
    key, space, author, attempt = row
    if attempt >= attempts:
        _log.error("Gave up the question %s: the process ended in each of %d attempts", key, attempt)
        db.execute(
            "UPDATE message SET state = 'dead', why = 'no attempt came to an end', closed_at = ? WHERE sequence = ?",
            (now, sequence),
        )
        return None
    _serve(db, space, author)
    db.execute(
        "UPDATE message SET attempt = attempt + 1, leased_until = ?, withdrawn = 0 WHERE sequence = ?",
        (until, sequence),
    )
    return _work(db, sequence, attempts, late_before)


def give_back(db: sqlite3.Connection, key: str, not_before: float, *, counts: bool) -> None:
    """End a lease; the message may be leased again from `not_before` on. `counts`: an answer was attempted."""
    db.execute(
        "UPDATE message SET leased_until = 0, withdrawn = 0, not_before = ?, attempt = max(0, attempt - ?)"
        " WHERE key = ? AND state = 'open'",
        (not_before, 0 if counts else 1, key),
    )


def take_back(db: sqlite3.Connection, now: float) -> int:
    """End all leases, of which the holders died; each message waits longer after each attempt. Returns how many."""
    return db.execute(
        "UPDATE message SET leased_until = 0, withdrawn = 0, not_before = ? + (1 << attempt) - 2"
        " WHERE state = 'open' AND leased_until > 0",
        (now,),
    ).rowcount


def _serve(db: sqlite3.Connection, space: str, author: str) -> None:
    (turn,) = db.execute(
        "INSERT INTO setting VALUES ('turn', 1)"
        " ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING CAST(value AS INTEGER)"
    ).fetchone()
    for scope in (space, f"{space} {author}"):
        db.execute("INSERT OR REPLACE INTO served VALUES (?, ?)", (scope, turn))
        db.execute("UPDATE waiting SET turn = ? WHERE scope = ?", (turn, scope))


def _work(db: sqlite3.Connection, sequence: int, attempts: int, late_before: float) -> Work:
    body, attempt, posting_since, reference, sent_at, answer = db.execute(
        "SELECT message.body, attempt, posting_since, reference, sent_at, answer.body FROM message"
        " LEFT JOIN answer ON answer.id = message.answer WHERE sequence = ?",
        (sequence,),
    ).fetchone()
    return Work(
        message=IncomingMessage.model_validate_json(body),
        attempt=attempt,
        last=attempt >= attempts,
        answer=Answer.model_validate_json(answer) if answer else None,
        posting_since=datetime.fromtimestamp(posting_since, UTC) if posting_since is not None else None,
        reference=reference,
        late=sent_at < late_before,
    )
