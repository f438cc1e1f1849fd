"""Messages of indexed channels until they are documents, and how far each channel is read.

Each change of a thread marks it as due in the same transaction, so a crash loses no change. A thread stays due until
its document was made from its present messages.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import ChannelMessage, ChannelSyncState, PlaceId, replace
from pipeline.values.posting import IndexingNotice
from storage.database import Connection, Database, TransactionFunction, fetch_value
from storage.documents.cleanup import delete_unreachable, hide_documents
from storage.schema.tables import upsert_statement

# --- Single messages, each inside the caller's transaction ----------------------------------------
# What changes a thread notes that it is due, and hides its document where something of it is gone.

UPSERT_CHANNEL_MESSAGE = upsert_statement("said")
GONE, OUT = "null", "false"
"""The bodies that stand for a message that was deleted or whose author was forgotten, and for one that is left out. An
event that comes late does not bring it back."""
MARK_THREAD_DUE = (
    "INSERT INTO said_due VALUES ($1, $2, $3) ON CONFLICT (channel, thread) DO UPDATE SET since = excluded.since"
)


def thread_document_id(channel: object, thread: str) -> str:
    """Return the id of a thread's document."""
    return f"{channel}:{thread}"


def delete_messages_of(db: Connection, person: str) -> int:
    """Delete a person's messages for good. Return how many were deleted. Runs inside the caller's transaction."""
    messages = db.execute("SELECT channel, message FROM said WHERE author = $1", (person,)).fetchall()
    count = sum(
        delete_channel_messages(db, channel, "author = $2", person) for channel in {channel for channel, _ in messages}
    )
    now = time.time()
    db.executemany(
        UPSERT_CHANNEL_MESSAGE, [(channel, message, message, "", now, now, GONE) for channel, message in messages]
    )
    return count


def save_channel_message(db: Connection, message: ChannelMessage, seen: float, *, fresh: bool) -> bool:
    """Store a message. Return True if it is new or changed."""
    channel = str(message.channel)
    within = "SELECT thread FROM said WHERE channel = $1 AND message = $2"
    if (
        not message.title
        and message.thread != message.message
        and (root := fetch_value(db, within, (channel, message.thread)))
    ):
        message = replace(message, thread=root)
    body = message.model_dump_json()
    stored = fetch_value(db, "SELECT body FROM said WHERE channel = $1 AND message = $2", (channel, message.message))
    previous = ChannelMessage.model_validate_json(stored) if stored and stored not in (GONE, OUT) else None
    if (
        stored == GONE
        or (stored == OUT and not fresh)
        or (previous and previous.edited and (message.edited is None or message.edited < previous.edited))
    ):
        db.execute("UPDATE said SET seen = $1 WHERE channel = $2 AND message = $3", (seen, channel, message.message))
        return False
    changed = previous != message
    if changed:
        db.execute(MARK_THREAD_DUE, (channel, message.thread, time.time_ns()))
    if previous and previous.thread != message.thread:
        hide_documents(db, [thread_document_id(channel, previous.thread)])
        db.execute(MARK_THREAD_DUE, (channel, previous.thread, time.time_ns()))
    db.execute(
        UPSERT_CHANNEL_MESSAGE,
        (channel, message.message, message.thread, message.author, message.at.timestamp(), seen, body),
    )
    return changed


def delete_channel_messages(db: Connection, channel: str, condition: str, value: object) -> int:
    """Delete messages that meet a condition. Return how many. The document of each thread is hidden until it is made
    anew."""
    where = f"FROM said WHERE channel = $1 AND {condition}"
    threads = [thread for (thread,) in db.execute(f"SELECT DISTINCT thread {where}", (channel, value))]
    hide_documents(db, [thread_document_id(channel, thread) for thread in threads])
    for thread in threads:
        db.execute(MARK_THREAD_DUE, (channel, thread, time.time_ns()))
    return db.execute(f"DELETE {where}", (channel, value)).rowcount


# --- Channels -------------------------------------------------------------------------------------

_LOOK = upsert_statement("channel_look")
THREAD_RETRY_SECONDS = 60
"""Seconds until the indexing of a thread that failed is tried again. A later time was set by a wrong clock and is
ignored."""


class DueThread(NamedTuple):
    channel: PlaceId
    thread: str
    since: int
    """A number that differs each time the thread becomes due."""

    @property
    def document_id(self) -> str:
        return thread_document_id(self.channel, self.thread)


