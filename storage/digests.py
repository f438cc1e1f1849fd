"""Weekly digests: each week once, with its intent and its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from pipeline.values.digest import Digest
from storage.database import Connection, Database

ATTEMPTS = 5
"""Tries of a digest that the platform refuses."""


class SQLDigests:
    """One process posts what goes to a place: a digest needs no lease, only what was recorded of it."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, week: str, to: str) -> bool:
        """Keep that the digest of `week` is to be posted, in the place of earlier ones that were not; False when it was
        begun before, for this one or for somebody who is forgotten; for another it begins anew."""

        new_week = "INSERT INTO digest (week, recipient) VALUES ($1, $2) ON CONFLICT DO NOTHING"

        def work(db: Connection) -> bool:
            db.execute("DELETE FROM digest WHERE week = $1 AND recipient NOT IN ($2, '')", (week, to))
            new = db.execute(new_week, (week, to)).rowcount
            if new:
                db.execute("UPDATE digest SET state = 'dead' WHERE state = 'open' AND week <> $1", (week,))
            return bool(new)

        return await self._database.write(work, durable=True)

    async def due(self) -> Digest | None:
        """The one to post now."""
        query = "SELECT week, recipient, posting_since, attempt FROM digest WHERE state = 'open' AND not_before <= $1"
        row = await self._database.read(lambda db: db.execute(query, (self._clock(),)).fetchone())
        if not row:
            return None
        week, to, since, attempt = row
        started = datetime.fromtimestamp(since, UTC) if since is not None else None
        return Digest(week=week, to=to, posting_since=started, attempt=attempt)

    async def posting(self, digest: Digest) -> None:
        """Record the intent, before the first visible write."""
        await self._set(digest, "posting_since = $2", self._clock())

    async def posted(self, digest: Digest, reference: str) -> None:
        """Record the platform's name of the message: there is nothing left to do."""
        await self._set(digest, "reference = $2, state = 'done'", reference)

    async def postpone(self, digest: Digest, seconds: float) -> None:
        """Try again later; nothing speaks against it."""
        await self._set(digest, "not_before = $2", self._clock() + seconds)

    async def refused(self, digest: Digest, seconds: float) -> bool:
        """The platform did not take it, and it is not there: try again later; False after the last try."""
        last = digest.attempt + 1 >= ATTEMPTS
        await self._set(
            digest,
            "attempt = attempt + 1, posting_since = NULL, not_before = $2, state = $3",
            self._clock() + seconds,
            "dead" if last else "open",
        )
        return not last

    async def _set(self, digest: Digest, what: str, *values: object) -> None:
        statement = f"UPDATE digest SET {what} WHERE week = $1"  # noqa: S608 - our own words
        await self._database.write(lambda db: db.execute(statement, (digest.week, *values)), durable=True)
