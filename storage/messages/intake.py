"""The messages that the inbox accepts, changes and drops, and the keys it remembers. All inside the caller's
transaction."""

from __future__ import annotations

import hashlib

from pipeline.errors import Busy
from pipeline.values import IncomingMessage, MessageTrigger, replace
from storage.database import AdvisoryLock, Connection, fetch_value
from storage.messages.erase import erase_question
from storage.messages.participation import end_silence, mark_channel_seen
from storage.schema.tables import upsert_statement
from storage.settings import read_setting

HANDLED_UNTIL = "dealt with until"
"""The setting of a restored database: messages sent before that moment are not answered any more."""
_WAITING = """
    SELECT coalesce(sum(CASE WHEN space = '' THEN messages END), 0),
        coalesce(sum(CASE WHEN scope = $1 THEN messages END), 0)
    FROM waiting WHERE space = '' OR scope = $1
"""
_TELL = upsert_statement("told")
BUSY_NOTICE_SECONDS = 60.0
"""Seconds between two notices to a person that too many messages wait."""


def accept_message(
    db: Connection, message: IncomingMessage, now: float, *, after: float, capacity: int, per_author: int
) -> bool | Busy:
    """Store `message`. Return False when its key is known, and Busy when too many messages wait.

    A message whose author is told now to ask again stays known: they will.
    """
    db.advisory_lock(AdvisoryLock.INBOX)
    if not _remember_key(db, message.key, now):
        return not message.manner.is_background and _replace_overheard(db, message, now)
    if _is_handled(db, message):
        return False
    if reason := _refusal_reason(db, message, capacity, per_author):
        unasked = message.manner is MessageTrigger.AWAITED
        busy = Busy(reason, first=False) if unasked else _make_busy(db, message.author, reason, now)
        if not busy.first:
            _forget_key(db, message.key)
        return busy
    _insert(db, message, now + after if after else 0.0)
    if not message.manner.is_background:
        end_silence(db, str(message.conversation), message.sent_at.timestamp())
    if message.manner not in (MessageTrigger.COMMAND, MessageTrigger.AWAITED):
        mark_channel_seen(db, message.place.channel_key, message.place.message)
    return True


def _insert(db: Connection, message: IncomingMessage, not_before: float) -> None:
    db.execute(
        "INSERT INTO message (key, space, author, conversation, sent_at, body, not_before)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)",
        (
            message.key,
            message.conversation.workspace,
            message.author,
            str(message.conversation),
            message.sent_at.timestamp(),
            message.model_dump_json(),
            not_before,
        ),
    )


def _is_handled(db: Connection, message: IncomingMessage) -> bool:
    """Return True if `message` was sent while the database in use was the one that this restored backup replaced."""
    until = read_setting(db, HANDLED_UNTIL)
    return until is not None and message.sent_at.timestamp() <= float(until)


def _replace_overheard(db: Connection, message: IncomingMessage, now: float) -> bool:
    """Replace an overheard message that waits by `message`, an edit that mentions the bot.

    Return False if none waits.
    """
    waiting = db.execute(
        "SELECT answer FROM message WHERE key = $1 AND state = 'open' AND posting_since IS NULL"  # noqa: S608 - our own words
        f" AND body ->> 'manner' = $2 {db.for_update}",
        (message.key, MessageTrigger.OVERHEARD),
    ).fetchone()
    if not waiting:
        return False
    end_silence(db, str(message.conversation), message.sent_at.timestamp())
    db.execute("DELETE FROM answer WHERE id = $1", waiting)
    db.execute(
        "UPDATE message SET body = $1, answer = '', withdrawn = (leased_until > $2), stopped = FALSE,"
        " not_before = 0 WHERE key = $3",
        (message.model_dump_json(), now, message.key),
    )
    return True


def is_waiting_overheard(db: Connection, key: str, author: str) -> bool:
    """Return True if `key` was overheard from somebody other than `author`, and nothing of an answer may be visible."""
    query = (
        "SELECT 1 FROM message WHERE key = $1 AND state = 'open' AND author <> $2 AND posting_since IS NULL"  # noqa: S608 - our own words
        f" AND body ->> 'manner' = $3 {db.for_update}"
    )
    return db.execute(query, (key, author, MessageTrigger.OVERHEARD)).fetchone() is not None


