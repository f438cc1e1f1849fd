"""Where the bot has been: channels it was asked in, how far each is known, and conversations it takes part in."""

from __future__ import annotations

import sqlite3

HOUR = 3600.0
SKEW = 60.0
"""Seconds that a platform's clock may be behind ours."""


def see(db: sqlite3.Connection, channel: str, message: str) -> None:
    """`channel` is known up to `message`, unless it is further already.

    Ids are numbers, with or without a fraction: the longer one is newer, then the greater one."""
    db.execute(
        "INSERT INTO seen VALUES (:channel, :message) ON CONFLICT (channel) DO UPDATE SET message = excluded.message"
        " WHERE (length(excluded.message), excluded.message) > (length(message), message)",
        {"channel": channel, "message": message},
    )


def seen(db: sqlite3.Connection, channel: str) -> str | None:
    row = db.execute("SELECT message FROM seen WHERE channel = ?", (channel,)).fetchone()
    return str(row[0]) if row else None


def channels(db: sqlite3.Connection, space: str) -> list[str]:
    """The ids of the channels of `space` that messages were accepted from."""
    start = f"{space}:"
    rows = db.execute("SELECT channel FROM seen WHERE substr(channel, 1, ?) = ?", (len(start), start))
    return [str(channel).removeprefix(start) for (channel,) in rows]


def takes_part(db: sqlite3.Connection, conversation: str, said_at: float) -> bool:
    """Whether the bot answers in `conversation` what was said at that time, which may be read later."""
    query = """
        SELECT 1 FROM part WHERE conversation = :it AND NOT EXISTS (
            SELECT 1 FROM silenced WHERE conversation = :it AND (until IS NULL OR :said_at BETWEEN at AND until))
    """
    return bool(db.execute(query, {"it": conversation, "said_at": said_at}).fetchone())


def silence(db: sqlite3.Connection, conversation: str, now: float) -> None:
    db.execute("INSERT OR REPLACE INTO silenced VALUES (?, ?, NULL)", (conversation, now))


def silenced(db: sqlite3.Connection, conversation: str) -> bool:
    query = "SELECT 1 FROM silenced WHERE conversation = ? AND until IS NULL"
    return db.execute(query, (conversation,)).fetchone() is not None


def call_back(db: sqlite3.Connection, conversation: str, said_at: float) -> None:
    """Somebody addressed the bot at that time: no call if it was before the silence."""
    db.execute(
        "UPDATE silenced SET until = :said_at WHERE conversation = :it AND until IS NULL AND at <= :said_at + :skew",
        {"it": conversation, "said_at": said_at, "skew": SKEW},
    )


def parts(db: sqlite3.Connection, space: str, most: int) -> list[str]:
    """The `most` conversations of `space` that the bot answered in last, the latest first."""
    start = f"{space}:"
    query = "SELECT conversation FROM part WHERE substr(conversation, 1, ?) = ? ORDER BY at DESC LIMIT ?"
    return [str(conversation) for (conversation,) in db.execute(query, (len(start), start, most))]


def spend(db: sqlite3.Connection, key: str, place: str, per_hour: int, now: float) -> bool:
    """Count an answer that nobody asked for; False when there were `per_hour` in `place` within the last hour."""
    db.execute("DELETE FROM unasked WHERE at < ?", (now - HOUR,))
    db.execute(
        "INSERT OR IGNORE INTO unasked SELECT ?, ?, ? WHERE (SELECT count(*) FROM unasked WHERE place = ?) < ?",
        (key, place, now, place, per_hour),
    )
    return db.execute("SELECT 1 FROM unasked WHERE key = ?", (key,)).fetchone() is not None
