"""What the bot posts besides its replies: notices of handoffs, digests and what people share, each once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pipeline.values import About, ConversationId, Handoff, Notice, PlaceId, replace
from pipeline.values.posting import Adding, Announcement, Digest, Report, Share, SourceNotice, Spent
from storage.database import Connection, Database, scalar
from storage.messages.posting import (
    ATTEMPTS,
    LONGEST_DELAY,
    PostedRows,
    end,
    give_back,
    keep_intent,
    keep_reference,
    moment,
    put_off,
    unless_withdrawn,
)
from storage.messages.reply import keep_share

POSTS = PostedRows("outbox")
DIGEST, SPENT, SOURCE, SHARE, ADDING = "digest", "spent", "source", "share", "adding"
_WAITED_FOR: Mapping[str, type[Share | Adding]] = {SHARE: Share, ADDING: Adding}
"""What somebody waits for, and may try again: it is tried once."""
_DUE = f"""
    SELECT key, about, recipient, post, body, name, reply, attempt, posting_since, reference FROM outbox
        LEFT JOIN handoff ON handoff.id = outbox.handoff
        WHERE state = 'open' AND (not_before <= $1 OR not_before > $1 + {LONGEST_DELAY}) ORDER BY sequence
"""  # noqa: S608 - our own words
_TAKE = "UPDATE outbox SET holder = $1 WHERE key = $2 AND state = 'open'"
NOBODY = -1
"""The holder of what is to be taken anew."""


class Outcome(NamedTuple):
    """How far a post has come."""

    state: str
    """`open`, `done` or `dead`."""
    why: str
    """It was given up."""
    put_off: bool
    """It is tried again later, and so is not being posted now."""


class SQLOutbox:
    """The port `Outbox`. One process posts what goes to a place: a row needs no lease, only what is recorded of it."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []
        self._closed = False

    def close(self) -> None:
        """Whoever waits for an outcome waits no more."""
        self._closed = True

    def on_post(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever there is something to post."""
        self._listeners.append(listener)

    def ring(self) -> None:
        """There is something to post."""
        for listener in self._listeners:
            listener()

    async def begin_digest(self, week: str, to: str) -> bool:
        """Keep that the digest of `week` is to be posted, in the place of earlier ones that were not; False when it was
        begun before, for this one or for somebody who is forgotten; for another it begins anew."""
        now = self._clock()

        def work(db: Connection) -> bool:
            key = Digest(week=week, to=to).key
            db.execute("DELETE FROM outbox WHERE key = $1 AND recipient NOT IN ($2, '')", (key, to))
            if not put(db, key, DIGEST, recipient=to):
                return False
            late = "UPDATE outbox SET state = 'dead', why = 'late', closed_at = $1"
            db.execute(f"{late} WHERE about = $2 AND state = 'open' AND key <> $3", (now, DIGEST, key))
            return True

        return await self._database.write(work, durable=True)

    async def tell_source(self, channel: PlaceId) -> bool:
        """Keep that those in a channel are to be told that it is read; False when they were."""
        return await self._once(SOURCE, SourceNotice(to=str(channel)))

    async def begin_spent(self, day: str, place: PlaceId, to: str) -> bool:
        """Keep that a place has had the answers of an hour is to be told; False when that was begun on that day."""
        return await self._once(SPENT, Spent(day=day, place=place, to=to))

    async def begin_share(self, share: Share) -> bool:
        """Keep that an answer is to be shown in a channel; False when it is, or will be. What was given up goes on from
        where it was."""
        again = (
            "UPDATE outbox SET state = 'open', holder = $1, attempt = 0, not_before = 0, why = '', closed_at = NULL,"
            " person = $2, post = $3 WHERE key = $4 AND state = 'dead'"
        )
        post = share.model_dump_json()

        def work(db: Connection) -> bool:
            if db.execute(again, (NOBODY, share.person, post, share.key)).rowcount:
                return True
            return put(db, share.key, SHARE, recipient=share.to, person=share.person, post=post)

        return await self._begun(work)

    async def begin_adding(self, adding: Adding) -> bool:
        """Keep that it is to be said that something is read."""
        post = {"recipient": adding.to, "person": adding.person, "post": adding.model_dump_json()}
        return await self._begun(lambda db: put(db, adding.key, ADDING, **post))

    async def change(self, adding: Adding) -> None:
        """Let what came of it be said in its place, or at once where that is not posted yet; whoever is posting it does
        not end it."""
        again = (
            "UPDATE outbox SET state = 'open', holder = $1, attempt = 0, not_before = 0, closed_at = NULL,"
            " person = $2, post = $3 WHERE key = $4 AND state <> 'dead'"
        )
        kept = (NOBODY, adding.person, adding.model_dump_json(), adding.key)
        await self._begun(lambda db: db.execute(again, kept).rowcount > 0)

    async def shared(self, answer_id: str, conversations: Sequence[ConversationId]) -> None:
        """An answer is shown in these conversations, too: the bot takes part there, which recall it as a turn."""
        now = self._clock()

        def work(db: Connection) -> None:
            for conversation in conversations:
                keep_share(db, answer_id, str(conversation), now)

        await self._database.write(work, durable=True)

    async def outcome(self, key: str) -> Outcome | None:
        """How far it has come; None where nothing is kept of it any more, and where this is closed."""
        if self._closed:
            return None
        query, now = "SELECT state, why, not_before > $2 FROM outbox WHERE key = $1", self._clock()
        row = await self._database.read(lambda db: db.execute(query, (key, now)).fetchone())
        return Outcome(row[0], row[1], put_off=bool(row[2])) if row else None

    async def _once(self, about: str, report: Report) -> bool:
        return await self._begun(lambda db: put(db, report.key, about, recipient=report.to))

    async def _begun(self, work: Callable[[Connection], bool]) -> bool:
        new = await self._database.write(work, durable=True)
        if new:
            self.ring()
        return new

    async def take(self, ours: Callable[[Announcement], bool] = lambda _: True) -> Announcement | None:
        """Of `ours` what is to be posted next, from now on by this process; None when there is nothing now."""
        now = self._clock()
        rows = await self._database.read(lambda db: db.execute(_DUE, (now,)).fetchall())
        due = next(filter(ours, map(_read, rows)), None)
        if due:
            await self._database.write(lambda db: db.execute(_TAKE, (db.holder, due.key)))
        return due

    async def posting(self, key: str) -> None:
        """Record the intent, before the first visible write. Raises Withdrawn when it is gone or another process's."""
        now = self._clock()

        def work(db: Connection) -> Exception | None:
            return unless_withdrawn(db, POSTS, key, lambda db, _: keep_intent(db, POSTS, key, now))

        if withdrawn := await self._database.write(work, durable=True):
            raise withdrawn

    async def posted(self, key: str, reference: str) -> None:
        """Record the platform's name of the message."""
        await self._database.write(lambda db: keep_reference(db, POSTS, key, reference), durable=True)

    async def done(self, key: str) -> None:
        """There is nothing left to do."""
        now = self._clock()
        await self._database.write(lambda db: _end(db, key, "done", "", now), durable=True)

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Try again after `delay` seconds. `counts`: the platform did not take it."""
        later = put_off(self._clock(), delay)
        await self._database.write(lambda db: give_back(db, POSTS, key, later, int(counts)), durable=True)

    async def failed(self, key: str, why: str) -> None:
        """Give it up; the asker of a question that could not be posted hears of that."""
        now = self._clock()

        def work(db: Connection) -> None:
            if _end(db, key, "dead", why, now):
                query = "SELECT handoff FROM outbox WHERE key = $1 AND about = $2"
                for (handoff,) in db.execute(query, (key, About.ASKED)).fetchall():
                    tell(db, handoff, About.UNDELIVERED)

        await self._database.write(work, durable=True)

    async def withdraw(self, key: str, why: str) -> None:
        """Give up what was put off, and so is not being posted at this moment."""
        statement = (
            "UPDATE outbox SET state = 'dead', why = $1, closed_at = $2, person = '', post = ''"
            " WHERE key = $3 AND state = 'open' AND not_before > $2"
        )
        if self._closed:
            return
        kept = (why, self._clock(), key)
        await self._database.write(lambda db: db.execute(statement, kept).rowcount, durable=True)

    async def open(self) -> int:
        """How much waits."""
        query = "SELECT count(*) FROM outbox WHERE state = 'open'"
        return int(await self._database.read(lambda db: scalar(db, query)))


def tell(db: Connection, handoff_id: str, about: About) -> None:
    """Let that be posted about a handoff, once."""
    put(db, f"{about}:{handoff_id}", about, handoff=handoff_id)


def put(db: Connection, key: str, about: str, *, handoff: str | None = None, recipient: str = "", **more: str) -> bool:
    """False when it was there before."""
    values = {"key": key, "about": about, "handoff": handoff, "recipient": recipient, **more}
    places = ", ".join(f"${number}" for number in range(1, len(values) + 1))
    new = f"INSERT INTO outbox ({', '.join(values)}) VALUES ({places}) ON CONFLICT DO NOTHING"  # noqa: S608 - our own words
    return db.execute(new, tuple(values.values())).rowcount > 0


def _end(db: Connection, key: str, state: str, why: str, now: float) -> bool:
    """Nothing says any more what it was, and whose."""
    ended = end(db, POSTS, key, state, why, now)
    db.execute("UPDATE outbox SET person = '', post = '' WHERE key = $1 AND state <> 'open'", (key,))
    return ended


def _read(row: tuple[Any, ...]) -> Announcement:
    key, about, recipient, post, body, name, reply, attempt, since, reference = row
    so_far = {
        "attempt": attempt + 1,
        "last": attempt + 1 >= ATTEMPTS,
        "posting_since": moment(since),
        "reference": reference,
    }
    if about == DIGEST:
        return Digest(week=key.removeprefix(f"{DIGEST}:"), to=recipient, **so_far)
    if about == SOURCE:
        return SourceNotice(to=recipient, **so_far)
    if about == SPENT:
        _, day, place = key.split(":", 2)
        return Spent(day=day, place=PlaceId.parse(place), to=recipient, **so_far)
    if about in _WAITED_FOR:
        return replace(_WAITED_FOR[about].model_validate_json(post), **{**so_far, "last": True})
    handoff = Handoff.model_validate_json(body)
    return Notice(about=About(about), handoff=handoff, resolver=name, reply=reply, **so_far)
