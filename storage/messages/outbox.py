"""Posts of the bot besides its replies: notices of handoffs, digests and shared answers, each posted once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pipeline.values import ConversationId, Handoff, HandoffNotice, NoticeKind, PlaceId, replace
from pipeline.values.posting import (
    AddressedPost,
    Announcement,
    AutoLimitNotice,
    Digest,
    IndexingNotice,
    SharedAnswer,
    UploadStatus,
)
from storage.database import Connection, Database, fetch_value
from storage.messages.posting import (
    LONGEST_DELAY,
    MAX_ATTEMPTS,
    PostTable,
    close_row,
    not_before_after,
    record_intent,
    record_reference,
    release_row,
    run_unless_withdrawn,
    to_datetime,
)
from storage.messages.reply import record_share

OUTBOX_TABLE = PostTable("outbox")
DIGEST, SPENT, SOURCE, SHARE, ADDING = "digest", "spent", "source", "share", "adding"
_WAITED_FOR: Mapping[str, type[SharedAnswer | UploadStatus]] = {SHARE: SharedAnswer, ADDING: UploadStatus}
"""Posts that somebody waits for and may try again: they are tried once."""
_DUE = f"""
    SELECT key, about, recipient, post, body, name, reply, attempt, posting_since, reference FROM outbox
        LEFT JOIN handoff ON handoff.id = outbox.handoff
        WHERE state = 'open' AND (not_before <= $1 OR not_before > $1 + {LONGEST_DELAY}) ORDER BY sequence
