"""The order of turns: the inbox's fairness.

The next message is found among those that can be read, however long that takes, and then leased in a short transaction
that checks it again. `waiting` has a row for each space and each author with open messages, in the order of their
turns: the search ends at the first author of whom a message can be answered now.

A message that the process ended with is a suspect the second time: it may be what kills the process. It is tried alone,
so that the next end proves it, and after all others, so that they do not suffer from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import structlog

from pipeline.values import Answer, IncomingMessage, LeasedMessage
from storage.database import AdvisoryLock, Connection
from storage.messages.posting import LONGEST_DELAY, to_datetime

log = structlog.get_logger(__name__)

SUSPECT_CRASHES = 2
"""Ends of the process during work on a message, after which it is tried alone and last. One end without other work is
enough."""
SUSPECT_ALONE_SECONDS = 20.0
"""Seconds during which nothing is begun beside a suspect. A longer one does not keep everybody waiting."""
SUSPECT_WAIT_SECONDS = 60.0
"""Seconds that other messages go before a suspect, if there are always others."""

LEASABLE = f"""
    state = 'open' AND (not_before <= $1 OR not_before > $1 + {LONGEST_DELAY}) AND leased_until <= $1 AND NOT EXISTS (
        SELECT 1 FROM message AS earlier WHERE earlier.state = 'open'
            AND earlier.conversation = message.conversation AND earlier.sequence < message.sequence)
"""  # noqa: S608 - our own words
"""The message is the first of its conversation, is not leased, and its delay is over."""
NEXT_MESSAGE = f"""
    SELECT sequence FROM (
        SELECT turn, since, (
            SELECT sequence FROM message WHERE space = waiting.space AND author = waiting.author
                AND ends < {SUSPECT_CRASHES} AND {LEASABLE} ORDER BY sequence LIMIT 1) AS sequence
        FROM waiting WHERE space = $2) AS turns
    WHERE sequence IS NOT NULL ORDER BY turn, since LIMIT 1
"""  # noqa: S608 - our own words
"""The oldest message of the first author in turn that can be leased: served longest ago first, then waiting longest."""
NEXT_SUSPECT = f"""
    SELECT sequence, not_before, space FROM message WHERE ends >= {SUSPECT_CRASHES} AND {LEASABLE}
        ORDER BY not_before, sequence
"""  # noqa: S608 - as above
WAITING_SPACES = f"""
    SELECT scope, messages, leased, here, alone, suspicious FROM waiting, (
        SELECT count(*) AS leased, count(*) FILTER (WHERE holder = $2) AS here,
            count(*) FILTER (WHERE holder = $2 AND alone_until > $1) AS alone,
            EXISTS (SELECT 1 FROM message WHERE state = 'open' AND ends >= {SUSPECT_CRASHES}) AS suspicious
            FROM message WHERE state = 'open' AND leased_until > 0 AND leased_until > $1) AS under_way
    WHERE space = '' ORDER BY turn, since
"""  # noqa: S608 - as above
"""The spaces with open messages, in turn, each with their number.

Beside them: the number of leased messages, how many of those this process has, how many of these are tried alone, and
whether any message is a suspect.
"""
MARK_SERVED = "INSERT INTO served VALUES ($1, $3), ($2, $3) ON CONFLICT (scope) DO UPDATE SET turn = excluded.turn"
LEASED_BY = "state = 'open' AND leased_until > 0 AND holder = $1"
LEASE_STATEMENT = f"""
    SELECT key, space, author, ends, attempt, body, sent_at, (SELECT body FROM answer WHERE id = message.answer),
        posting_since, reference FROM message WHERE sequence = $2 AND {LEASABLE}
