"""Keys of programs, and what was answered to them: the ports `Keys` and `Replies`."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from pipeline.errors import Busy, Refused
from pipeline.rules.tenancy import EVERYTHING, bound
from pipeline.values import replace
from pipeline.values.keys import Key
from storage.database import Connection, Database, scalar

PREFIX = "cw_"
REMEMBERED = 24 * 3600.0
"""Seconds that an answer is kept for who asks again."""
UNDER_WAY = 120.0
"""Longer than any answer takes: what is not answered by then was cut off."""


class SQLKeys:
    """Secrets are 256 random bits, which nobody guesses: a plain digest keeps them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, name: str, collections: Sequence[str], per_minute: int) -> tuple[Key, str]:
        """A new key and its secret, which is told once. Raises Refused where the name is taken."""
        made = Key(
            id=secrets.token_hex(4),
            name=name,
            collections=tuple(collections),
            per_minute=per_minute,
            at=datetime.now(UTC),
        )
        secret = PREFIX + secrets.token_urlsafe(32)

        def work(db: Connection) -> None:
            if any(key.name == name for key in all_keys(db) if not key.revoked):
                raise Refused(f"there is a key called {name}", what_to_do="Revoke it, or choose another name.")
            db.execute(
                "INSERT INTO api_key (id, digest, body, at) VALUES ($1, $2, $3, $4)",
                (made.id, _digest(secret), made.model_dump_json(), made.at.timestamp()),
            )

        with bound(EVERYTHING):
            await self._database.write(work, durable=True)
        return made, secret

    async def all(self) -> list[Key]:
        """Every key, also those that are revoked, the oldest first."""
        with bound(EVERYTHING):
            return await self._database.read(all_keys)

    async def revoke(self, name: str) -> Key | None:
        """The key of that name or id, which opens nothing from now on; None where there is none that did."""

        def work(db: Connection) -> Key | None:
            found = next((key for key in all_keys(db) if name in (key.name, key.id) and not key.revoked), None)
            if found:
                db.execute("UPDATE api_key SET revoked_at = $1 WHERE id = $2", (time.time(), found.id))
            return found

        with bound(EVERYTHING):
            return await self._database.write(work, durable=True)

    async def holder(self, secret: str) -> Key | None:
        """The key of that secret while it is not revoked."""
        query = "SELECT body FROM api_key WHERE digest = $1 AND revoked_at IS NULL"
        with bound(EVERYTHING):
            body = await self._database.read(lambda db: scalar(db, query, (_digest(secret),)))
        return Key.model_validate_json(body) if body else None

    async def revoked(self, person: str) -> bool:
        """See `Keys`."""
        kind, _, key = person.partition(":")
        if kind != "key":
            return False
        query = "SELECT COUNT(*) FROM api_key WHERE id = $1 AND revoked_at IS NOT NULL"
        with bound(EVERYTHING):
            return bool(await self._database.read(lambda db: scalar(db, query, (key,))))


class SQLReplies:
    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, request: str, digest: str) -> str | None:
        """See `Replies`."""
        now = self._clock()

        def work(db: Connection) -> tuple[str, str] | None:
            db.execute("DELETE FROM api_reply WHERE at < $1", (now - REMEMBERED,))
            db.execute("DELETE FROM api_reply WHERE at < $1 AND body = $2", (now - UNDER_WAY, _NOTHING))
            known: tuple[str, str] | None = db.execute(
                "SELECT digest, body FROM api_reply WHERE request = $1", (request,)
            ).fetchone()
            if known is None:
                db.execute("INSERT INTO api_reply VALUES ($1, $2, $3, $4)", (request, digest, _NOTHING, now))
            return known

        with bound(EVERYTHING):
            known = await self._database.write(work, durable=True)
        if known is None:
            return None
        if known[0] != digest:
            raise Refused("that idempotency key came with another request", what_to_do="Choose a new one.")
        if known[1] == _NOTHING:
            raise Busy("that request is still being answered", first=True)
        return known[1]

    async def answered(self, request: str, body: str) -> None:
        with bound(EVERYTHING):
            await self._database.write(
                lambda db: db.execute("UPDATE api_reply SET body = $1 WHERE request = $2", (body, request))
            )

    async def forgone(self, request: str) -> None:
        with bound(EVERYTHING):
            await self._database.write(lambda db: db.execute("DELETE FROM api_reply WHERE request = $1", (request,)))


_NOTHING = "null"


def all_keys(db: Connection) -> list[Key]:
    """Every key, also those that are revoked, the oldest first."""
    rows = db.execute("SELECT body, revoked_at FROM api_key ORDER BY at").fetchall()
    return [
        replace(Key.model_validate_json(body), revoked=datetime.fromtimestamp(revoked, UTC) if revoked else None)
        for body, revoked in rows
    ]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
