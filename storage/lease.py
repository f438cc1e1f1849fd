"""Whose turn it is: the inbox's fairness, inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from pipeline.values import Answer, IncomingMessage, Work

NEXT = """
    SELECT sequence, space, author FROM (
        SELECT min(sequence) AS sequence, space, author FROM message AS mine
        WHERE state = 'open' AND not_before <= :now AND leased_until <= :now AND NOT EXISTS (
            SELECT 1 FROM message AS earlier
            WHERE earlier.state = 'open' AND earlier.conversation = mine.conversation
                AND earlier.sequence < mine.sequence)
        GROUP BY space, author) AS head
    LEFT JOIN served AS spaces ON spaces.scope = head.space
    LEFT JOIN served AS authors ON authors.scope = head.space || ' ' || head.author
    ORDER BY coalesce(spaces.turn, 0), coalesce(authors.turn, 0), sequence LIMIT 1
"""
"""Of each author the oldest message that heads its conversation; of those the one whose space, then author, was
served longest ago."""


def next_work(db: sqlite3.Connection, now: float, *, attempts: int, until: float, late_before: float) -> Work | None:
    """Lease the next message `until` then; one that was leased `attempts` times already is declared dead instead."""
    while row := db.execute(NEXT, {"now": now}).fetchone():
        sequence, space, author = row
        (attempt,) = db.execute("SELECT attempt FROM message WHERE sequence = ?", (sequence,)).fetchone()
        if attempt < attempts:
            _serve(db, space, author)
            db.execute(
                "UPDATE message SET attempt = attempt + 1, leased_until = ?, withdrawn = 0 WHERE sequence = ?",
                (until, sequence),
            )
            return _work(db, sequence, late_before)
        db.execute(
            "UPDATE message SET state = 'dead', why = 'no attempt came to an end', closed_at = ? WHERE sequence = ?",
            (now, sequence),
        )
    return None


def _serve(db: sqlite3.Connection, space: str, author: str) -> None:
    (turn,) = db.execute(
        "INSERT INTO setting VALUES ('turn', 1)"
        " ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING CAST(value AS INTEGER)"
    ).fetchone()
    for scope in (space, f"{space} {author}"):
        db.execute("INSERT OR REPLACE INTO served VALUES (?, ?)", (scope, turn))


def _work(db: sqlite3.Connection, sequence: int, late_before: float) -> Work:
    body, attempt, posting_since, reference, sent_at, answer = db.execute(
        "SELECT message.body, attempt, posting_since, reference, sent_at, answer.body FROM message"
        " LEFT JOIN answer ON answer.id = message.answer WHERE sequence = ?",
        (sequence,),
    ).fetchone()
    return Work(
        message=IncomingMessage.model_validate_json(body),
        attempt=attempt,
        answer=Answer.model_validate_json(answer) if answer else None,
        posting_since=datetime.fromtimestamp(posting_since, UTC) if posting_since is not None else None,
        reference=reference,
        late=sent_at < late_before,
    )
