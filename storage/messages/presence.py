"""Where the bot has been: channels it was asked in, how far each is known, and conversations it takes part in."""

from __future__ import annotations

from pipeline.values.ids import parts_of
from storage.database import Alone, Connection, scalar
from storage.schema.tables import keep

HOUR = 3600.0
_SILENCE, _HEARD = keep("silenced"), keep("seen")
SKEW = 60.0
"""Seconds that a platform's clock may be behind ours."""


def see(db: Connection, channel: str, message: str) -> None:
    """`channel` is known up to `message`, unless it is further already.

    Ids are numbers, with or without a fraction: the longer one is newer, then the greater one."""
    db.execute(
        "INSERT INTO seen VALUES ($1, $2) ON CONFLICT (channel) DO UPDATE SET message = excluded.message"
        " WHERE (length(excluded.message), excluded.message) > (length(seen.message), seen.message)",
        (channel, message),
    )


def hear(db: Connection, space: str, message: str) -> None:
    """`space` is known up to `message`; where it is known for more than an hour further, that was said by a clock that
    was wrong."""
    known = seen(db, space)
    if known and float(known) > float(message) + HOUR:
        db.execute(_HEARD, (space, message))
    else:
        see(db, space, message)


def seen(db: Connection, channel: str) -> str | None:
    message: str | None = scalar(db, "SELECT message FROM seen WHERE channel = $1", (channel,))
    return message


def channels(db: Connection, space: str) -> list[str]:
    """The ids of the channels of `space` that messages were accepted from, those with the newest ones first."""
    start = f"{space}:"
    query = "SELECT channel FROM seen WHERE substr(channel, 1, $1) = $2 ORDER BY length(message) DESC, message DESC"
    rows = db.execute(query, (len(start), start))
    return [parts_of(channel)[2] for (channel,) in rows]


def takes_part(db: Connection, conversation: str, said_at: float) -> bool:
    """Whether the bot answers in `conversation` what was said at that time, which may be read later."""
    query = """
        SELECT 1 FROM part WHERE conversation = $1 AND NOT EXISTS (
            SELECT 1 FROM silenced WHERE conversation = $1 AND (until IS NULL OR $2 BETWEEN at AND until))
    """
    return bool(db.execute(query, (conversation, said_at)).fetchone())


def silence(db: Connection, conversation: str, now: float) -> None:
    db.execute(_SILENCE, (conversation, now, None))


def silenced(db: Connection, conversation: str) -> bool:
    query = "SELECT 1 FROM silenced WHERE conversation = $1 AND until IS NULL"
    return db.execute(query, (conversation,)).fetchone() is not None


def call_back(db: Connection, conversation: str, said_at: float) -> None:
    """Somebody addressed the bot at that time: no call if it was before the silence."""
    db.execute(
        "UPDATE silenced SET until = $2 WHERE conversation = $1 AND until IS NULL AND at <= $3",
        (conversation, said_at, said_at + SKEW),
    )


def parts(db: Connection, space: str, most: int) -> list[str]:
    """The `most` conversations of `space` that the bot answered in last, the latest first."""
    start = f"{space}:"
    query = "SELECT conversation FROM part WHERE substr(conversation, 1, $1) = $2 ORDER BY at DESC LIMIT $3"
    return [str(conversation) for (conversation,) in db.execute(query, (len(start), start, most))]


def spend(db: Connection, key: str, place: str, per_hour: int, now: float) -> bool:
    """Count an answer that nobody asked for; False when there were `per_hour` in `place` within the last hour."""
    db.alone(Alone.INBOX)
    db.execute("DELETE FROM unasked WHERE abs(at - $1) > $2", (now, HOUR))
    db.execute(
        "INSERT INTO unasked SELECT $1, CAST($2 AS TEXT), $3"
        " WHERE (SELECT count(*) FROM unasked WHERE place = CAST($2 AS TEXT)) < $4"
        " ON CONFLICT DO NOTHING",
        (key, place, now, per_hour),
    )
    return db.execute("SELECT 1 FROM unasked WHERE key = $1", (key,)).fetchone() is not None
