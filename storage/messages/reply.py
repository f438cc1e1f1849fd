"""How far the reply to a leased message has come. All inside the caller's transaction."""

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
"""Who asked where, whether something may be visible, and the answer so far."""

FAILURE_COUNTS = "SELECT why, count(*) FROM message WHERE state = 'dead' GROUP BY why ORDER BY count(*) DESC, why"


def save_message_answer(db: Connection, known: ReplyState, key: str, answer: Answer, now: float) -> None:
    """Keep the answer, and that it is this message's; the conversation recalls it once it may be visible."""
    author, conversation, visible, before = known
    insert_answer(db, answer, author, now)
    db.execute("UPDATE message SET answer = $1 WHERE key = $2", (answer.id, key))
    if visible and not before:
        _recall(db, conversation, answer, author, now)


def mark_posting(db: Connection, known: ReplyState, key: str, now: float) -> None:
    """From now on something may be visible: a saved answer stands, and the conversation recalls it."""
    author, conversation, visible, body = known
    posting.record_intent(db, REPLY_TABLE, key, now)
    if body and not visible:
        _recall(db, conversation, Answer.model_validate_json(body), author, now)


def _recall(db: Connection, conversation: str, answer: Answer, author: str, now: float) -> None:
    if turn := answer.to_turn(author, datetime.fromtimestamp(now, UTC)):
        insert_turn(db, conversation, turn)


def mark_posted(db: Connection, key: str, reference: str, now: float) -> None:
    """Keep the reply's name; in a conversation that others see, the bot takes part from now on."""
    posting.record_reference(db, REPLY_TABLE, key, reference)
    db.execute(
        "INSERT INTO part SELECT conversation, $1 FROM message WHERE key = $2 AND body ->> 'manner' <> $3"
        " ON CONFLICT (conversation) DO UPDATE SET at = excluded.at",
        (now, key, MessageTrigger.COMMAND),
    )


def record_share(db: Connection, answer_id: str, conversation: str, now: float) -> None:
    """In the conversation that the answer was shared to, the bot takes part from now on, and recalls it, once."""
    new = db.execute("INSERT INTO part VALUES ($1, $2) ON CONFLICT DO NOTHING", (conversation, now)).rowcount
    kept = db.execute("SELECT author, body FROM answer WHERE id = $1", (answer_id,)).fetchone()
    if new and kept:
        author, body = kept
        _recall(db, conversation, Answer.model_validate_json(body), author, now)


def request_stop(db: Connection, conversation: str, now: float) -> None:
    """Note that nobody wants the answer that is being written there, for whoever writes it."""
    db.execute(
        "UPDATE message SET stopped = TRUE WHERE conversation = $1 AND state = 'open' AND leased_until > $2",
        (conversation, now),
    )


def stop_requests(db: Connection) -> list[str]:
    """The conversations in which this process writes what nobody wants."""
    query = "SELECT conversation FROM message WHERE state = 'open' AND leased_until > 0 AND holder = $1 AND stopped"
    return [conversation for (conversation,) in db.execute(query, (db.lease_holder,))]


def close_message(db: Connection, key: str, state: str, why: str, now: float) -> None:
    """Close an open message that this process leased."""
    db.advisory_lock(AdvisoryLock.INBOX)
    posting.close_row(db, REPLY_TABLE, key, state, why, now)


def query_counts(db: Connection, query: str) -> dict[str, int]:
    """A query of names and numbers."""
    return dict(db.execute(query).fetchall())
