"""Sessions of the page: the port `Sessions`."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime

from pipeline.rules.tenancy import EVERYTHING, bound
from pipeline.values.session import Session, SignedIn
from storage.database import Connection, Database

IDLE = 14 * 24 * 3600.0
"""Seconds without a look after which a session ends."""
LONGEST = 30 * 24 * 3600.0
"""Seconds after which everybody signs in again."""
STEP = 3600.0
"""Seconds by which its end has to move to be written down."""


class SQLSessions:
    """Secrets are 256 random bits, of which a digest is kept."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, who: SignedIn) -> str:
        """A new session; its secret. Those that have ended are swept."""
        secret, now = secrets.token_urlsafe(32), self._clock()

        def work(db: Connection) -> None:
            db.execute("DELETE FROM web_session WHERE until < $1", (now,))
            _keep(db, _digest(secret), who, now, now)

        with bound(EVERYTHING):
            await self._database.write(work, durable=True)
        return secret

    async def of(self, secret: str) -> Session | None:
        """The session of that secret, while it lasts; looking at it makes it last longer."""
        id_, now = _digest(secret), self._clock()
        with bound(EVERYTHING):
            row = await self._database.read(
                lambda db: db.execute("SELECT body, at, until FROM web_session WHERE id = $1", (id_,)).fetchone()
            )
            if row is None or row[2] < now:
                return None
            until = _until(row[1], now)
            if until - row[2] > STEP:
                change = "UPDATE web_session SET until = $1 WHERE id = $2"
                await self._database.write(lambda db: db.execute(change, (until, id_)))
        return _session(row[0], row[1])

    async def end(self, secret: str) -> None:
        with bound(EVERYTHING):
            await self._database.write(
                lambda db: db.execute("DELETE FROM web_session WHERE id = $1", (_digest(secret),)), durable=True
            )

    async def vouched(self, who: SignedIn) -> None:
        """They are known from now on as they are now, until nobody vouches for them any more."""
        now = self._clock()
        with bound(EVERYTHING):
            await self._database.write(lambda db: _keep(db, _digest(f"vouched {who.person}"), who, now, now))

    async def newest(self, person: str) -> Session | None:
        """What was told of a person last, while a session of theirs lasts."""
        query = "SELECT body, at FROM web_session WHERE person = $1 AND until >= $2 ORDER BY at DESC LIMIT 1"
        with bound(EVERYTHING):
            row = await self._database.read(lambda db: db.execute(query, (person, self._clock())).fetchone())
        return _session(*row) if row else None


def _keep(db: Connection, id_: str, who: SignedIn, at: float, now: float) -> None:
    db.execute("DELETE FROM web_session WHERE id = $1", (id_,))
    db.execute(
        "INSERT INTO web_session (id, person, body, at, until) VALUES ($1, $2, $3, $4, $5)",
        (id_, who.person, who.model_dump_json(), at, _until(at, now)),
    )


def _until(at: float, now: float) -> float:
    return min(now + IDLE, at + LONGEST)


def _session(body: str, at: float) -> Session:
    return Session(who=SignedIn.model_validate_json(body), at=datetime.fromtimestamp(at, UTC))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
