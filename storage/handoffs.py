"""Questions that people are asked, and what is posted about them: each intent is on the disk before it is followed."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pipeline.values import About, Handoff, Notice
from storage.database import Connection, Database
from storage.history import signed

ATTEMPTS = 5
"""Tries of a notice that the platform refuses."""
_DUE = """
    SELECT about, body, name, reply, posting_since, reference, attempt FROM notice
        JOIN handoff ON handoff.id = notice.handoff
        WHERE state = 'open' AND not_before <= $1 ORDER BY sequence
"""


class SQLHandoffs:
    """One process posts what goes to a place: a notice needs no lease, only what was recorded of it."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []

    def on_notice(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever there is something to post."""
        self._listeners.append(listener)

    async def begin(self, handoff: Handoff) -> bool:
        """Keep it, and that people are to be asked; False when its answer was handed over before."""
        now = self._clock()

        def work(db: Connection) -> bool:
            body = signed(db, handoff, handoff.answer_id)
            new = db.execute(
                "INSERT INTO handoff (id, answer, asker, body, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                (handoff.id, handoff.answer_id, handoff.asker, body, now),
            ).rowcount
            if new:
                _tell(db, handoff.id, About.ASKED)
            return bool(new)

        return self._rung(await self._database.write(work, durable=True))

    async def get(self, handoff_id: str) -> Handoff | None:
        """One that waits for a reply; None when it is resolved or not kept any more."""

        def work(db: Connection) -> str | None:
            query = "SELECT body FROM handoff WHERE id = $1 AND resolved_at IS NULL"
            row = db.execute(query, (handoff_id,)).fetchone()
            return str(row[0]) if row else None

        body = await self._database.read(work)
        return Handoff.model_validate_json(body) if body else None

    async def resolve(self, handoff_id: str, resolver: str, name: str, reply: str) -> bool:
        """Keep who resolved it with which reply, and that the asker is to hear of it; False when it was resolved."""
        now = self._clock()

        def work(db: Connection) -> bool:
            done = db.execute(
                "UPDATE handoff SET resolver = $1, name = $2, reply = $3, resolved_at = $4"
                " WHERE id = $5 AND resolved_at IS NULL",
                (resolver, name, reply, now, handoff_id),
            ).rowcount
            if done:
                _tell(db, handoff_id, About.RESOLVED)
            return bool(done)

        return self._rung(await self._database.write(work, durable=True))

    async def due(self, ours: Callable[[Notice], bool] = lambda _: True) -> Notice | None:
        """The notice of `ours` to post next, None when there is none now."""
        now = self._clock()
        rows = await self._database.read(lambda db: db.execute(_DUE, (now,)).fetchall())
        return next(filter(ours, map(_notice, rows)), None)

    async def posting(self, notice: Notice) -> None:
        """Record the intent, before the first visible write."""
        await self._set(notice, "posting_since = $3", self._clock())

    async def posted(self, notice: Notice, reference: str) -> None:
        """Record the platform's name of the message: there is nothing left to do."""
        await self._set(notice, "reference = $3, state = 'done'", reference)

    async def postpone(self, notice: Notice, seconds: float) -> None:
        """Try again later; nothing speaks against it."""
        await self._set(notice, "not_before = $3", self._clock() + seconds)

    async def refused(self, notice: Notice, seconds: float) -> bool:
        """The platform did not take it, and it is not there: try again later; False after the last try.

        The asker of a question that could not be posted hears of that."""
        now = self._clock()
        last = notice.attempt + 1 >= ATTEMPTS

        def work(db: Connection) -> None:
            _set(
                db,
                notice,
                "attempt = attempt + 1, posting_since = NULL, not_before = $3, state = $4",
                (now + seconds, "dead" if last else "open"),
            )
            if last and notice.about is About.ASKED:
                _tell(db, notice.handoff.id, About.UNDELIVERED)

        await self._database.write(work, durable=True)
        return not last

    async def open(self) -> int:
        """How many notices wait."""
        query = "SELECT count(*) FROM notice WHERE state = 'open'"
        return int(await self._database.read(lambda db: db.execute(query).fetchone()[0]))

    async def _set(self, notice: Notice, what: str, *values: object) -> None:
        await self._database.write(lambda db: _set(db, notice, what, values), durable=True)

    def _rung(self, changed: bool) -> bool:
        for listener in self._listeners if changed else ():
            listener()
        return changed


def _notice(row: tuple[Any, ...]) -> Notice:
    about, body, name, reply, since, reference, attempt = row
    return Notice(
        about=About(about),
        handoff=Handoff.model_validate_json(body),
        resolver=name,
        reply=reply,
        posting_since=datetime.fromtimestamp(since, UTC) if since is not None else None,
        reference=reference,
        attempt=attempt,
    )


def _tell(db: Connection, handoff_id: str, about: About) -> None:
    db.execute("INSERT INTO notice (handoff, about) VALUES ($1, $2) ON CONFLICT DO NOTHING", (handoff_id, about))


def _set(db: Connection, notice: Notice, what: str, values: tuple[object, ...]) -> None:
    statement = f"UPDATE notice SET {what} WHERE handoff = $1 AND about = $2"  # noqa: S608 - our own words
    db.execute(statement, (notice.handoff.id, notice.about, *values))
