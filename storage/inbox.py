"""Messages that must be answered: the port `Inbox`.

An open row waits, is leased, or is on its way out (`answered`, then `posting`, then `posted`, all of which survive a
crash); `done`, `expired`, `dead` and `cancelled` close it. Which keys were ever seen is remembered by their digests
alone, longer than the messages are.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

from pipeline.errors import Busy, Withdrawn
from pipeline.values import Answer, ConversationId, IncomingMessage, Manner, Work
from storage.database import Database
from storage.history import keep_answer
from storage.intake import know, take
from storage.lease import next_work


class SQLiteInbox:
    """Every change is on the disk when the call returns.

    At most `capacity` messages wait, `per_author` of them from one person. A lease is good for `lease_seconds`; a
    message leased `attempts` times without an end is dead. Older than `late_seconds` when leased means late.
    """

    def __init__(
        self,
        database: Database,
        *,
        capacity: int = 20_000,
        per_author: int = 200,
        attempts: int = 5,
        lease_seconds: float = 600.0,
        late_seconds: float = 900.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._capacity = capacity
        self._per_author = per_author
        self._attempts = attempts
        self._lease_seconds = lease_seconds
        self._late_seconds = late_seconds
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []

    def on_accept(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever this process has accepted a message or given one back."""
        self._listeners.append(listener)

    async def accept(self, message: IncomingMessage) -> bool:
        """Keep `message`; False when its key is already known. Raises Busy when too much is waiting."""
        now = self._clock()
        outcome = await self._database.write(
            lambda db: take(db, message, now, capacity=self._capacity, per_author=self._per_author), durable=True
        )
        if isinstance(outcome, Busy):
            raise outcome
        if outcome:
            self._ring()
        return outcome

    async def amend(self, key: str, text: str) -> bool:
        """Change a question that nothing is visible of yet; False when it is too late or unknown."""

        def work(db: sqlite3.Connection) -> bool:
            row = db.execute(
                "SELECT body, leased_until FROM message WHERE key = ? AND state = 'open' AND posting_since IS NULL",
                (key,),
            ).fetchone()
            if not row:
                return False
            message = IncomingMessage.model_validate_json(row[0]).model_copy(update={"text": text})
            db.execute(
                "UPDATE message SET body = ?, answer = '', withdrawn = ? WHERE key = ?",
                (message.model_dump_json(), row[1] > self._clock(), key),
            )
            return True

        return await self._database.write(work, durable=True)

    async def cancel(self, key: str) -> bool:
        """Drop a question that nothing is visible of yet; False when it is too late or unknown.

        A question that arrives after its deletion is not kept."""
        now = self._clock()

        def work(db: sqlite3.Connection) -> bool:
            know(db, key, now)
            changed = db.execute(
                "UPDATE message SET state = 'cancelled', closed_at = ?"
                " WHERE key = ? AND state = 'open' AND posting_since IS NULL",
                (now, key),
            )
            return changed.rowcount > 0

        return await self._database.write(work, durable=True)

    async def lease(self) -> Work | None:
        """The next message, fairly by space, then author, then age; None when there is none.

        Messages of one conversation are leased one at a time and in order."""
        now = self._clock()

        def work(db: sqlite3.Connection) -> Work | None:
            return next_work(
                db, now, attempts=self._attempts, until=now + self._lease_seconds, late_before=now - self._late_seconds
            )

        if not await self._database.read(_any_open):
            return None
        return await self._database.write(work, durable=True)

    async def answered(self, key: str, answer: Answer) -> None:
        """Save the answer. Raises Withdrawn when the question was changed or deleted since it was leased."""

        def change(db: sqlite3.Connection) -> None:
            (author,) = db.execute("SELECT author FROM message WHERE key = ?", (key,)).fetchone()
            keep_answer(db, answer, author)
            db.execute("UPDATE message SET answer = ? WHERE key = ?", (answer.id, key))

        await self._unless_withdrawn(key, change)

    async def posting(self, key: str) -> None:
        """Record the intent to post, before the first visible write.

        Raises Withdrawn when the question was changed or deleted since it was leased."""
        now = self._clock()

        def change(db: sqlite3.Connection) -> None:
            db.execute("UPDATE message SET posting_since = ? WHERE key = ?", (now, key))

        await self._unless_withdrawn(key, change)

    async def posted(self, key: str, reference: str) -> None:
        """Record the platform's name of the reply, right after it is known."""
        now = self._clock()

        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE message SET reference = ? WHERE key = ?", (reference, key))
            db.execute(
                "INSERT OR REPLACE INTO part SELECT conversation, ? FROM message"
                " WHERE key = ? AND json_extract(body, '$.manner') <> ?",
                (now, key, Manner.COMMAND),
            )

        await self._database.write(work, durable=True)

    async def done(self, key: str) -> None:
        """The reply is complete."""
        await self._end(key, "done")

    async def expired(self, key: str) -> None:
        """The asker was told that it is too late."""
        await self._end(key, "expired")

    async def failed(self, key: str, why: str) -> None:
        """Give up on a message; it is kept for the operator."""
        await self._end(key, "dead", why)

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Give the message back, to be leased again after `delay` seconds. `counts`: an answer was attempted."""

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE message SET leased_until = 0, withdrawn = 0, not_before = ?, attempt = max(0, attempt - ?)"
                " WHERE key = ? AND state = 'open'",
                (self._clock() + delay, 0 if counts else 1, key),
            )

        await self._database.write(work, durable=True)
        self._ring()

    async def recover(self) -> int:
        """Take back all leases. Only for a process that knows it is alone: the others died. Returns how many."""

        def work(db: sqlite3.Connection) -> int:
            return db.execute(
                "UPDATE message SET leased_until = 0, withdrawn = 0, not_before = ? + (1 << attempt) - 2"
                " WHERE state = 'open' AND leased_until > 0",
                (self._clock(),),
            ).rowcount

        return await self._database.write(work, durable=True)

    async def seen(self, channel: str) -> str | None:
        """The newest message id accepted from `platform:space:channel`."""

        def work(db: sqlite3.Connection) -> str | None:
            row = db.execute("SELECT message FROM seen WHERE channel = ?", (channel,)).fetchone()
            return str(row[0]) if row else None

        return await self._database.read(work)

    async def takes_part(self, conversation: ConversationId) -> bool:
        """Whether the bot has answered in this conversation."""

        def work(db: sqlite3.Connection) -> bool:
            return bool(db.execute("SELECT 1 FROM part WHERE conversation = ?", (str(conversation),)).fetchone())

        return await self._database.read(work)

    async def counts(self) -> dict[str, int]:
        """How many messages are in each state, for the operator."""

        def work(db: sqlite3.Connection) -> dict[str, int]:
            return dict(db.execute("SELECT state, count(*) FROM message GROUP BY state").fetchall())

        return await self._database.read(work)

    def _ring(self) -> None:
        for listener in self._listeners:
            listener()

    async def _unless_withdrawn(self, key: str, change: Callable[[sqlite3.Connection], None]) -> None:
        def work(db: sqlite3.Connection) -> bool:
            row = db.execute("SELECT withdrawn FROM message WHERE key = ? AND state = 'open'", (key,)).fetchone()
            if row and not row[0]:
                change(db)
                return True
            db.execute(
                "UPDATE message SET withdrawn = 0, leased_until = 0, attempt = attempt - 1 WHERE key = ?", (key,)
            )
            return False

        if not await self._database.write(work, durable=True):
            self._ring()
            raise Withdrawn(f"{key} was changed or deleted meanwhile")

    async def _end(self, key: str, state: str, why: str = "") -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE message SET state = ?, why = ?, closed_at = ? WHERE key = ? AND state = 'open'",
                (state, why, self._clock(), key),
            )

        await self._database.write(work, durable=True)
        self._ring()


def _any_open(db: sqlite3.Connection) -> bool:
    return bool(db.execute("SELECT 1 FROM message WHERE state = 'open' LIMIT 1").fetchone())
