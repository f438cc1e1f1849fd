"""The bot's presence: channels with questions, how far each is known, and conversations it takes part in."""

from __future__ import annotations

from pipeline.values.ids import split_id
from storage.database import AdvisoryLock, Connection, fetch_value
from storage.schema.tables import upsert_statement

HOUR_SECONDS = 3600.0
_SILENCE, _HEARD = upsert_statement("silenced"), upsert_statement("seen")
PLATFORM_SKEW_SECONDS = 60.0
"""Seconds that a platform's clock may be behind ours."""


def mark_channel_seen(db: Connection, channel: str, message: str) -> None:
    """Record that `channel` is known up to `message`, unless it is already known further.

    Ids are numbers, with or without a fraction: the longer one is newer, then the greater one.
    """
    db.execute(
        "INSERT INTO seen VALUES ($1, $2) ON CONFLICT (channel) DO UPDATE SET message = excluded.message"
        " WHERE (length(excluded.message), excluded.message) > (length(seen.message), seen.message)",
        (channel, message),
    )


def mark_space_heard(db: Connection, space: str, message: str) -> None:
    """Record that `space` is known up to `message`. A record more than an hour ahead came from a wrong clock and is
    replaced."""
    last_seen = last_seen_message(db, space)
    if last_seen and float(last_seen) > float(message) + HOUR_SECONDS:
        db.execute(_HEARD, (space, message))
    else:
        mark_channel_seen(db, space, message)


def last_seen_message(db: Connection, channel: str) -> str | None:
    message: str | None = fetch_value(db, "SELECT message FROM seen WHERE channel = $1", (channel,))
    return message


def known_channels(db: Connection, space: str) -> list[str]:
    """Return the ids of the channels of `space` with accepted messages, those with the newest ones first."""
    start = f"{space}:"
    query = "SELECT channel FROM seen WHERE substr(channel, 1, $1) = $2 ORDER BY length(message) DESC, message DESC"
    rows = db.execute(query, (len(start), start))
    return [split_id(channel)[2] for (channel,) in rows]


def is_participant(db: Connection, conversation: str, said_at: float) -> bool:
    """Return True if the bot answers messages sent to `conversation` at that time, which may be read later."""
    query = """
        SELECT 1 FROM part WHERE conversation = $1 AND NOT EXISTS (
            SELECT 1 FROM silenced WHERE conversation = $1 AND (until IS NULL OR $2 BETWEEN at AND until))
    """
    return bool(db.execute(query, (conversation, said_at)).fetchone())


def silence_conversation(db: Connection, conversation: str, now: float) -> None:
    db.execute(_SILENCE, (conversation, now, None))


def is_silenced(db: Connection, conversation: str) -> bool:
    query = "SELECT 1 FROM silenced WHERE conversation = $1 AND until IS NULL"
    return db.execute(query, (conversation,)).fetchone() is not None


def end_silence(db: Connection, conversation: str, said_at: float) -> None:
    """End the silence of a conversation whose bot was addressed at `sent_at`; not if that was before the silence."""
    db.execute(
        "UPDATE silenced SET until = $2 WHERE conversation = $1 AND until IS NULL AND at <= $3",
        (conversation, said_at, said_at + PLATFORM_SKEW_SECONDS),
    )


def recent_conversations(db: Connection, space: str, most: int) -> list[str]:
    """Return the `most` conversations of `space` that the bot answered in last, the latest first."""
    start = f"{space}:"
    query = "SELECT conversation FROM part WHERE substr(conversation, 1, $1) = $2 ORDER BY at DESC LIMIT $3"
    return [str(conversation) for (conversation,) in db.execute(query, (len(start), start, most))]


def count_unasked_answer(db: Connection, key: str, place: str, per_hour: int, now: float) -> bool:
    """Count an automatic answer. Return False when there were `per_hour` in `place` within the last hour."""
    db.advisory_lock(AdvisoryLock.INBOX)
    db.execute("DELETE FROM unasked WHERE abs(at - $1) > $2", (now, HOUR_SECONDS))
    db.execute(
        "INSERT INTO unasked SELECT $1, CAST($2 AS TEXT), $3"
        " WHERE (SELECT count(*) FROM unasked WHERE place = CAST($2 AS TEXT)) < $4"
        " ON CONFLICT DO NOTHING",
        (key, place, now, per_hour),
    )
    return db.execute("SELECT 1 FROM unasked WHERE key = $1", (key,)).fetchone() is not None
