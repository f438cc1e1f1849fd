"""Single messages that were said, as they are kept: each inside the caller's transaction.

What changes a thread notes that it is due, and hides its document where something of it is gone.
"""

from __future__ import annotations

import time

from pipeline.values import Said, replace
from storage.database import Connection, scalar
from storage.documents.sweep import hide
from storage.schema.tables import keep

KEEP = keep("said")
GONE, OUT = "null", "false"
"""What stands for a message that was deleted or whose author is forgotten, and for one that is kept out: an event that
comes late does not bring it back."""
DUE = "INSERT INTO said_due VALUES ($1, $2, $3) ON CONFLICT (channel, thread) DO UPDATE SET since = excluded.since"


def document_of(channel: object, thread: str) -> str:
    """The id of the document that a thread is."""
    return f"{channel}:{thread}"


def drop_of(db: Connection, person: str) -> int:
    """Forget what a person said, for good; how many messages went. Inside the caller's transaction."""
    said = db.execute("SELECT channel, message FROM said WHERE author = $1", (person,)).fetchall()
    gone = sum(drop(db, channel, "author = $2", person) for channel in {channel for channel, _ in said})
    now = time.time()
    db.executemany(KEEP, [(channel, message, message, "", now, now, GONE) for channel, message in said])
    return gone


def take(db: Connection, one: Said, seen: float, *, fresh: bool) -> bool:
    """Whether it is new, or other than it was."""
    channel = str(one.channel)
    within = "SELECT thread FROM said WHERE channel = $1 AND message = $2"
    if not one.title and one.thread != one.message and (root := scalar(db, within, (channel, one.thread))):
        one = replace(one, thread=root)
    body = one.model_dump_json()
    kept = scalar(db, "SELECT body FROM said WHERE channel = $1 AND message = $2", (channel, one.message))
    before = Said.model_validate_json(kept) if kept and kept not in (GONE, OUT) else None
    if (
        kept == GONE
        or (kept == OUT and not fresh)
        or (before and before.edited and (one.edited is None or one.edited < before.edited))
    ):
        db.execute("UPDATE said SET seen = $1 WHERE channel = $2 AND message = $3", (seen, channel, one.message))
        return False
    news = before != one
    if news:
        db.execute(DUE, (channel, one.thread, time.time_ns()))
    if before and before.thread != one.thread:
        hide(db, [document_of(channel, before.thread)])
        db.execute(DUE, (channel, before.thread, time.time_ns()))
    db.execute(KEEP, (channel, one.message, one.thread, one.author, one.at.timestamp(), seen, body))
    return news


def drop(db: Connection, channel: str, which: str, value: object) -> int:
    """How many messages went. The document of each thread is hidden until it is made anew."""
    where = f"FROM said WHERE channel = $1 AND {which}"
    threads = [thread for (thread,) in db.execute(f"SELECT DISTINCT thread {where}", (channel, value))]
    hide(db, [document_of(channel, thread) for thread in threads])
    for thread in threads:
        db.execute(DUE, (channel, thread, time.time_ns()))
    return db.execute(f"DELETE {where}", (channel, value)).rowcount
