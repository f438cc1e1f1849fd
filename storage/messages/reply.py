"""The progress of the reply to a leased message. All inside the caller's transaction."""

from __future__ import annotations

from datetime import UTC, datetime

from pipeline.values import Answer, MessageTrigger
from storage.database import AdvisoryLock, Connection
from storage.messages import posting
from storage.messages.history import insert_answer, insert_turn

REPLY_TABLE = posting.PostTable(
    "message",
    unchanged_condition="NOT withdrawn",
    release_assignments="leased_until = 0, withdrawn = FALSE,",
    step_columns="author, conversation, posting_since IS NOT NULL,"
    " (SELECT answer.body FROM answer WHERE id = message.answer)",
)
ReplyState = tuple[str, str, bool, str | None]
"""Author, conversation, whether something may be visible, and the answer so far."""

FAILURE_COUNTS = "SELECT why, count(*) FROM message WHERE state = 'dead' GROUP BY why ORDER BY count(*) DESC, why"


def save_message_answer(db: Connection, state: ReplyState, key: str, answer: Answer, now: float) -> None:
    """Store the answer of a message; the conversation recalls it once it may be visible."""
    author, conversation, visible, earlier_body = state
    insert_answer(db, answer, author, now)
    db.execute("UPDATE message SET answer = $1 WHERE key = $2", (answer.id, key))
    if visible and not earlier_body:
        _recall(db, conversation, answer, author, now)


def mark_posting(db: Connection, state: ReplyState, key: str, answer: Answer | None, now: float) -> None:
    """Record that something may be visible: a stored answer is final, and the conversation recalls it. `answer`: the
    one to store, where that was not done yet."""
    author, conversation, visible, body = state
    if answer:
        save_message_answer(db, state, key, answer, now)
    posting.record_intent(db, REPLY_TABLE, key, now)
    if visible:
        return
    if final := answer or (Answer.model_validate_json(body) if body else None):
        _recall(db, conversation, final, author, now)


def _recall(db: Connection, conversation: str, answer: Answer, author: str, now: float) -> None:
    if turn := answer.to_turn(author, datetime.fromtimestamp(now, UTC)):
        insert_turn(db, conversation, turn)


def mark_posted(db: Connection, key: str, reference: str, now: float, *, done: bool = False) -> None:
    """Record the reply's id; in a conversation that others see, the bot takes part from now on. `done`: close the
    message."""
    if done:  # before any row: the order in which others lock
        db.advisory_lock(AdvisoryLock.INBOX)
    posting.record_reference(db, REPLY_TABLE, key, reference)
    db.execute(
        "INSERT INTO part SELECT conversation, $1 FROM message WHERE key = $2 AND body ->> 'manner' <> $3"
        " ON CONFLICT (conversation) DO UPDATE SET at = excluded.at",
        (now, key, MessageTrigger.COMMAND),
    )
    if done:
        close_message(db, key, "done", "", now)


def record_share(db: Connection, answer_id: str, conversation: str, now: float) -> None:
    """Record that an answer was shared to a conversation: the bot takes part there, and the conversation recalls it,
    once."""
    new = db.execute("INSERT INTO part VALUES ($1, $2) ON CONFLICT DO NOTHING", (conversation, now)).rowcount
    row = db.execute("SELECT author, body FROM answer WHERE id = $1", (answer_id,)).fetchone()
    if new and row:
        author, body = row
        _recall(db, conversation, Answer.model_validate_json(body), author, now)


def request_stop(db: Connection, conversation: str, now: float) -> None:
    """Ask the process that writes an answer in a conversation to stop."""
    db.execute(
        "UPDATE message SET stopped = TRUE WHERE conversation = $1 AND state = 'open' AND leased_until > $2",
        (conversation, now),
    )


def stop_requests(db: Connection) -> list[str]:
    """Return the conversations in which this process writes an answer that is to be stopped."""
    query = "SELECT conversation FROM message WHERE state = 'open' AND leased_until > 0 AND holder = $1 AND stopped"
    return [conversation for (conversation,) in db.execute(query, (db.lease_holder,))]


def close_message(db: Connection, key: str, state: str, why: str, now: float) -> None:
    """Close an open message that this process leased."""
    db.advisory_lock(AdvisoryLock.INBOX)
    posting.close_row(db, REPLY_TABLE, key, state, why, now)


def query_counts(db: Connection, query: str) -> dict[str, int]:
    """Return the rows of a query of names and numbers."""
    return dict(db.execute(query).fetchall())
