"""Sessions of the page: the port `Sessions`."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime

from pipeline.rules.tenancy import EVERYTHING, bound
from pipeline.values.keys import Session, SignedIn
from storage.database import Alone, Connection, Database

IDLE = 14 * 24 * 3600.0
"""Seconds without a look after which a session ends."""
LONGEST = 30 * 24 * 3600.0
"""Seconds after which everybody signs in again."""
STEP = 3600.0
"""Seconds by which its end has to move to be written down."""
AHEAD = 3600.0
"""Seconds by which the clock of whoever wrote a session may be ahead of ours: one that began later than that was begun
under a clock that was wrong, and is over."""

_LASTS = "until >= $2 AND at <= $3"


class SQLSessions:
    """Secrets are 256 random bits, of which a digest is kept. All sessions of a person say what was told of them last:
    ending the newest brings nothing back."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, who: SignedIn) -> str:
        """A new session; its secret. Those that have ended are swept."""
        secret = secrets.token_urlsafe(32)
        await self._keep(_digest(secret), who)
        return secret

    async def of(self, secret: str) -> Session | None:
        """The session of that secret, while it lasts; looking at it makes it last longer."""
        id_, now = _digest(secret), self._clock()
        with bound(EVERYTHING):
            query = f"SELECT body, at, until FROM web_session WHERE id = $1 AND {_LASTS}"  # noqa: S608 - our own words
            row = await self._database.read(lambda db: db.execute(query, (id_, now, now + AHEAD)).fetchone())
            if row is None:
                return None
            until = _until(row[1], now)
            if abs(until - row[2]) > STEP:
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
        await self._keep(_digest(f"vouched {who.person}"), who)

    async def newest(self, person: str) -> Session | None:
        """What was told of a person last, while a session of theirs lasts."""
        query = f"SELECT body, at FROM web_session WHERE person = $1 AND {_LASTS} ORDER BY at DESC LIMIT 1"  # noqa: S608
        now = self._clock()
        with bound(EVERYTHING):
            row = await self._database.read(lambda db: db.execute(query, (person, now, now + AHEAD)).fetchone())
        return _session(*row) if row else None

    async def _keep(self, id_: str, who: SignedIn) -> None:
        """A session that begins now, and in the others of the person what is told of them now."""
        now, told = self._clock(), who.model_dump_json()

        def work(db: Connection) -> None:
            sweep_sessions(db, now)
            db.execute("DELETE FROM web_session WHERE id = $1", (id_,))
            db.execute("UPDATE web_session SET body = $1 WHERE person = $2", (told, who.person))
            db.execute(
                "INSERT INTO web_session (id, person, body, at, until) VALUES ($1, $2, $3, $4, $5)",
                (id_, who.person, told, now, _until(now, now)),
            )

        with bound(EVERYTHING):
            await self._database.write(work, durable=True)


def sweep_sessions(db: Connection, now: float) -> int:
    """Delete those that are over, so that no clock brings them back. Returns how many went."""
    db.alone(Alone.SESSIONS)
    db.execute("UPDATE web_session SET until = $1 WHERE until > $2", (now + IDLE, now + IDLE + AHEAD))
    return db.execute("DELETE FROM web_session WHERE until < $1 OR at > $2", (now, now + AHEAD)).rowcount


def end_sessions(db: Connection) -> None:
    """End those of everybody."""
    db.execute("DELETE FROM web_session")


def _until(at: float, now: float) -> float:
    return min(now + IDLE, at + LONGEST)


def _session(body: str, at: float) -> Session:
    return Session(who=SignedIn.model_validate_json(body), at=datetime.fromtimestamp(at, UTC))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