def reask_question(db: Connection, key: str, text: str, sent_after: float) -> bool:
    """Ask an answered question anew with another `text`: the reply becomes the new answer, and the old one is erased.

    Return False for a question that was sent earlier, that was not addressed to the bot where others or its author see
    the reply, that was handed off, or that has a subscription.
    """
    db.advisory_lock(AdvisoryLock.INBOX)
    row = db.execute(
        "SELECT body, posting_since, reference FROM message WHERE key = $1 AND state = 'done' AND sent_at >= $2"
        " AND reference <> '' AND NOT EXISTS (SELECT 1 FROM handoff WHERE handoff.answer = message.answer)"
        " AND NOT EXISTS (SELECT 1 FROM wish WHERE wish.answer = message.answer)",
        (key, sent_after),
    ).fetchone()
    message = IncomingMessage.model_validate_json(row[0]) if row else None
    if not message or message.text == text or message.manner.is_background or message.manner is MessageTrigger.COMMAND:
        return False
    erase_question(db, key)
    db.execute("DELETE FROM message WHERE key = $1", (key,))
    _insert(db, replace(message, text=text), 0.0)
    db.execute("UPDATE message SET posting_since = $1, reference = $2 WHERE key = $3", (*row[1:], key))
    return True


def change_question(db: Connection, key: str, text: str, now: float) -> bool:
    """Change a question, and withdraw the answer under way. Return False when there is an answer that may be visible.

    A visible placeholder, or the visible first sentences, become the new answer. The same text again changes nothing:
    platforms also report an edit when they have drawn the preview of a link.
    """
    row = db.execute(
        "SELECT body, leased_until FROM message"  # noqa: S608 - our own words
        f" WHERE key = $1 AND state = 'open' AND (posting_since IS NULL OR answer = '') {db.for_update}",
        (key,),
    ).fetchone()
    if not row:
        return False
    message = IncomingMessage.model_validate_json(row[0])
    if message.text == text:
        return True
    db.execute("DELETE FROM answer WHERE id = (SELECT answer FROM message WHERE key = $1)", (key,))
    db.execute(
        "UPDATE message SET body = $1, answer = '', withdrawn = $2, stopped = FALSE WHERE key = $3",
        (replace(message, text=text).model_dump_json(), row[1] > now, key),
    )
    return True


def find_conversation(db: Connection, key: str) -> str | None:
    """Return the conversation of a question that is still stored."""
    conversation: str | None = fetch_value(db, "SELECT conversation FROM message WHERE key = $1", (key,))
    return conversation


def cancel_question(db: Connection, key: str, now: float) -> bool:
    """Cancel a question and erase what is stored of it and of its answer.

    Return False when it does not wait any more or is unknown; its key is then never accepted.
    """
    db.advisory_lock(AdvisoryLock.INBOX)
    _remember_key(db, key, now)
    changed = db.execute(
        "UPDATE message SET state = 'cancelled', closed_at = $1 WHERE key = $2 AND state = 'open'", (now, key)
    )
    erase_question(db, key)
    return changed.rowcount > 0


def forget_message(db: Connection, key: str) -> None:
    """Delete a message and its key, so that it may be accepted again."""
    db.advisory_lock(AdvisoryLock.INBOX)
    db.execute("DELETE FROM message WHERE key = $1", (key,))
    _forget_key(db, key)


def _remember_key(db: Connection, key: str, now: float) -> bool:
    """Remember the digest of `key`, which says nothing about the message. Return False when it is known."""
    return db.execute("INSERT INTO known VALUES ($1, $2) ON CONFLICT DO NOTHING", (_digest(key), now)).rowcount > 0


def _forget_key(db: Connection, key: str) -> None:
    db.execute("DELETE FROM known WHERE digest = $1", (_digest(key),))


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()[:16]  # 128 bits are enough, and half the space


def _refusal_reason(db: Connection, message: IncomingMessage, capacity: int, per_author: int) -> str:
    """Return why `message` cannot be accepted, in words; "" when it can."""
    space = message.conversation.workspace
    total, own = db.execute(_WAITING, (f"{space} {message.author}",)).fetchone()
    if total >= capacity:
        return "too many questions are waiting"
    return "too many of your questions are waiting" if own >= per_author else ""


def _make_busy(db: Connection, author: str, reason: str, now: float) -> Busy:
    noticed_at = fetch_value(db, "SELECT at FROM told WHERE author = $1", (author,))
    first = noticed_at is None or abs(now - noticed_at) >= BUSY_NOTICE_SECONDS
    if first:
        db.execute(_TELL, (author, now))
    return Busy(reason, first=first, what_to_do="Please ask again in a few minutes.")