class SQLChannelMessages:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(
        self,
        messages: Sequence[ChannelMessage],
        channel: PlaceId | None = None,
        state: ChannelSyncState | None = None,
        *,
        fresh: bool = True,
    ) -> int:
        """Store messages as they are now and, with `state`, how far `channel` is read. Return how many are new or
        changed.

        `fresh`: they were read just now instead of reported by an event, so a message that was left out may return.
        """
        seen = time.time()

        def work(db: Connection) -> int:
            changed = sum([save_channel_message(db, message, seen, fresh=fresh) for message in messages])
            if state:
                db.execute(_LOOK, (str(channel), state.model_dump_json()))
            return changed

        return await self._write(work)

    async def delete(self, channel: PlaceId, messages: Collection[str], *, deleted: bool = False) -> bool:
        """Delete messages. Return True if any was known. Their threads are not found until they are indexed anew.

        `deleted`: an event that comes late does not bring them back.
        """
        seen = time.time()

        def work(db: Connection) -> int:
            gone = sum([delete_channel_messages(db, str(channel), "message = $2", message) for message in messages])
            mark = GONE if deleted else OUT
            db.executemany(
                UPSERT_CHANNEL_MESSAGE, [(str(channel), message, message, "", seen, seen, mark) for message in messages]
            )
            return gone

        count = bool(await self._write(work))
        if count:
            await delete_unreachable(self._database)
        return count

    async def delete_thread(self, channel: PlaceId, thread: str) -> None:
        """Delete a thread's messages, but not the message it was opened from."""
        await self._drop(channel, "thread = $2 AND message <> $2", thread)

    async def delete_unseen(self, channel: PlaceId, since: datetime) -> int:
        """Delete messages that were not seen since `since`. A history read completely since then no longer has them.
        Return how many."""
        return await self._drop(channel, "seen < $2 AND at < $2", since.timestamp())

    async def delete_older_than(self, channel: PlaceId, before: datetime) -> int:
        """Delete messages sent before `before`. Return how many."""
        return await self._drop(channel, "at < $2", before.timestamp())

    async def due_threads(self, limit: int) -> list[DueThread]:
        """Return threads whose documents are out of date, those that wait longest first.

        Only threads of channels that were synced: the name of any other channel is unknown.
        """
        within = "WHERE (since <= $1 OR since > $2) AND channel IN (SELECT channel FROM channel_look)"
        query = f"SELECT channel, thread, since FROM said_due {within} ORDER BY since LIMIT $3"  # noqa: S608 - our own
        now = time.time_ns()
        rows = await self._database.read(
            lambda db: db.execute(query, (now, now + THREAD_RETRY_SECONDS * 10**9, limit)).fetchall()
        )
        return [DueThread(PlaceId.parse(channel), thread, since) for channel, thread, since in rows]

    async def thread_messages(self, due: DueThread) -> list[ChannelMessage]:
        """Return a thread's messages, oldest first."""
        query = "SELECT body FROM said WHERE channel = $1 AND thread = $2 ORDER BY at, message"
        rows = await self._database.read(lambda db: db.execute(query, (str(due.channel), due.thread)).fetchall())
        return [ChannelMessage.model_validate_json(body) for (body,) in rows if body not in (GONE, OUT)]

    async def mark_indexed(self, due: DueThread) -> None:
        """Mark a thread as indexed. It stays due if it changed since `due` was read."""
        which = "DELETE FROM said_due WHERE channel = $1 AND thread = $2 AND since = $3"
        row = (str(due.channel), due.thread, due.since)
        await self._database.write(lambda db: db.execute(which, row))

    async def postpone(self, due: DueThread) -> None:
        """Try to index a thread again in THREAD_RETRY_SECONDS."""
        at = time.time_ns() + THREAD_RETRY_SECONDS * 10**9
        await self._write(lambda db: db.execute(MARK_THREAD_DUE, (str(due.channel), due.thread, at)).rowcount)

    async def channels(self) -> set[PlaceId]:
        """Return the channels of which anything is stored."""
        query = "SELECT channel FROM said UNION SELECT channel FROM said_due UNION SELECT channel FROM channel_look"
        rows = await self._database.read(lambda db: db.execute(query).fetchall())
        return {PlaceId.parse(channel) for (channel,) in rows}

    async def reading_states(self) -> dict[PlaceId, ChannelSyncState]:
        """Return how far each channel is read."""
        rows = await self._database.read(lambda db: db.execute("SELECT channel, body FROM channel_look").fetchall())
        return {PlaceId.parse(channel): ChannelSyncState.model_validate_json(body) for channel, body in rows}

    async def count(self, channel: PlaceId) -> tuple[int, int]:
        """Return how many messages are stored, and how many threads are due."""

        def work(db: Connection) -> tuple[int, int]:
            messages = fetch_value(db, "SELECT count(*) FROM said WHERE channel = $1 AND author <> ''", (str(channel),))
            due = fetch_value(db, "SELECT count(*) FROM said_due WHERE channel = $1", (str(channel),))
            return int(messages), int(due)

        return await self._database.read(work)

    async def forget_channel(self, channel: PlaceId) -> None:
        """Delete all messages of a channel, and its documents."""

        def work(db: Connection) -> None:
            place = str(channel)
            hide_documents(
                db,
                [document for (document,) in db.execute("SELECT document FROM revision WHERE source = $1", (place,))],
            )
            for table in ("said", "said_due", "channel_look"):
                db.execute(f"DELETE FROM {table} WHERE channel = $1", (place,))  # noqa: S608 - our own words
            db.execute("DELETE FROM outbox WHERE key = $1", (IndexingNotice(to=place).key,))

        await self._write(work)
        await delete_unreachable(self._database)
        await self._database.purge_deleted()

    async def _drop(self, channel: PlaceId, condition: str, value: object) -> int:
        count = await self._write(lambda db: delete_channel_messages(db, str(channel), condition, value))
        if count:
            await delete_unreachable(self._database)
        return count

    async def _write(self, work: TransactionFunction[int] | TransactionFunction[None]) -> int:
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.write(work, durable=True) or 0