"""  # noqa: S608 - our own words
_TAKE = "UPDATE outbox SET holder = $1 WHERE key = $2 AND state = 'open'"
NO_HOLDER = -1
"""The holder of a post that is to be taken anew."""


class PostOutcome(NamedTuple):
    """The state of a post."""

    state: str
    """`open`, `done` or `dead`."""
    reason: str
    """The reason why it was given up."""
    is_postponed: bool
    """True if it is tried again later, and so is not being posted now."""


class SQLOutbox:
    """The port `Outbox`. One process posts what goes to a place: a row needs no lease, only records of its progress."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []
        self._closed = False

    def close(self) -> None:
        """End all waiting for outcomes."""
        self._closed = True

    def on_post(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever there is something to post."""
        self._listeners.append(listener)

    def notify(self) -> None:
        """Tell the listeners that there is something to post."""
        for listener in self._listeners:
            listener()

    async def queue_digest(self, week: str, to: str) -> bool:
        """Queue the digest of `week`, in place of earlier ones that were not posted.

        Return False when it was begun before, for the same recipient or for somebody who is forgotten; for another
        recipient it begins anew.
        """
        now = self._clock()

        def work(db: Connection) -> bool:
            key = Digest(week=week, to=to).key
            db.execute("DELETE FROM outbox WHERE key = $1 AND recipient NOT IN ($2, '')", (key, to))
            if not queue_post(db, key, DIGEST, recipient=to):
                return False
            late = "UPDATE outbox SET state = 'dead', why = 'late', closed_at = $1"
            db.execute(f"{late} WHERE about = $2 AND state = 'open' AND key <> $3", (now, DIGEST, key))
            return True

        return await self._database.write(work, durable=True)

    async def queue_source_notice(self, channel: PlaceId) -> bool:
        """Queue the notice that a channel is indexed. Return False when it was posted or queued before."""
        return await self._queue_notice(SOURCE, IndexingNotice(to=str(channel)))

    async def queue_quota_notice(self, day: str, place: PlaceId, to: str) -> bool:
        """Queue the notice that a place has used up its automatic answers of an hour. Return False when one was queued
        that day."""
        return await self._queue_notice(SPENT, AutoLimitNotice(day=day, place=place, to=to))

    async def queue_share(self, share: SharedAnswer) -> bool:
        """Queue an answer to be shown in a channel. Return False when it is shown or queued. A post given up continues
        from where it was."""
        statement = (
            "UPDATE outbox SET state = 'open', holder = $1, attempt = 0, not_before = 0, why = '', closed_at = NULL,"
            " person = $2, post = $3 WHERE key = $4 AND state = 'dead'"
        )
        post = share.model_dump_json()

        def work(db: Connection) -> bool:
            if db.execute(statement, (NO_HOLDER, share.person, post, share.key)).rowcount:
                return True
            return queue_post(db, share.key, SHARE, recipient=share.to, person=share.person, post=post)

        return await self._write_and_notify(work)

    async def queue_adding(self, adding: UploadStatus) -> bool:
        """Queue the message that an upload is being read."""
        post = {"recipient": adding.to, "person": adding.person, "post": adding.model_dump_json()}
        return await self._write_and_notify(lambda db: queue_post(db, adding.key, ADDING, **post))

    async def update_adding(self, adding: UploadStatus) -> None:
        """Replace an upload's message by its result, or post the result at once if the message is not posted yet.

        A process that is posting the message does not close it.
        """
        statement = (
            "UPDATE outbox SET state = 'open', holder = $1, attempt = 0, not_before = 0, closed_at = NULL,"
            " person = $2, post = $3 WHERE key = $4 AND state <> 'dead'"
        )
        values = (NO_HOLDER, adding.person, adding.model_dump_json(), adding.key)
        await self._write_and_notify(lambda db: db.execute(statement, values).rowcount > 0)

    async def mark_shared(self, answer_id: str, conversations: Sequence[ConversationId]) -> None:
        """Record that an answer is shown in these conversations, too: the bot takes part there, and they recall it as a
        turn."""
        now = self._clock()

        def work(db: Connection) -> None:
            for conversation in conversations:
                record_share(db, answer_id, str(conversation), now)

        await self._database.write(work, durable=True)

    async def outcome(self, key: str) -> PostOutcome | None:
        """Return the state of a post; None if nothing is stored of it any more, or the outbox is closed."""
        if self._closed:
            return None
        query, now = "SELECT state, why, not_before > $2 FROM outbox WHERE key = $1", self._clock()
        row = await self._database.read(lambda db: db.execute(query, (key, now)).fetchone())
        return PostOutcome(row[0], row[1], is_postponed=bool(row[2])) if row else None

    async def _queue_notice(self, about: str, report: AddressedPost) -> bool:
        return await self._write_and_notify(lambda db: queue_post(db, report.key, about, recipient=report.to))

    async def _write_and_notify(self, work: Callable[[Connection], bool]) -> bool:
        new = await self._database.write(work, durable=True)
        if new:
            self.notify()
        return new

    async def take_next(self, accepts: Callable[[Announcement], bool] = lambda _: True) -> Announcement | None:
        """Take the next post that `accepts` allows, from now on by this process; None when there is nothing now."""
        now = self._clock()
        rows = await self._database.read(lambda db: db.execute(_DUE, (now,)).fetchall())
        due = next(filter(accepts, map(_make_announcement, rows)), None)
        if due:
            await self._database.write(lambda db: db.execute(_TAKE, (db.lease_holder, due.key)))
        return due

    async def mark_posting(self, key: str) -> None:
        """Record the intent, before the first visible write. Raises QuestionWithdrawn when it is gone or another
        process's."""
        now = self._clock()

        def work(db: Connection) -> Exception | None:
            return run_unless_withdrawn(db, OUTBOX_TABLE, key, lambda db, _: record_intent(db, OUTBOX_TABLE, key, now))

        if withdrawn := await self._database.write(work, durable=True):
            raise withdrawn

    async def mark_posted(self, key: str, reference: str) -> None:
        """Record the platform's id of the message."""
        await self._database.write(lambda db: record_reference(db, OUTBOX_TABLE, key, reference), durable=True)

    async def mark_done(self, key: str) -> None:
        """Close a post that is complete."""
        now = self._clock()
        await self._database.write(lambda db: _end(db, key, "done", "", now), durable=True)

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Try again after `delay` seconds. `counts`: the platform refused the post."""
        later = not_before_after(self._clock(), delay)
        await self._database.write(lambda db: release_row(db, OUTBOX_TABLE, key, later, int(counts)), durable=True)

    async def mark_failed(self, key: str, why: str) -> None:
        """Give a post up; the asker of a question that could not be posted is notified."""
        now = self._clock()

        def work(db: Connection) -> None:
            if _end(db, key, "dead", why, now):
                query = "SELECT handoff FROM outbox WHERE key = $1 AND about = $2"
                for (handoff,) in db.execute(query, (key, NoticeKind.ASKED)).fetchall():
                    queue_handoff_notice(db, handoff, NoticeKind.UNDELIVERED)

        await self._database.write(work, durable=True)

    async def withdraw(self, key: str, why: str) -> None:
        """Give up a post that was put off, and so is not being posted now."""
        statement = (
            "UPDATE outbox SET state = 'dead', why = $1, closed_at = $2, person = '', post = ''"
            " WHERE key = $3 AND state = 'open' AND not_before > $2"
        )
        if self._closed:
            return
        values = (why, self._clock(), key)
        await self._database.write(lambda db: db.execute(statement, values).rowcount, durable=True)

    async def count_open(self) -> int:
        """Return how many posts wait."""
        query = "SELECT count(*) FROM outbox WHERE state = 'open'"
        return int(await self._database.read(lambda db: fetch_value(db, query)))


def queue_handoff_notice(db: Connection, handoff_id: str, about: NoticeKind) -> None:
    """Queue the notice about a handoff, once."""
    queue_post(db, f"{about}:{handoff_id}", about, handoff=handoff_id)


def queue_post(
    db: Connection, key: str, about: str, *, handoff: str | None = None, recipient: str = "", **more: str
) -> bool:
    """Queue a post. Return False when it was queued before."""
    values = {"key": key, "about": about, "handoff": handoff, "recipient": recipient, **more}
    places = ", ".join(f"${number}" for number in range(1, len(values) + 1))
    new = f"INSERT INTO outbox ({', '.join(values)}) VALUES ({places}) ON CONFLICT DO NOTHING"  # noqa: S608 - our own words
    return db.execute(new, tuple(values.values())).rowcount > 0


def _end(db: Connection, key: str, state: str, why: str, now: float) -> bool:
    """Close a post and erase its content and its person."""
    ended = close_row(db, OUTBOX_TABLE, key, state, why, now)
    db.execute("UPDATE outbox SET person = '', post = '' WHERE key = $1 AND state <> 'open'", (key,))
    return ended


def _make_announcement(row: tuple[Any, ...]) -> Announcement:
    key, about, recipient, post, body, name, reply, attempt, since, reference = row
    so_far = {
        "attempt": attempt + 1,
        "last": attempt + 1 >= MAX_ATTEMPTS,
        "posting_since": to_datetime(since),
        "reference": reference,
    }
    if about == DIGEST:
        return Digest(week=key.removeprefix(f"{DIGEST}:"), to=recipient, **so_far)
    if about == SOURCE:
        return IndexingNotice(to=recipient, **so_far)
    if about == SPENT:
        _, day, place = key.split(":", 2)
        return AutoLimitNotice(day=day, place=PlaceId.parse(place), to=recipient, **so_far)
    if about in _WAITED_FOR:
        return replace(_WAITED_FOR[about].model_validate_json(post), **{**so_far, "last": True})
    handoff = Handoff.model_validate_json(body)
    return HandoffNotice(about=NoticeKind(about), handoff=handoff, resolver=name, reply=reply, **so_far)