"""  # noqa: S608 - as above


class LeaseCandidate(NamedTuple):
    """The message whose turn it is."""

    sequence: int
    has_more: bool
    """True if other messages wait that are not leased either."""


def next_candidate(db: Connection, now: float, served: Callable[[str], bool]) -> LeaseCandidate | None:
    """Return the message whose turn it is in the spaces that are served, or None when nothing can be leased.

    A suspect waits until this process has no lease, and then is worked on alone.
    """
    spaces = db.execute(WAITING_SPACES, (now, db.lease_holder)).fetchall()
    if not spaces:
        return None
    _, _, leased, own, alone, suspicious = spaces[0]
    if alone:
        return None
    suspects = db.execute(NEXT_SUSPECT, (now,)).fetchall() if suspicious else ()
    suspect, due = next((row for *row, space in suspects if served(space)), (None, now))
    more = sum(messages for _, messages, *_ in spaces) > leased + 1
    if due + SUSPECT_WAIT_SECONDS > now:
        for space, *_ in spaces:
            if served(space) and (row := db.execute(NEXT_MESSAGE, (now, space)).fetchone()):
                return LeaseCandidate(row[0], more)
    return None if own or suspect is None else LeaseCandidate(suspect, more)


def lease_message(
    db: Connection, sequence: int, now: float, *, attempts: int, until: float, late_before: float
) -> LeasedMessage | None:
    """Lease the candidate until the time `until`; None when it cannot be leased any more.

    After `attempts` that never ended, as many follow to apologise; then the message is declared dead. So is a message
    that cannot be read: it would end every lease with an error, and nobody behind it would be answered.
    """
    db.advisory_lock(AdvisoryLock.INBOX)
    row = db.execute(f"{LEASE_STATEMENT} {db.skip_locked}", (now, sequence)).fetchone()
    if not row:
        return None
    key, space, author, ends, attempt, *columns = row
    if attempt >= 2 * attempts:
        log.error("delivery_given_up", key=key, reason="each attempt ended the process", attempts=attempt)
        _give_up(db, sequence, "no attempt came to an end", now)
        return None
    _mark_served(db, space, author)
    db.execute(
        "UPDATE message SET attempt = attempt + 1, leased_until = $1, alone_until = $2, withdrawn = FALSE, holder = $3"
        " WHERE sequence = $4",
        (until, now + SUSPECT_ALONE_SECONDS if ends >= SUSPECT_CRASHES else 0, db.lease_holder, sequence),
    )
    try:
        return _make_leased(attempt + 1, *columns, attempts=attempts, late_before=late_before)
    except ValueError as error:
        log.error("delivery_given_up", key=key, reason=str(error))  # noqa: TRY400 - whoever reads the log needs no more
        _give_up(db, sequence, "it cannot be read", now)
        return None


def lease_holders(db: Connection) -> set[int]:
    """Return the processes that hold leases, as far as is known."""
    rows = db.execute("SELECT DISTINCT holder FROM message WHERE state = 'open' AND leased_until > 0")
    return {holder for (holder,) in rows}


def reclaim_leases(db: Connection, now: float, holder: int) -> int:
    """End the leases of a process that died. Return how many.

    The end counts as an attempt of the message that was tried alone, or that was the only one leased, and it waits
    longer each time. It costs the others nothing, but a second one makes them suspects.
    """
    db.advisory_lock(AdvisoryLock.INBOX)
    leased, suspects = db.execute(
        f"SELECT count(*), count(*) FILTER (WHERE ends >= $2) FROM message WHERE {LEASED_BY}",  # noqa: S608 - our own words
        (holder, SUSPECT_CRASHES),
    ).fetchone()
    innocent = db.execute(
        "UPDATE message SET leased_until = 0, withdrawn = FALSE, attempt = attempt - 1, ends = ends + $2,"  # noqa: S608 - our own words
        f" not_before = $3 WHERE {LEASED_BY} AND ends < $4 AND $5",
        (holder, 0 if suspects else 1, now, SUSPECT_CRASHES, leased > 1),
    ).rowcount
    # 1 << attempt: the wait doubles with each attempt, from nothing up to 30 seconds
    charged = db.execute(
        "UPDATE message SET leased_until = 0, withdrawn = FALSE, ends = ends + $2,"  # noqa: S608 - our own words
        f" not_before = $3 + (1 << CASE WHEN attempt < 5 THEN attempt ELSE 5 END) - 2 WHERE {LEASED_BY}",
        (holder, SUSPECT_CRASHES, now),
    ).rowcount
    return innocent + charged


def _give_up(db: Connection, sequence: int, why: str, now: float) -> None:
    db.execute("UPDATE message SET state = 'dead', why = $1, closed_at = $2 WHERE sequence = $3", (why, now, sequence))


def _mark_served(db: Connection, space: str, author: str) -> None:
    (turn,) = db.execute(
        "INSERT INTO setting VALUES ('turn', '1') ON CONFLICT (name)"
        " DO UPDATE SET value = CAST(CAST(setting.value AS BIGINT) + 1 AS TEXT) RETURNING CAST(value AS BIGINT)"
    ).fetchone()
    scopes = (space, f"{space} {author}")
    db.execute(MARK_SERVED, (*scopes, turn))
    db.execute("UPDATE waiting SET turn = $3 WHERE scope IN ($1, $2)", (*scopes, turn))


def _make_leased(
    attempt: int,
    body: str,
    sent_at: float,
    answer: str | None,
    posting_since: float | None,
    reference: str,
    *,
    attempts: int,
    late_before: float,
) -> LeasedMessage:
    return LeasedMessage(
        message=IncomingMessage.model_validate_json(body),
        attempt=attempt,
        last=attempt >= attempts,
        crashed_last_attempt=attempt > attempts,
        answer=Answer.model_validate_json(answer) if answer else None,
        posting_since=to_datetime(posting_since),
        reference=reference,
        is_late=sent_at < late_before,
    )
